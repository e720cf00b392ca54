// Tables of every page: sorted, filtered, limited and saved.
"use strict";

const LIMIT = 100; // rows of a table, until all are asked for
const FILTERED = 12; // rows, from which a table has filters
const UNFILTERED = /^(reason|why)$|better than$/;
const NARROW = "(max-width: 68rem)"; // windows in which the contents are folded, as in report.css
const FIRST = { subset: "all", domain: "all", statistic: "pearson" }; // what filters show at first

/** An element with attributes and children; texts are never parsed as HTML. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const options = (pairs) => pairs.map(([value, text]) => make("option", { value }, text));

/** A text as it is compared and saved: an ASCII minus, and nothing for a dash. */
const plain = (text = "") => (text === "–" ? "" : text.replaceAll("−", "-"));

function numberOf(text) {
  const match = plain(text).match(/[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|∞)/);
  return match ? Number(match[0].replace("∞", "Infinity")) : NaN;
}

/** Rows in the order of a column; rows without a value stand last either way. */
function ordered(rows, at, numeric, sign) {
  const known = (row) => (numeric ? !Number.isNaN(numberOf(row[at])) : plain(row[at]) !== "");
  const compare = numeric
    ? (a, b) => numberOf(a[at]) - numberOf(b[at]) || 0
    : (a, b) => a[at].localeCompare(b[at], "en", { numeric: true });
  const sorted = rows.filter(known).sort((a, b) => sign * compare(a, b));
  return [...sorted, ...rows.filter((row) => !known(row))];
}

function saveCsv(name, lines) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const content = `\ufeff${lines.map((line) => line.map((text) => quoted(plain(text))).join(",")).join("\n")}\n`;
  const href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
  make("a", { href, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Give a table sorting, filters, a limit of rows and buttons. */
function control(table) {
  const { name } = table.dataset, body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const labels = heads.map((head) => head.textContent.trim());
  const box = table.closest(".scroll"), packed = body.querySelector("script"), elements = new Map();
  let rows;
  if (packed) { // a long table: each text of a column once, and its place in each row
    const columns = JSON.parse(packed.textContent);
    rows = columns[0].at.map((_, row) => columns.map(({ texts, at }) => texts[at[row]]));
  } else {
    rows = [...body.rows].map((element) => {
      const texts = [...element.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " "));
      elements.set(texts, element);
      return texts;
    });
  }
  const filters = [], count = make("output", { "aria-live": "polite" });
  let limit = LIMIT, shown = rows, sort = null;

  function elementOf(texts) {
    const cell = (text, at) => make("td", { class: heads[at].className || null }, text);
    if (!elements.has(texts)) elements.set(texts, make("tr", {}, ...texts.map(cell)));
    return elements.get(texts);
  }

  const all = make("button", { type: "button", onclick: () => { limit = Infinity; show(); } });
  function show() {
    shown = rows.filter((texts) => filters.every(({ at, select }) => !select.value || texts[at] === select.value));
    if (sort) shown = ordered(shown, sort.at, !heads[sort.at].classList.contains("t"), sort.sign);
    body.replaceChildren(...shown.slice(0, limit).map(elementOf));
    all.hidden = shown.length <= limit;
    all.textContent = `Show all ${shown.length} rows`;
    count.textContent = `${shown.length} of ${rows.length} rows`;
  }

  heads.forEach((head, at) => { // ascending, descending, as it was
    if (!labels[at] || rows.length < 3) return;
    const turn = () => {
      const next = { null: "ascending", ascending: "descending", descending: null };
      const direction = next[head.getAttribute("aria-sort")];
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      if (direction) head.setAttribute("aria-sort", direction);
      sort = direction && { at, sign: direction === "descending" ? -1 : 1 };
      show();
    };
    head.append(make("button", { type: "button", class: "sort", onclick: turn }, ...head.childNodes));
  });

  const label = `What ${box.getAttribute("aria-label")} shows`;
  const tools = make("div", { class: "controls tools", role: "group", "aria-label": label });
  labels.forEach((label, at) => {
    const values = [...new Set(rows.map((texts) => texts[at]))].filter(Boolean);
    const leading = heads[at].classList.contains("t") || label === "size";
    const telling = values.length > 1 && values.length <= 40 && values.length < rows.length;
    const isLong = rows.length >= FILTERED && table.matches(".result");
    const isShown = !UNFILTERED.test(label) && !heads[at].matches(".more");
    if (!isLong || !leading || !telling || !isShown) return;
    const select = make("select", { onchange: show }, ...options([["", "any"], ...values.map((one) => [one, one])]));
    select.value = values.includes(FIRST[label]) ? FIRST[label] : "";
    filters.push({ at, select });
    tools.append(make("label", {}, `${label} `, select));
  });
  if (rows.length >= FILTERED) tools.append(count);
  if (table.querySelector(".more")) {
    const toggle = () => button.setAttribute("aria-pressed", String(!table.classList.toggle("fewer")));
    const button = make("button", { type: "button", onclick: toggle }, "All columns");
    toggle();
    tools.append(button);
  }
  const save = () => saveCsv(name, [labels, ...shown]);
  tools.append(make("button", { type: "button", onclick: save }, "Save as CSV"));
  if (rows.length > 2) box.before(tools);
  box.after(all);
  show();
}

document.querySelectorAll("table[data-name]").forEach(control);

for (const heading of document.querySelectorAll("main h2")) {
  const { id } = heading.id ? heading : heading.parentNode;
  const link = { class: "anchor", href: `#${id}`, "aria-label": `Link to ${heading.textContent}` };
  if (id && !heading.closest("summary")) heading.append(" ", make("a", link, "#"));
}
/** Open the folded section that the address names. */
function unfold() {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");
  if (part) part.open = true;
}
addEventListener("hashchange", unfold);
unfold();

/** On a phone the contents are folded; beside the text they are open. */
function foldContents({ matches }) {
  const contents = document.querySelector(".contents details");
  if (contents) contents.open = !matches;
}
const narrow = matchMedia(NARROW);
narrow.addEventListener("change", foldContents);
foldContents(narrow);
