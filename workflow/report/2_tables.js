// Tables: sorted by their columns, filtered, saved as CSV; what was chosen is kept in the address.
"use strict";

const textOf = (row, at) => (row.cells[at] ? row.cells[at].textContent : ""); // rows can be short

/** A cell's text as it is compared and saved: numbers with an ASCII minus; dashes are empty. */
function plain(cell) {
  const text = (cell ? cell.textContent : "").trim().replace(/\s+/g, " ");
  return text === "–" ? "" : text.replaceAll("−", "-");
}

function numberOf(text) {
  const found = text.match(/[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|∞)/);
  return found ? Number(found[0].replace("∞", "Infinity")) : NaN;
}

/** Rows in the order of a column; what has no value stands last either way. */
function ordered(rows, at, numeric, down) {
  const keys = new Map(rows.map((row) => [row, plain(row.cells[at])]));
  const compare = (a, b) => (numeric ? numberOf(a) - numberOf(b) || 0 : a.localeCompare(b, "en", { numeric: true }));
  const there = (row) => (numeric ? !Number.isNaN(numberOf(keys.get(row))) : keys.get(row) !== "");
  const [known, unknown] = [rows.filter(there), rows.filter((row) => !there(row))];
  known.sort((a, b) => (down ? -1 : 1) * compare(keys.get(a), keys.get(b)));
  return [...known, ...unknown];
}

function headsOf(table) {
  return [...table.tHead.rows[0].cells];
}

/** A head's name: without what stands below it. */
function nameOf(head) {
  return (head.querySelector("button") || head).firstChild.textContent.trim();
}

/** Heads become buttons: ascending, descending, as it was. */
function makeSortable(table, name) {
  const rows = [...table.tBodies[0].rows], heads = headsOf(table), numeric = (head) => !head.classList.contains("t");
  const sort = (at, direction) => {
    heads.forEach((head, place) => (place === at && direction ? head.setAttribute("aria-sort", direction) : head.removeAttribute("aria-sort")));
    table.tBodies[0].append(...(direction ? ordered(rows, at, numeric(heads[at]), direction === "descending") : rows));
    address.write(`${name}.sort`, direction ? `${nameOf(heads[at])}:${direction}` : null);
  };
  heads.forEach((head, at) => {
    if (!head.textContent.trim()) return;
    const next = { none: "ascending", ascending: "descending", descending: null };
    const button = make("button", { type: "button", class: "sort", onclick: () => sort(at, next[head.getAttribute("aria-sort") || "none"]) });
    button.append(...head.childNodes);
    head.append(button);
  });
  const [wanted, direction] = (address.read(`${name}.sort`) || "").split(/:(?=[a-z]+$)/);
  const at = heads.findIndex((head) => nameOf(head) === wanted);
  if (at >= 0 && ["ascending", "descending"].includes(direction)) sort(at, direction);
}

function csv(lines) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `\ufeff${lines.map((line) => line.map(quoted).join(",")).join("\n")}\n`;
}

/** The rows that are shown, in their order. */
function linesOf(table) {
  const heads = headsOf(table).map((head) => plain(head));
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.hidden);
  return [heads, ...rows.map((row) => [...row.cells].map(plain))];
}

function saveCsv(name, lines) {
  return make("button", { type: "button", class: "save", onclick: () => save(`${name}.csv`, "text/csv", csv(lines())) }, "Save as CSV");
}

// What a filter shows before anything was chosen.
const FIRST = { subset: "all", statistic: "pearson" };
const LONG = 100; // rows, from which only the first metric's are shown until another is chosen

