// The segments of a set: ordered, filtered, and one by one with the hypotheses of all systems, or of
// two side by side. The file beside the page holds them.
"use strict";

const ROWS = 40; // of the list, until more are asked for
const LISTED = 8; // columns of numbers in the list
const SCORES = 6; // metrics that are shown beside hypotheses
const ORDERING = ["a", "b", "order"]; // choices that sort the list anew, whose first segment is then shown
const LONGEST = 4e6; // product of the lengths, in tokens, of two texts that are compared
// What Python takes for white space, which parts tokens that are characters.
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
let set = null; // what the file holds, as page/segments.py describes it
let receiveSegments = null; // the function that the file calls

async function readSegments() {
  if (!window.DecompressionStream) throw new Error("This browser is too old: it lacks DecompressionStream.");
  const inside = document.getElementById("packed-segments"); // of a page that is a single file
  const packed = inside ? inside.textContent : await new Promise((resolve, reject) => {
    receiveSegments = resolve;
    const missing = "The segments are in segments.js, which is not beside this page. Keep both files in one folder.";
    document.head.append(make("script", { src: "segments.js", onerror: () => reject(new Error(missing)) }));
  });
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function format(value, digits) {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : value.toFixed(digits).replace("-", "−"); // an infinite one is a text
}

function signed(value, digits = 4) {
  const rounded = value === null ? null : Number(value.toFixed(digits)) || 0; // no minus before zero
  return (rounded > 0 ? "+" : "") + format(rounded, digits);
}

const scaled = (value, digits) => (typeof value === "number" ? value / 10 ** digits : value);
const meanOf = ({ means, digits }, segment) => scaled(means[segment], digits);
const valueOf = ({ values, digits }, segment, system) => scaled(values[segment * set.systems.length + system], digits);
const sourceOf = (segment) => set.texts[segment][0];
const referenceOf = (segment) => set.texts[segment][1];
const hypothesisOf = (segment, system) => set.texts[segment][2 + system];
const nameOf = (places, segment) => (places ? places.names[places.of[segment]] : "");

/** The places [start, end) of a text's tokens, in characters. */
function tokensOf(characters) {
  const words = set.units === "words", spans = [];
  let open = false;
  characters.forEach((character, at) => {
    const blank = words ? character === " " || character === "\t" : BLANK.test(character);
    if (!blank && open && words) spans[spans.length - 1][1] = at + 1;
    else if (!blank) spans.push([at, at + 1]);
    open = !blank;
  });
  return spans;
}

/** The chunks of a hypothesis: first and last token, reference tokens, and the order of these. */
function chunksOf(segment, system) {
  const chunks = [], links = set.links ? [...set.links.links[segment][system]] : [];
  let open = false;
  links.map((character) => character.codePointAt(0) - 49).forEach((link, token) => {
    if (link >= 0 && !open) chunks.push({ first: token, links: [] });
    open = link >= 0;
    if (!open) return;
    chunks[chunks.length - 1].last = token;
    chunks[chunks.length - 1].links.push(link);
  });
  const start = ({ links: own }) => Math.min(...own);
  [...chunks].sort((a, b) => start(a) - start(b)).forEach((chunk, at) => { chunk.order = at + 1; });
  return chunks;
}

/** The ratings of a hypothesis: who rated it, and the errors with their severity and category. */
function ratingsOf(segment, system) {
  if (!set.errors) return [];
  const { raters, severities, categories, of } = set.errors;
  const described = ([start, end, severity, category, inSource]) => (
    { start, end, severity: severities[severity], category: categories[category], inSource });
  const own = of[segment].filter(([place]) => place === system);
  return own.map(([, rater, errors]) => ({ rater: raters[rater], errors: errors.map(described) }));
}

const errorClass = ({ severity }) => `error error-${severity.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;

/** The tokens of two texts that are not in their longest common subsequence, by their places. */
function differingTokens(one, two) {
  if (one.length * two.length > LONGEST) return [[], []];
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = one[i] === two[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const differing = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < two.length) {
    if (i < one.length && j < two.length && one[i] === two[j]) [i, j] = [i + 1, j + 1];
    else if (j >= two.length || (i < one.length && lengths[i + 1][j] >= lengths[i][j + 1])) differing[0].push(i++);
    else differing[1].push(j++);
  }
  return differing;
}

function tokenTexts(segment, system) {
  const characters = [...hypothesisOf(segment, system)];
  return tokensOf(characters).map(([start, end]) => characters.slice(start, end).join(""));
}

/** A text as nodes: `outer` spans { start, end, attributes } do not overlap, `layers` { start, end,
 * name, style } may, also with the former. */
function nodesOf(characters, outer, layers) {
  const cut = (from, to) => {
    const inside = layers.filter(({ start, end }) => start < to && end > from);
    const ends = inside.flatMap(({ start, end }) => [Math.max(start, from), Math.min(end, to)]);
    const places = [...new Set([from, to, ...ends])].sort((a, b) => a - b);
    return places.slice(0, -1).map((start, at) => {
      const text = characters.slice(start, places[at + 1]).join("");
      const own = inside.filter((layer) => layer.start <= start && layer.end > start);
      if (!own.length) return text;
      const style = own.map((layer) => layer.style || "").join("");
      return make("span", { class: own.map(({ name }) => name).join(" "), style: style || null }, text);
    });
  };
  const nodes = [];
  let place = 0;
  for (const { start, end, attributes } of outer) {
    nodes.push(...cut(place, start), make("span", attributes, ...cut(start, end)));
    place = end;
  }
  return [...nodes, ...cut(place, characters.length)];
}

/** The style that gives a part its colours: the places, 0 to 1, of its first and last counterpart. */
function hue(links, tokens) {
  const share = (link) => (link / Math.max(tokens - 1, 1)).toFixed(3);
  return `--from: ${share(Math.min(...links))}; --to: ${share(Math.max(...links))}`;
}

/** The reference in tokens, each in the colour of its place; the stronger, the more difficult. */
function referenceNodes(segment) {
  const characters = [...referenceOf(segment)], spans = set.links ? tokensOf(characters) : [], layers = [];
  if (set.tokens_of) {
    const { of, low, high, hard } = set.tokens_of;
    let place = 0;
    for (let at = 0; at < of[segment].length; at += 2) {
      const [length, value] = of[segment].slice(at, at + 2);
      const share = Math.min(Math.max((value - low) / (high - low || 1), 0), 1);
      const layer = { start: place, end: place + length, style: `--share: ${share.toFixed(2)}` };
      if (value !== null) layers.push({ ...layer, name: value >= hard ? "token hard" : "token" });
      place += length;
    }
  }
  const outer = spans.map(([start, end], at) => (
    { start, end, attributes: { class: "place", style: hue([at], spans.length) } }));
  return nodesOf(characters, outer, layers);
}

/** A hypothesis in chunks, each in the colour of its counterpart's place, with errors and tokens that differ. */
function hypothesisNodes(segment, system, differing) {
  const characters = [...hypothesisOf(segment, system)];
  if (!characters.length) return ["(empty)"];
  const spans = tokensOf(characters), size = tokensOf([...referenceOf(segment)]).length;
  const errors = ratingsOf(segment, system).flatMap((rating) => rating.errors);
  const layers = errors.filter(({ inSource }) => !inSource).map((error) => (
    { start: error.start, end: Math.max(error.end, error.start + 1), name: errorClass(error) }));
  layers.push(...differing.map((token) => ({ start: spans[token][0], end: spans[token][1], name: "differs" })));
  const chunks = chunksOf(segment, system);
  const outer = chunks.map(({ first, last, links, order }, at) => ({ start: spans[first][0], end: spans[last][1],
    attributes: { class: at && order < chunks[at - 1].order ? "chunk back" : "chunk", tabindex: -1,
      "data-links": [...new Set(links)].sort((a, b) => a - b).join(" "), "data-system": set.systems[system],
      "data-order": chunks.length > 1 ? order : null, style: hue(links, size) } }));
  return nodesOf(characters, outer, layers);
}

/** What raters marked in a hypothesis, in words; null where nobody rated it. */
function errorList(segment, system) {
  const items = ratingsOf(segment, system).flatMap(({ rater, errors }) => {
    if (!errors.length) return [make("li", {}, `no errors (${rater})`)];
    return errors.map((error) => {
      const { start, end, severity, category, inSource } = error;
      const text = [...(inSource ? sourceOf(segment) : hypothesisOf(segment, system))].slice(start, end).join("");
      const kind = [severity, category, inSource ? "in the source" : ""].filter(Boolean).join(", ");
      return make("li", {}, make("span", { class: errorClass(error) }, text || "(no text)"), ` ${kind} (${rater})`);
    });
  });
  return items.length ? make("ul", { class: "errors" }, ...items) : null;
}

const region = (label, name) => ({ class: name, tabindex: 0, role: "region", "aria-label": label });
const row = (cells) => make("tr", {}, ...cells);
const head = (text, scope = "col", name = null) => make("th", { scope, class: name }, text);

/** Hypotheses with their numbers: a row for each system, or two systems side by side. */
function hypothesisTable(segment, systems, columns, side) {
  const differing = side ? differingTokens(...systems.map((system) => tokenTexts(segment, system))) : [];
  const said = (system, at) => {
    const nodes = hypothesisNodes(segment, system, differing[at] || []);
    const text = make("span", { lang: set.target_language, dir: "auto" }, ...nodes);
    return make("td", { class: "said" }, text, errorList(segment, system));
  };
  const number = (entry, label) => (system) => {
    const cell = make("td", { class: "n", "data-label": label }, format(valueOf(entry, segment, system), entry.digits));
    const hard = set.thresholds.filter((one) => (
      set.difficulties[one.difficulty] === entry && one.hard[segment][system] === "1"));
    const under = make("span", { class: "unseen" }, ` difficult under ${hard.map((one) => one.weighting).join(", ")}`);
    if (hard.length) cell.append(make("span", { class: "hard-flag" }, " ▲", under));
    return cell;
  };
  const human = set.human && systems.some((system) => valueOf(set.human, segment, system) !== null);
  const numbers = [...set.difficulties.filter(({ values }) => values), ...columns];
  const fields = [[set.links ? `hypothesis, its chunks (${set.links.label}) in boxes` : "hypothesis", said],
    ...(human ? [["human", number(set.human, "human")]] : []),
    ...numbers.map((entry) => [entry.label, number(entry, entry.label)])];
  const names = systems.map((system) => set.systems[system]), labels = fields.map(([label]) => label);
  const cells = systems.map((system, at) => fields.map(([, cell]) => cell(system, at)));
  const rows = side ? labels.map((label, at) => row([head(label, "row"), ...cells.map((own) => own[at])]))
    : names.map((name, at) => row([head(name, "row"), ...cells[at]]));
  const named = (side ? names : ["system", ...labels]).map((text) => head(text));
  return make("div", region(`Hypotheses of segment ${segment + 1}`, "scroll"),
    make("table", { class: side ? "hypotheses pair" : "hypotheses" },
      make("thead", {}, row(side ? [make("td"), ...named] : named)), make("tbody", {}, ...rows)));
}

/** A segment with all that is known of it. */
function passageNodes(segment, pair, columns) {
  const means = set.difficulties.map((entry) => `mean ${entry.label} ${format(meanOf(entry, segment), entry.digits)}`);
  const hard = set.thresholds.map((one) => (
    `difficult (▲) under ${one.weighting} for ${countHard(one, segment)} of ${set.systems.length} systems`));
  const where = [nameOf(set.domains, segment), nameOf(set.documents, segment)].filter(Boolean);
  const encoder = set.tokens_of, text = (label, language, name, nodes) => make("div", { class: `text ${name}` },
    make("span", { class: "label" }, label), make("div", { class: "words", lang: language, dir: "auto" }, ...nodes));
  const dark = encoder && `; the stronger a token’s colour, the higher its ${encoder.difficulty}; bold are the set’s 10 % most `
    + `difficult (encoder: ${encoder.name})`;
  const reference = text(`Reference${dark || ""}`, set.target_language, "reference", referenceNodes(segment));
  const hint = "Point at a chunk, or tap it, to see its counterpart in the reference; arrow keys move on.";
  if (set.links) reference.append(make("div", { class: "counterpart", role: "status" }, hint));
  const link = { class: "anchor", href: `#segment=${segment + 1}`, "aria-label": `Link to segment ${segment + 1}` };
  return [make("h3", {}, `Segment ${segment + 1} `, make("a", link, "#")),
    make("p", { class: "quiet" }, [...where, ...means, ...hard].join("; ")),
    sourceOf(segment) ? text("Source", set.source_language, "source", [sourceOf(segment)]) : null,
    reference,
    hypothesisTable(segment, pair || set.systems.map((_, at) => at), columns, Boolean(pair))].filter(Boolean);
}

