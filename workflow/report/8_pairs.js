// Two systems side by side: the segments that separate them most.
"use strict";

const PAIR_KEYS = ["pair", "by", "better"];
const TEN = 10;

const LONGEST = 2000; // tokens: the table of lengths grows with their product

/** The tokens of two texts that are not in their longest common subsequence; none of long texts. */
function differingTokens(one, other) {
  if (Math.max(one.length, other.length) > LONGEST) return [[], []];
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = one[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) [i, j] = [i + 1, j + 1];
    else if (j >= other.length || (i < one.length && lengths[i + 1][j] >= lengths[i][j + 1])) found[0].push(i++);
    else found[1].push(j++);
  }
  return found;
}

function tokenTexts(found, segment, system) {
  const characters = [...found.hypothesis(segment, system)];
  return found.tokens(characters).map(([start, end]) => characters.slice(start, end).join(""));
}

/** One minus the F1 of the tokens that two hypotheses share, 0 to 1. */
function disagreement(one, other) {
  const counts = new Map();
  one.forEach((token) => counts.set(token, (counts.get(token) || 0) + 1));
  let shared = 0;
  for (const token of other) {
    if (!counts.get(token)) continue;
    counts.set(token, counts.get(token) - 1);
    shared += 1;
  }
  return one.length + other.length ? 1 - (2 * shared) / (one.length + other.length) : 0;
}

/** By what segments separate two systems: label, digits, sign (a plus is in favour of the first; of
 * what has no better side 0), and the two values. */
function separators(found) {
  const of = (label, entry, sign) => ({ label, digits: entry.digits, sign, values: (segment, systems) => systems.map((system) => found.value(entry, segment, system)) });
  return [
    ...found.columns.map((column) => of(column.label, column, column.higher ? 1 : -1)),
    ...(found.human ? [of("human", found.human, 1)] : []),
    ...found.hypothesisLevel.map((entry) => of(entry.label, entry, 0)),
    { label: "different words", digits: 2, sign: 0, values: (segment, systems) => [disagreement(...systems.map((system) => tokenTexts(found, segment, system))), 0] },
  ];
}

/** The segments in which both have a value, the largest difference first and of equal ones the
 * longest text; `better` 1 or -1 asks for
 * those in favour of the first or the second system. */
function separating(found, by, systems, better) {
  const rows = [];
  for (let segment = 0; segment < found.total; segment += 1) {
    const values = by.values(segment, systems);
    if (values.some((value) => typeof value !== "number")) continue;
    const difference = values[0] - values[1];
    if (difference && (!better || Math.sign(difference * (by.sign || 1)) === better)) rows.push({ segment, values, difference });
  }
  return rows.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || found.reference(b.segment).length - found.reference(a.segment).length);
}

function drawPairs(widget, found) {
  const choices = separators(found), names = found.systems;
  const state = { systems: [0, 1], by: choices[0], better: 0 };
  let many = TEN;
  const list = make("ol", { class: "pairs" }), more = make("button", { type: "button", onclick: () => { many += TEN; draw(); } });
  const line = make("p", { class: "quiet", role: "status" });
  const change = (edit) => (value) => { edit(value); many = TEN; draw(); };
  const options = names.map((name, at) => [at, name]);
  const controls = [
    choice("System A", options, change((at) => { state.systems[0] = Number(at); })),
    choice("System B", options, change((at) => { state.systems[1] = Number(at); })),
    choice("Separated by", choices.map(({ label }, at) => [at, label]), change((at) => { state.by = choices[at]; })),
    choice("In favour of", [[0, "either"], [1, "A"], [-1, "B"]], change((value) => { state.better = Number(value); })),
  ];

  function verdict({ values, difference }) {
    const { label, digits, sign } = state.by, [a, b] = state.systems.map((system) => names[system]);
    if (label === choices[choices.length - 1].label) return `${format(100 * difference, 0)} % of the words differ`;
    const both = `${label} ${format(values[0], digits)} and ${format(values[1], digits)}`;
    const size = format(Math.abs(difference), digits);
    if (!sign) return `${both}: higher for ${difference > 0 ? a : b} by ${size}`;
    return `${both}: ${difference * sign > 0 ? a : b} is better by ${size}`;
  }

  function item(row, place) {
    const texts = state.systems.map((system) => tokenTexts(found, row.segment, system));
    const differing = new Map(differingTokens(...texts).map((tokens, at) => [state.systems[at], tokens]));
    const means = found.difficulties.map((entry) => `mean ${entry.label} ${format(found.mean(entry, row.segment), entry.digits)}`);
    const chosen = found.columns.filter(({ label }, at) => at < SCORES || label === state.by.label);
    const box = make("article", { class: "passage" },
      make("h3", {}, `${place + 1}. `, make("a", { href: `#segment=${row.segment + 1}` }, `Segment ${row.segment + 1}`), `: ${verdict(row)}`),
      make("p", { class: "quiet" }, [found.where(row.segment), ...means].filter(Boolean).join("; ")),
      ...originals(found, row.segment), hypothesisTable(found, row.segment, state.systems, chosen, differing));
    lightCounterparts(box);
    return make("li", {}, box);
  }

  function draw(write = true) {
    const [a, b] = state.systems;
    controls.forEach((control, at) => { control.querySelector("select").value = [a, b, choices.indexOf(state.by), state.better][at]; });
    controls[3].hidden = !state.by.sign;
    const rows = a === b ? [] : separating(found, state.by, state.systems, state.by.sign ? state.better : 0);
    line.textContent = a === b ? "Choose two different systems." : `${names[a]} and ${names[b]} differ by ${state.by.label} in ${rows.length} of ${found.total} segments; the largest differences come first.`;
    list.replaceChildren(...rows.slice(0, many).map(item));
    more.hidden = rows.length <= many;
    more.textContent = `Show ${Math.min(TEN, rows.length - many)} more`;
    if (write) writeState(PAIR_KEYS, { pair: `${names[a]},${names[b]}`, by: state.by.label, better: state.by.sign && state.better ? names[state.better > 0 ? a : b] : "" });
  }

  /** Take what the address says; a name may hold commas. */
  function restore() {
    const said = readState(), parts = (said.get("pair") || "").split(",");
    const splits = parts.slice(1).map((_, at) => [parts.slice(0, at + 1), parts.slice(at + 1)].map((side) => names.indexOf(side.join(","))));
    state.systems = splits.find((pair) => pair.every((system) => system >= 0)) || [0, 1];
    state.by = choices.find(({ label }) => label === said.get("by")) || choices[0];
    const better = names.indexOf(said.get("better"));
    state.better = better < 0 ? 0 : better === state.systems[0] ? 1 : -1;
    draw(false);
  }

  widget.append(make("div", { class: "controls", role: "group", "aria-label": "Choose two systems" }, ...controls), line, list, more);
  restore();
  return restore;
}

document.querySelectorAll(".widget.pairs").forEach((widget) => withSegments(widget, PAIR_KEYS, drawPairs));