/** A select for every leading column of few texts; gives what shows all rows. */
function makeFilters(table, name, controls) {
  const rows = [...table.tBodies[0].rows], chosen = new Map(), selects = [];
  const count = make("output", { "aria-live": "polite" });
  const apply = () => {
    let shown = 0;
    for (const row of rows) {
      row.hidden = [...chosen].some(([at, value]) => value && textOf(row, at) !== value);
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  headsOf(table).forEach((head, at) => {
    const column = nameOf(head), key = `${name}.${column}`;
    const values = [...new Set(rows.map((row) => textOf(row, at)))];
    const leading = head.classList.contains("t") || column === "size";
    if (!leading || column === "reason" || values.length < 2 || values.length > 40 || rows.length < 12) return;
    const label = choice(column, [["", "any"], ...values.map((value) => [value, value || "–"])], (value) => {
      chosen.set(at, value);
      address.write(key, value || "any");
      apply();
    });
    const first = values.includes(FIRST[column]) ? FIRST[column] : column === "metric" && rows.length > LONG ? values[0] : "";
    const asked = address.read(key);
    const value = asked === "any" ? "" : values.includes(asked) ? asked : first;
    label.querySelector("select").value = value;
    chosen.set(at, value);
    selects.push([label.querySelector("select"), at]);
    controls.append(label);
  });
  if (selects.length) controls.append(count);
  apply();
  return () => {
    selects.forEach(([select, at]) => { select.value = ""; chosen.set(at, ""); });
    apply();
  };
}

const showAll = new Map(); // by table

/** Give a table its filters, links of rows, and buttons. */
function prepare(table) {
  const name = table.dataset.name, box = table.closest(".scroll");
  const controls = make("div", { class: "controls tools", role: "group", "aria-label": `What ${box.getAttribute("aria-label")} shows` });
  if (table.tBodies.length === 1 && table.tHead.rows.length === 1) {
    const labels = headsOf(table).map((head) => plain(head));
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, at) => { if (at && labels[at]) cell.dataset.label = labels[at]; });
      if (row.id) row.lastElementChild.append(" ", make("a", { class: "anchor", href: `#${row.id}`, "aria-label": "Link to this row" }, "#"));
    }
    table.classList.add("cards");
    showAll.set(table, makeFilters(table, name, controls));
    if (table.tBodies[0].rows.length > 2) makeSortable(table, name);
  }
  if (table.querySelector(".more")) {
    const button = make("button", { type: "button", "aria-pressed": "false" }, "All columns");
    const toggle = (all) => {
      table.classList.toggle("fewer", !all);
      button.setAttribute("aria-pressed", String(all));
    };
    button.addEventListener("click", () => {
      const all = table.classList.contains("fewer");
      toggle(all);
      address.write(`${name}.columns`, all ? "all" : null);
    });
    toggle(address.read(`${name}.columns`) === "all");
    controls.append(button);
  }
  controls.append(saveCsv(name, () => linesOf(table)));
  box.before(controls);
}

/** The rows of a long table, which stand in the page by column, each text once. */
function unpackRows(table, { columns, ids }) {
  const kinds = headsOf(table).map((head, at) => `${head.classList.contains("t") ? "t" : ""}${head.classList.contains("more") ? " more" : ""}${at === columns.length - 1 && head.classList.contains("t") ? " last" : ""}`);
  const body = table.tBodies[0];
  columns[0].at.forEach((_, row) => {
    const line = body.insertRow();
    if (ids) line.id = `${table.dataset.name}:${ids[row]}`;
    columns.forEach(({ texts, at }, column) => {
      const cell = line.insertCell();
      cell.textContent = texts[at[row]];
      if (kinds[column]) cell.className = kinds[column];
    });
  });
}

// Long tables wait until a reader comes near them, points at one of their rows, or prints.
const waiting = new Map(); // what fills a table, by its name

function fillTable(name) {
  const fill = waiting.get(name);
  waiting.delete(name);
  if (fill) fill();
}

for (const table of document.querySelectorAll("table[data-name]")) {
  const packed = table.querySelector("tbody > script");
  if (!packed) {
    prepare(table);
    continue;
  }
  const { name } = table.dataset;
  const near = new IntersectionObserver(([entry]) => entry.isIntersecting && fillTable(name), { rootMargin: "800px" });
  waiting.set(name, () => {
    near.disconnect();
    unpackRows(table, JSON.parse(packed.textContent));
    packed.remove();
    prepare(table);
  });
  near.observe(table);
}

// A shadow says that columns follow on the right.
const showCut = (box) => box.classList.toggle("cut", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => showCut(target.closest(".scroll"))));
for (const box of document.querySelectorAll(".scroll")) {
  box.addEventListener("scroll", () => showCut(box));
  [box, ...box.children].forEach((element) => resized.observe(element));
}
window.addEventListener("beforeprint", () => [...waiting.keys()].forEach(fillTable));

