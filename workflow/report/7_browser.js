// Segments one by one: filtered, ranked, and each with all that is known of it.
"use strict";

const BROWSER_KEYS = ["segment", "order", "domain", "document", "from", "to", "difficulty", "share", "text"];
const ROWS = 40; // of the list, until more are asked for
const SCORES = 6; // metrics that are shown, until others are chosen
const SHARES = [["", "any"], ["5", "hardest 5 %"], ["10", "hardest 10 %"], ["25", "hardest 25 %"], ["50", "hardest 50 %"], ["-50", "easiest 50 %"], ["-25", "easiest 25 %"]];

/** Whether a segment is among the hardest (or, of a negative share, the easiest) percent. */
function sharesOf(found, label, share) {
  const entry = found.difficulties.find((one) => one.label === label);
  const known = entry.means.map((mean, segment) => [mean === "∞" ? Infinity : mean, segment]).filter(([mean]) => typeof mean === "number");
  known.sort((a, b) => (share > 0 ? b[0] - a[0] : a[0] - b[0]) || a[1] - b[1]);
  return new Set(known.slice(0, Math.max(1, Math.round((Math.abs(share) / 100) * known.length))).map(([, segment]) => segment));
}

/** The segments that meet all conditions of the state, in the order that it asks for. */
function filterSegments(found, state) {
  const inShare = state.share ? sharesOf(found, state.difficulty || found.difficulties[0].label, Number(state.share)) : null;
  const text = (state.text || "").toLowerCase();
  const named = (places, name, segment) => !name || places.names[places.of[segment]] === name;
  const fits = (segment) => {
    const length = [...(found.source(segment) || found.reference(segment))].length;
    return (!inShare || inShare.has(segment)) && named(found.domains, state.domain, segment) && named(found.documents, state.document, segment)
      && (!state.from || length >= Number(state.from)) && (!state.to || length <= Number(state.to))
      && (!text || found.texts[segment].some((one) => one.toLowerCase().includes(text)));
  };
  const ranking = found.rankings.find(({ name }) => name === state.order);
  return (ranking ? ranking.order : [...Array(found.total).keys()]).filter(fits);
}

/** A closed list of metrics to choose those that are shown; `shown` is changed in place. */
function scoreChoice(found, shown, change) {
  const boxes = found.columns.map((column) => checkbox(column.label, shown.has(column), (on) => {
    shown[on ? "add" : "delete"](column);
    change();
  }));
  return make("details", { class: "scores-shown" }, make("summary", {}, "Metrics shown"), make("div", { class: "controls" }, ...boxes));
}

function drawSegments(widget, found) {
  const state = {}, shown = new Set(found.columns.slice(0, SCORES));
  let rows = ROWS, order = [];
  const list = make("div", { class: "scroll tall segment-list", tabindex: 0, role: "region", "aria-label": "Segments to choose from" });
  const passage = make("article", { class: "passage" });
  const count = make("output", { "aria-live": "polite" });
  const change = (key) => (value) => {
    state[key] = value;
    rows = ROWS;
    order = filterSegments(found, state);
    show(order.includes(state.segment) ? state.segment : order[0] ?? null);
  };
  const select = (label, key, options) => {
    const one = choice(label, options, change(key));
    one.dataset.key = key;
    return one;
  };
  const field = (label, key, type, width) => {
    const input = make("input", { type, min: type === "number" ? 0 : null, style: `width: ${width}`, oninput: () => change(key)(input.value) });
    return make("label", { "data-key": key }, `${label} `, input);
  };
  const of = (key, places) => (places ? [select(key[0].toUpperCase() + key.slice(1), key, [["", "any"], ...places.names.map((name) => [name, name || "–"])])] : []);
  const step = (by) => () => order.length && show(order[(order.indexOf(state.segment) + by + order.length) % order.length]);
  const controls = make("div", { class: "controls", role: "group", "aria-label": "Choose segments" },
    select("Order", "order", [...found.rankings.map(({ name, label }) => [name, label]), ["number", "as in the set"]]),
    ...of("domain", found.domains), ...of("document", found.documents),
    ...(found.difficulties.length ? [select("Difficulty", "difficulty", found.difficulties.map(({ label }) => [label, label])), select("Share", "share", SHARES)] : []),
    field("Characters from", "from", "number", "5rem"), field("to", "to", "number", "5rem"), field("Text", "text", "search", "12rem"),
    make("button", { type: "button", onclick: step(-1) }, "← previous"), make("button", { type: "button", onclick: step(1) }, "next →"), count);

  function drawList() {
    const { source_language: language, listed, thresholds, difficulties, systems } = found;
    const body = order.slice(0, rows).map((segment) => make("tr", { "aria-current": segment === state.segment ? "true" : null },
      make("td", {}, make("button", { type: "button", "aria-label": `Segment ${segment + 1}`, onclick: () => show(segment) }, String(segment + 1))),
      ...difficulties.map((entry) => make("td", {}, format(found.mean(entry, segment), entry.digits))),
      ...thresholds.map(({ hard }) => make("td", {}, `${hard[segment].replaceAll("0", "").length}/${systems.length}`)),
      ...listed.map(({ values, digits }) => make("td", {}, signed(found.scaled(values[segment], digits)))),
      make("td", { class: "begin", lang: language, dir: "auto" }, (found.source(segment) || found.reference(segment)).slice(0, 90))));
    const heads = ["segment", ...difficulties.map(({ label }) => `mean ${label}`), ...thresholds.map(({ weighting }) => `difficult under ${weighting}`), ...listed.map(({ label }) => label), "source"];
    const more = make("button", { type: "button", onclick: () => { rows += 10 * ROWS; drawList(); } }, `Show more of the ${order.length} segments`);
    list.replaceChildren(make("table", { class: "plain result" },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: head === "source" ? "t" : null }, head)))), make("tbody", {}, ...body)),
    ...(order.length > rows ? [more] : []));
    count.textContent = `${order.length} of ${found.total} segments`;
  }

  function show(segment, write = true) {
    state.segment = segment;
    drawList();
    passage.replaceChildren(...(segment === null ? [make("p", {}, "No segment meets these conditions.")] : passageNodes(found, segment, shown)));
    if (segment !== null) lightCounterparts(passage);
    if (write) writeState(BROWSER_KEYS, { ...state, segment: segment === null ? null : segment + 1, order: state.order === found.rankings[0].name ? "" : state.order });
  }

  /** Take what the address says; without it, the first segment of the first ranking. */
  function restore() {
    const said = readState(), segment = Number(said.get("segment")) - 1;
    for (const key of BROWSER_KEYS.slice(1)) state[key] = "";
    for (const label of controls.querySelectorAll("[data-key]")) {
      const { key } = label.dataset, input = label.querySelector("input, select");
      input.value = said.get(key) || "";
      if (input.selectedIndex === -1) input.selectedIndex = 0; // the address names none of the options
      else state[key] = input.value;
    }
    state.order ||= found.rankings[0].name;
    order = filterSegments(found, state);
    const known = segment >= 0 && segment < found.total;
    show(known ? segment : order[0] ?? null, false);
    if (said.has("segment") && !known) passage.prepend(make("p", {}, `There is no segment ${said.get("segment")}: the segments are 1 to ${found.total}.`));
  }

  widget.append(controls, scoreChoice(found, shown, () => show(state.segment)), list, passage);
  restore();
  return restore;
}