const countHard = ({ hard }, segment) => hard[segment].replaceAll("0", "").length;

/** Light a chunk and its counterpart, on hover, tap and focus; arrow keys walk from chunk to chunk. */
function lightCounterparts(passage) {
  const chunks = () => [...passage.querySelectorAll(".chunk")];
  const light = ({ target }) => {
    const chunk = target.closest && target.closest(".chunk");
    if (!chunk) return;
    passage.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
    const places = passage.querySelectorAll(".place"), words = passage.querySelector(".reference .words");
    const counterparts = chunk.dataset.links.split(" ").map((token) => places[token]);
    [chunk, ...counterparts].forEach((one) => one.classList.add("lit"));
    words.scrollTop = counterparts[0].offsetTop - words.offsetTop - words.clientHeight / 2;
    const counterpart = counterparts.map((place) => place.textContent).join(" ");
    passage.querySelector(".counterpart").textContent = (
      `Chunk “${chunk.textContent}” of ${chunk.dataset.system}: its counterpart is “${counterpart}”.`);
    chunks().forEach((one) => { one.tabIndex = one === chunk ? 0 : -1; });
  };
  ["mouseover", "focusin", "click"].forEach((name) => passage.addEventListener(name, light));
  passage.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = chunks().indexOf(event.target);
    if (!step || at < 0) return;
    (chunks()[at + step] || event.target).focus();
    event.preventDefault();
  });
}

