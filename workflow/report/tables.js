// Tables of every page: sorted, filtered, limited and saved; what a reader chose stands in the address.
"use strict";

const LIMIT = 100; // rows of a table, until all are asked for
const FILTERED = 12; // rows, from which a table has filters
const FIRST = { subset: "all", statistic: "pearson" }; // what filters show at first

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

/** A part of an address; a broken one as it stands. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const chosen = (name) => new URLSearchParams(location.search).get(name);

function remember(name, value) {
  const all = new URLSearchParams(location.search);
  if (value === null) all.delete(name);
  else all.set(name, value);
  const text = all.toString();
  history.replaceState(null, "", `${location.pathname}${text && "?"}${text}${location.hash}`);
}

/** A text as it is compared and saved: an ASCII minus, and nothing for a dash. */
const plain = (text = "") => (text === "–" ? "" : text.replaceAll("−", "-"));

function numberOf(text) {
  const match = plain(text).match(/[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|∞)/);
  return match ? Number(match[0].replace("∞", "Infinity")) : NaN;
}

/** Rows in the order of a column; rows without a value stand last either way. */
function ordered(rows, at, numeric, sign) {
  const known = (row) => (numeric ? !Number.isNaN(numberOf(row.texts[at])) : plain(row.texts[at]) !== "");
  const compare = numeric
    ? (a, b) => numberOf(a.texts[at]) - numberOf(b.texts[at]) || 0
    : (a, b) => a.texts[at].localeCompare(b.texts[at], "en", { numeric: true });
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

/** Give a table sorting, filters, a limit of rows and buttons; returns what shows the row of an id. */
function control(table) {
  const { name } = table.dataset, body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const labels = heads.map((head) => (head.firstChild ? head.firstChild.textContent.trim() : ""));
  const box = table.closest(".scroll"), packed = body.querySelector("script");
  const textsOf = (row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " "));
  let rows = [...body.rows].map((element) => ({ id: element.id, texts: textsOf(element), element }));
  if (packed) { // a long table: each text of a column once, and its place in each row
    const { columns, ids } = JSON.parse(packed.textContent);
    rows = columns[0].at.map((_, row) => (
      { id: ids ? `${name}:${ids[row]}` : "", texts: columns.map(({ texts, at }) => texts[at[row]]) }));
  }
  const filters = [], count = make("output", { "aria-live": "polite" });
  let limit = LIMIT, shown = rows, sort = null;

  function elementOf(row) {
    row.element ??= make("tr", { id: row.id || null },
      ...row.texts.map((text, at) => make("td", { class: heads[at].className || null }, text)));
    if (!row.ready) {
      [...row.element.cells].forEach((cell, at) => { if (at && labels[at]) cell.dataset.label = labels[at]; });
      const link = { class: "anchor", href: `#${row.id}`, "aria-label": "Link to this row" };
      if (row.id) row.element.lastElementChild.append(" ", make("a", link, "#"));
      row.ready = true;
    }
    return row.element;
  }

  const all = make("button", { type: "button", onclick: () => { limit = Infinity; show(); } });
  function show() {
    const meets = ({ texts }) => filters.every(({ at, select }) => !select.value || texts[at] === select.value);
    shown = rows.filter(meets);
    if (sort) shown = ordered(shown, sort.at, !heads[sort.at].classList.contains("t"), sort.sign);
    body.replaceChildren(...shown.slice(0, limit).map(elementOf));
    all.hidden = shown.length <= limit;
    all.textContent = `Show all ${shown.length} rows`;
    count.textContent = `${shown.length} of ${rows.length} rows`;
  }

  function sortBy(at, direction) {
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    if (direction) heads[at].setAttribute("aria-sort", direction);
    sort = direction ? { at, sign: direction === "descending" ? -1 : 1 } : null;
    show();
  }
  heads.forEach((head, at) => { // ascending, descending, as it was
    if (!labels[at] || rows.length < 3) return;
    const next = { null: "ascending", ascending: "descending", descending: null };
    const turn = () => {
      const direction = next[head.getAttribute("aria-sort")];
      sortBy(at, direction);
      remember(`${name}.sort`, direction ? `${labels[at]}:${direction}` : null);
    };
    const button = make("button", { type: "button", class: "sort", onclick: turn }, ...head.childNodes);
    head.append(button);
  });

  const label = `What ${box.getAttribute("aria-label")} shows`;
  const tools = make("div", { class: "controls tools", role: "group", "aria-label": label });
  labels.forEach((label, at) => {
    const values = [...new Set(rows.map(({ texts }) => texts[at]))].filter(Boolean), key = `${name}.${label}`;
    const leading = heads[at].classList.contains("t") || label === "size";
    if (rows.length < FILTERED || !leading || label === "reason" || values.length < 2 || values.length > 40) return;
    const change = () => { remember(key, select.value || "any"); show(); };
    const select = make("select", { onchange: change }, ...options([["", "any"], ...values.map((one) => [one, one])]));
    const first = [chosen(key), FIRST[label]].find((value) => value === "any" || values.includes(value));
    select.value = first === "any" ? "" : first ?? "";
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
  const save = () => saveCsv(name, [labels, ...shown.map(({ texts }) => texts)]);
  tools.append(make("button", { type: "button", onclick: save }, "Save as CSV"));
  box.before(tools);
  box.after(all);
  table.classList.add("cards");
  const [by, direction] = (chosen(`${name}.sort`) || "").split(/:(?=[a-z]+$)/);
  const known = labels.includes(by) && ["ascending", "descending"].includes(direction);
  sortBy(labels.indexOf(by), known ? direction : null);

  return (id) => {
    const row = rows.find((one) => one.id === id);
    if (!row) return;
    if (!shown.includes(row)) filters.forEach(({ select }) => { select.value = ""; });
    limit = Infinity;
    show();
    row.element.classList.add("cited");
  };
}

const tables = new Map();
document.querySelectorAll("table[data-name]").forEach((one) => tables.set(one.dataset.name, control(one)));

for (const heading of document.querySelectorAll("main h2, main h3")) {
  const id = heading.parentNode.matches("section[id]") ? heading.parentNode.id : heading.id;
  const link = { class: "anchor", href: `#${id}`, "aria-label": `Link to ${heading.textContent}` };
  if (id) heading.append(" ", make("a", link, "#"));
}

/** Show what the address points at: rows that a filter hides, and closed details. */
function reveal() {
  const id = decoded(location.hash.slice(1)), showRow = tables.get(id.split(":")[0]);
  if (showRow) showRow(id);
  const target = document.getElementById(id);
  if (!target) return;
  for (let up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  target.scrollIntoView({ behavior: "instant", block: target.tagName === "TR" ? "center" : "start" });
}
addEventListener("hashchange", reveal);
addEventListener("load", () => location.hash && reveal());
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));

// On a paper's page: dim the cells of verdicts, items and texts that are not asked for.
const filters = document.getElementById("filters");
if (filters) {
  const cells = [...document.querySelectorAll(".ledger td[data-status]")].map((cell) => {
    const item = cell.closest(".item"), notes = item.querySelectorAll(".notes li");
    const heads = [...cell.closest("table").tHead.rows].map((row) => (
      [...row.cells].flatMap((head) => Array(head.colSpan).fill(head.textContent))[cell.cellIndex]));
    const note = cell.dataset.note ? notes[cell.dataset.note - 1].textContent : "";
    const words = [item.dataset.caption, cell.parentNode.cells[0].textContent, ...heads, note, cell.dataset.status];
    return { cell, item, words: words.join(" ").toLowerCase() };
  });
  const { status, text } = filters.elements, output = filters.querySelector("output");
  const hidden = (chosen("without") || "").split(",");
  status.forEach((box) => { box.checked = !hidden.includes(box.value); });
  text.value = chosen("text") || "";
  const dim = () => {
    const without = [...status].filter((box) => !box.checked).map((box) => box.value);
    const words = text.value.trim().toLowerCase();
    const hits = cells.filter((one) => !without.includes(one.cell.dataset.status) && one.words.includes(words));
    cells.forEach((one) => one.cell.classList.toggle("off", !hits.includes(one)));
    document.querySelectorAll(".item").forEach((item) => {
      item.hidden = hits.length < cells.length && !hits.some((one) => one.item === item);
    });
    output.textContent = `${hits.length} of ${cells.length} cells`;
    return { without: without.join(","), text: text.value.trim() };
  };
  filters.addEventListener("input", () => {
    for (const [key, value] of Object.entries(dim())) remember(key, value || null);
  });
  filters.addEventListener("submit", (event) => event.preventDefault());
  dim();
}