/** What is known of a segment, from its number to its hypotheses. */
function passageNodes(found, segment, shown) {
  const { difficulties, thresholds, systems, rankings } = found;
  const means = difficulties.map((entry) => `mean ${entry.label} ${format(found.mean(entry, segment), entry.digits)}`);
  const hard = thresholds.map(({ weighting, hard: rows }) => `difficult (▲) under ${weighting} for ${rows[segment].replaceAll("0", "").length} of ${systems.length} systems`);
  const how = rankings.filter(({ name }) => found.places.get(name).has(segment)).map(({ name, text }) => `no. ${found.places.get(name).get(segment)} of those ${text}`);
  const told = [...means, ...hard].join("; "), where = found.where(segment);
  const anchor = make("a", { class: "anchor", href: `#segment=${segment + 1}`, "aria-label": `Link to segment ${segment + 1}` }, "#");
  return [make("h3", {}, `Segment ${segment + 1}`, " ", anchor),
    make("p", { class: "quiet" }, `${where ? `${where}. ` : ""}${told ? `${told[0].toUpperCase()}${told.slice(1)}.` : ""}`),
    make("details", {}, make("summary", {}, "Its place in each order"), make("p", { class: "quiet" }, `${how.join("; ")}.`)),
    ...originals(found, segment), influenceOf(found, segment),
    hypothesisTable(found, segment, systems.map((_, at) => at), found.columns.filter((column) => shown.has(column)))].filter(Boolean);
}

/** What leaving the segment out does to the ranking; null where it was not computed. */
function influenceOf(found, segment) {
  const own = found.influence[segment];
  if (!own) return null;
  const rows = found.moves.map((label, at) => {
    const { added, ranks } = own[at];
    const changes = ranks.map(([place, before, after]) => `${found.systems[place]} ${before} → ${after}`).join(", ");
    return make("tr", {}, make("th", { scope: "row" }, label), ...added.map((value) => make("td", {}, signed(value))), make("td", { class: "t" }, changes || "none"));
  });
  return make("details", { class: "influence", open: rows.length <= 15 }, make("summary", {}, "Without this segment"),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Without this segment" }, make("table", { class: "plain result dense" },
      make("thead", {}, make("tr", {}, make("td"), ...["Δr", "Δτ", "Δρ"].map((head) => make("th", { scope: "col" }, head)), make("th", { scope: "col", class: "t" }, "rank changes"))),
      make("tbody", {}, ...rows))));
}

document.querySelectorAll(".widget.segments").forEach((widget) => withSegments(widget, BROWSER_KEYS, drawSegments));