/** What the address points at is never hidden. */
function reveal() {
  const id = decoded(location.hash.slice(1));
  fillTable(id.split(":")[0]);
  const target = document.getElementById(id);
  if (!target) return;
  for (let up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  if (target.hidden && showAll.has(target.closest("table"))) showAll.get(target.closest("table"))();
  target.scrollIntoView({ behavior: "instant", block: target.tagName === "TR" ? "center" : "start" });
}
window.addEventListener("hashchange", reveal);
window.addEventListener("load", () => location.hash && reveal()); // when charts have their heights

// The papers' tables: notes beside their cells, and filters.
function ledgerLines(table) {
  const heads = [...table.tHead.rows].map((row) => [...row.cells].flatMap((cell) => Array(cell.colSpan).fill(plain(cell))));
  const cells = [...table.querySelectorAll("td[data-status]")];
  const text = (cell, part) => (cell.querySelector(part) ? plain(cell.querySelector(part)) : "");
  return [["row", "column", "ours", "published", "verdict", "note"], ...cells.map((cell) => [
    plain(cell.parentNode.cells[0]), heads.map((head) => head[cell.cellIndex] || "").join(" ").trim(), text(cell, "b"),
    text(cell, "i").replace(/^\[|\]$/g, ""), cell.dataset.status, cell.dataset.note ? notesOf(table)[cell.dataset.note - 1] : ""])];
}

function notesOf(table) {
  return [...table.closest(".item").querySelectorAll(".notes li")].map((item) => item.firstChild.textContent.trim());
}

for (const table of document.querySelectorAll(".ledger")) {
  const notes = notesOf(table);
  walkable(table, "td[data-status]", (cell) => {
    const note = cell.dataset.note ? `: ${notes[cell.dataset.note - 1]}` : "";
    return `${cell.dataset.status}${note}`;
  });
  if (!table.classList.contains("claims")) {
    table.closest(".scroll").after(make("p", { class: "tools" }, saveCsv(table.closest(".item").id, () => ledgerLines(table))));
  }
}

const filters = document.getElementById("filters");
if (filters) {
  // What free text is looked for in: caption, row, column, note.
  const entries = [...document.querySelectorAll(".item")].map((item) => {
    const table = item.querySelector(".ledger");
    if (!table) return { item, cells: [] };
    const heads = [...table.tHead.rows].map((row) => [...row.cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent)));
    const notes = [...item.querySelectorAll(".notes li")].map((note) => note.textContent);
    const cells = [...table.querySelectorAll("td[data-status]")].map((cell) => {
      const column = heads.map((head) => head[cell.cellIndex]).join(" ");
      const words = [item.dataset.caption, cell.parentNode.cells[0].textContent, column, notes[cell.dataset.note - 1] || "", cell.dataset.status];
      return { cell, words: words.join(" ").toLowerCase() };
    });
    return { item, cells };
  });
  const boxes = [...filters.elements.status], { part, text } = filters.elements;
  const hidden = new Set((address.read("without") || "").split(","));
  boxes.forEach((box) => { box.checked = !hidden.has(box.value); });
  part.value = address.read("item") || "";
  text.value = address.read("text") || "";

  const apply = () => {
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const words = text.value.trim().toLowerCase();
    const everything = wanted.size === boxes.length && !part.value && !words;
    let shown = 0, all = 0;
    for (const { item, cells } of entries) {
      const paper = item.closest(".paper").dataset.paper;
      const named = !part.value || part.value === item.id || part.value === paper;
      let inside = 0;
      for (const { cell, words: own } of cells) {
        const hit = named && wanted.has(cell.dataset.status.replace(/\W/g, "_")) && (!words || own.includes(words));
        cell.classList.toggle("off", !hit);
        inside += hit;
      }
      item.hidden = !(inside || everything);
      item.classList.add("print");
      shown += inside;
      all += cells.length;
    }
    filters.querySelector("output").textContent = `${shown} of ${all} cells`;
  };
  const keep = () => {
    const without = boxes.filter((box) => !box.checked).map((box) => box.value);
    [["without", without.join(",")], ["item", part.value], ["text", text.value.trim()]].forEach(([name, value]) => address.write(name, value || null));
    apply();
  };
  filters.addEventListener("input", keep);
  filters.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