/** The segment, from 0, that the address names; -1 for none. */
const addressed = () => Number(new URLSearchParams(location.hash.slice(1)).get("segment")) - 1;

/** Fill the widget; returns what reads the address again. */
function browse(widget) {
  const state = { a: "", b: "", order: "", domain: "", document: "", text: "", at: null };
  const separators = [...(set.human ? [{ label: "human score", entry: set.human, sign: 1 }] : []),
    ...set.columns.map((entry) => ({ label: entry.label, entry, sign: entry.higher ? 1 : -1 }))];
  const list = make("div", region("Segments to choose from", "scroll tall segment-list"));
  const passage = make("article", { class: "passage" });
  const count = make("output", { "aria-live": "polite" }), orderBy = make("select"), sorted = make("h3");
  let pair = null, separator = null, order = [], rows = ROWS;

  /** By how much the first system of the pair is better in a segment; NaN where one has no value. */
  function difference(segment) {
    const [a, b] = pair.map((system) => valueOf(separator.entry, segment, system));
    return typeof a === "number" && typeof b === "number" ? separator.sign * (a - b) : NaN;
  }

  /** The pair of systems and the order of the segments, by the state. */
  function arrange() {
    const [a, b] = [state.a, state.b].map((name) => set.systems.indexOf(name));
    pair = a >= 0 && b >= 0 && a !== b ? [a, b] : null;
    const orders = [...(pair ? separators.map(({ label }) => [`difference ${label}`, `difference in ${label}, largest first`])
      : []), ...set.rankings.map(({ name, label }) => [name, label]), ["number", "number"]];
    if (!orders.some(([name]) => name === state.order)) state.order = orders[0][0];
    orderBy.replaceChildren(...options(orders));
    orderBy.value = state.order;
    separator = separators.find(({ label }) => pair && state.order === `difference ${label}`) || null;

    const text = state.text.toLowerCase(), ranking = set.rankings.find(({ name }) => name === state.order);
    order = (ranking ? ranking.order : [...Array(set.total).keys()]).filter((segment) => (
      (!state.domain || nameOf(set.domains, segment) === state.domain)
      && (!state.document || nameOf(set.documents, segment) === state.document)
      && (!text || set.texts[segment].some((one) => one.toLowerCase().includes(text)))));
    if (!separator) return;
    const by = new Map(order.map((segment) => [segment, Math.abs(difference(segment))]));
    order = order.filter((segment) => by.get(segment)).sort((one, two) => by.get(two) - by.get(one));
  }

  /** The columns of the list, [label, text of a segment]; on a phone there is room for the first. */
  function columnsOfList() {
    const difficulties = set.difficulties.map((one) => (
      [`mean ${one.label}`, (segment) => format(meanOf(one, segment), one.digits)]));
    if (separator) {
      const { entry } = separator;
      const of = (system) => (segment) => format(valueOf(entry, segment, system), entry.digits);
      return [["A is better by", (segment) => signed(difference(segment), entry.digits)],
        ...pair.map((system) => [set.systems[system], of(system)]), ...difficulties.slice(0, 1)];
    }
    if (state.order.startsWith("weighting ")) {
      const changes = set.listed.map(({ label, values, digits }) => (
        [label, (segment) => signed(scaled(values[segment], digits))]));
      return [...changes, ...difficulties.slice(0, 1)];
    }
    const hard = set.thresholds.map((one) => (
      [`difficult under ${one.weighting}`, (segment) => `${countHard(one, segment)}/${set.systems.length}`]));
    return [...difficulties, ...hard].slice(0, LISTED);
  }

  function drawList() {
    const columns = columnsOfList();
    const minor = (at) => (at ? "minor" : null);
    const body = order.slice(0, rows).map((segment) => {
      const go = { type: "button", "aria-label": `Segment ${segment + 1}`, onclick: () => show(segment) };
      const begin = (sourceOf(segment) || referenceOf(segment)).slice(0, 90);
      const lang = sourceOf(segment) ? set.source_language : set.target_language;
      return make("tr", { "data-segment": segment },
        make("td", {}, make("button", go, String(segment + 1))),
        make("td", { class: "begin", lang, dir: "auto" }, begin),
        ...columns.map(([, text], at) => make("td", { class: minor(at) }, text(segment))));
    });
    const begins = order.some(sourceOf) ? "source" : "reference";
    const heads = [head("segment"), head(begins), ...columns.map(([label], at) => head(label, "col", minor(at)))];
    const more = () => {
      const first = rows;
      rows += 10 * ROWS;
      drawList();
      list.querySelectorAll("tbody button")[first].focus();
    };
    const parts = [make("thead", {}, row(heads)), make("tbody", {}, ...body)];
    list.replaceChildren(make("table", { class: "plain result" }, ...parts));
    if (order.length > rows) {
      list.append(make("button", { type: "button", onclick: more }, `Show more of the ${order.length} segments`));
    }
    count.textContent = `${order.length} of ${set.total} segments`;
    sorted.textContent = `Segments by ${orderBy.selectedOptions[0].text}`;
    markCurrent();
  }

  /** Mark the row of the segment that is shown. The list is not drawn again: the focus stays in it. */
  function markCurrent() {
    for (const one of list.querySelectorAll("tbody tr")) {
      const current = Number(one.dataset.segment) === state.at;
      if (current) one.setAttribute("aria-current", "true");
      else one.removeAttribute("aria-current");
    }
  }

  /** Show a segment, null for none; a reader's choice goes into the address. */
  function show(segment, write = true) {
    state.at = segment;
    markCurrent();
    const columns = set.columns.filter((one, at) => at < SCORES || one === separator?.entry);
    passage.replaceChildren(...(segment === null ? [make("p", {}, "No segment meets these conditions.")]
      : passageNodes(segment, pair, columns)));
    const first = passage.querySelector(".chunk");
    if (first) first.tabIndex = 0;
    if (write && segment !== null) history.replaceState(null, "", `#segment=${segment + 1}`);
  }

  function control(key, label, element) {
    element.addEventListener("input", () => {
      state[key] = element.value;
      if (key === "a" || key === "b") state.order = ""; // begin with what separates the systems most
      rows = ROWS;
      arrange();
      drawList();
      const keeps = !ORDERING.includes(key) && order.includes(state.at);
      show(keeps ? state.at : order[0] ?? null);
    });
    return make("label", {}, `${label} `, element);
  }
  const select = (key, label, names, none) => (
    control(key, label, make("select", {}, ...options([["", none], ...names.map((name) => [name, name])]))));
  const places = (key, label, of) => (of ? [select(key, label, of.names.filter(Boolean), "any")] : []);
  const step = (by) => () => order.length && show(order[(order.indexOf(state.at) + by + order.length) % order.length]);
  widget.append(make("div", { class: "controls", role: "group", "aria-label": "Choose segments" },
    select("a", "System A", set.systems, "all systems"), select("b", "System B", set.systems, "all systems"),
    control("order", "Order", orderBy), ...places("domain", "Domain", set.domains),
    ...places("document", "Document", set.documents), control("text", "Text", make("input", { type: "search" })),
    make("button", { type: "button", onclick: step(-1) }, "← previous"),
    make("button", { type: "button", onclick: step(1) }, "next →"), count), sorted, list, passage);
  if (set.links) lightCounterparts(passage);

  /** Show the segment of the address; without it, the first one. */
  function follow() {
    const segment = addressed(), known = segment >= 0 && segment < set.total;
    show(known ? segment : order[0] ?? null, false);
    const absent = `There is no segment ${segment + 1}: the segments are 1 to ${set.total}.`;
    if (segment >= 0 && !known) passage.prepend(make("p", {}, absent));
  }
  arrange();
  drawList();
  follow();
  return follow;
}

const widget = document.querySelector(".segments-browser");
if (widget) { // filled when it comes near the window, or when the address asks for it
  let filled = null;
  const near = new IntersectionObserver(([entry]) => entry.isIntersecting && fill(), { rootMargin: "600px" });
  const fill = () => {
    near.disconnect();
    const note = widget.querySelector("[role='status']");
    if (!filled) note.textContent = "Reading the segments …";
    filled ??= readSegments().then((read) => {
      set = read;
      note.remove();
      return browse(widget);
    }).catch((error) => {
      note.textContent = error.message;
      return () => null;
    });
    return filled;
  };
  const follow = () => addressed() >= 0 && fill().then((restore) => {
    restore();
    (widget.querySelector(".passage") || widget).scrollIntoView();
  });
  near.observe(widget);
  addEventListener("hashchange", follow);
  addEventListener("load", follow);
}
