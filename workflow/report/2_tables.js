// The papers' tables with their notes and filters; filters of result tables.

for (const table of document.querySelectorAll(".ledger")) {
  const notes = [...(table.closest(".item").querySelectorAll(".notes li"))].map((item) => item.firstChild.textContent.trim());
  walkable(table, "td[data-status]", (cell) => {
    const note = cell.dataset.note ? `: ${notes[cell.dataset.note - 1]}` : "";
    return `${cell.dataset.status}${note}`;
  });
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

  const apply = () => {
    const wanted = new Set([...filters.elements.status].filter((box) => box.checked).map((box) => box.value));
    const name = filters.elements.part.value;
    const text = filters.elements.text.value.trim().toLowerCase();
    const everything = wanted.size === filters.elements.status.length && !name && !text;
    let shown = 0, all = 0;
    for (const { item, cells } of entries) {
      const paper = item.closest(".paper").dataset.paper;
      const named = !name || name === item.id || name === paper;
      let inside = 0;
      for (const { cell, words } of cells) {
        const hit = named && wanted.has(cell.dataset.status.replace(/\W/g, "_")) && (!text || words.includes(text));
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
  filters.addEventListener("input", apply);
  filters.addEventListener("submit", (event) => event.preventDefault());
  apply();
}

// Result tables: a select for every leading column of few texts.
const FIRST = { subset: "all", statistic: "pearson" };
const LONG = 100; // rows, from which only the first metric's are shown until another is chosen
for (const box of document.querySelectorAll(".filtered")) {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells];
  const chosen = new Map();
  const apply = () => {
    let shown = 0;
    for (const row of rows) {
      row.hidden = [...chosen].some(([at, value]) => value && row.cells[at].textContent !== value);
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  const count = make("output", { "aria-live": "polite" });
  const controls = make("div", { class: "controls", role: "group", "aria-label": "Filter the rows" });
  heads.forEach((head, at) => {
    const name = head.textContent;
    const values = [...new Set(rows.map((row) => row.cells[at].textContent))];
    const leading = head.classList.contains("t") || name === "size";
    if (!leading || name === "reason" || values.length < 2 || values.length > 40 || rows.length < 12) return;
    const label = choice(name, [["", "any"], ...values.map((value) => [value, value || "–"])], (value) => {
      chosen.set(at, value);
      apply();
    });
    const first = values.includes(FIRST[name]) ? FIRST[name] : name === "metric" && rows.length > LONG ? values[0] : null;
    if (first) {
      label.querySelector("select").value = first;
      chosen.set(at, first);
    }
    controls.append(label);
  });
  if (controls.children.length) {
    controls.append(count);
    box.prepend(controls);
    apply();
  }
}
