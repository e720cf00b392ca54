// A segment's texts: chunks and their counterparts in the reference, errors, words that differ.
"use strict";

/** Characters from `from` to `to` as nodes, cut where layers { start, end, name, style } begin and end. */
function layered(characters, from, to, layers) {
  const inside = layers.filter(({ start, end }) => start < to && end > from);
  const cuts = [...new Set([from, to, ...inside.flatMap(({ start, end }) => [Math.max(start, from), Math.min(end, to)])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, at) => {
    const text = characters.slice(start, cuts[at + 1]).join("");
    const own = inside.filter((layer) => layer.start <= start && layer.end > start);
    if (!own.length) return text;
    const style = own.map((layer) => layer.style).filter(Boolean).join(";");
    return make("span", { class: own.map(({ name }) => name).join(" "), style: style || null }, text);
  });
}

/** A text as nodes; `outer` are spans { start, end, attributes } that do not overlap. */
function nested(characters, outer, layers) {
  const nodes = [];
  let place = 0;
  for (const { start, end, attributes } of outer) {
    nodes.push(...layered(characters, place, start, layers), make("span", attributes, ...layered(characters, start, end, layers)));
    place = end;
  }
  return [...nodes, ...layered(characters, place, characters.length, layers)];
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
/** The style that gives a part its colours: the places, 0 to 1, of its first and last counterpart. */
function placed(links, tokens) {
  const share = (link) => (link / Math.max(tokens - 1, 1)).toFixed(3);
  return `--from: ${share(Math.min(...links))}; --to: ${share(Math.max(...links))}`;
}

/** The reference in tokens, each in the colour of its place; the darker, the more difficult. */
function referenceNodes(found, segment) {
  const characters = [...found.reference(segment)], spans = found.tokens(characters), layers = [];
  if (found.tokens_of) {
    const { of, low, high, hard } = found.tokens_of;
    let place = 0;
    for (let at = 0; at < of[segment].length; at += 2) {
      const [length, value] = of[segment].slice(at, at + 2);
      if (value !== null) {
        const share = Math.min(Math.max((value - low) / (high - low || 1), 0), 1);
        layers.push({ start: place, end: place + length, name: value >= hard ? "token hard" : "token", style: `--share: ${share.toFixed(2)}`, value });
      }
      place += length;
    }
  }
  if (!found.links) return nested(characters, [], layers);
  return nested(characters, spans.map(([start, end], at) => {
    const values = layers.filter((layer) => layer.start < end && layer.end > start).map(({ value }) => value / 100);
    return { start, end, attributes: { class: "place", tabindex: -1, "data-token": at, "data-difficulty": values.length ? Math.max(...values) : null, style: placed([at], spans.length) } };
  }), layers);
}

/** A hypothesis in chunks, each in the colour of its counterpart's place, with errors and words that differ. */
function hypothesisNodes(found, segment, system, differing = []) {
  const characters = [...found.hypothesis(segment, system)];
  if (!characters.length) return ["(empty)"];
  const spans = found.tokens(characters), size = found.tokens([...found.reference(segment)]).length;
  const layers = found.ratings(segment, system).flatMap(({ errors }) => errors.filter(({ inSource }) => !inSource)
    .map(({ start, end, severity }) => ({ start, end: Math.max(end, start + 1), name: `error error-${slug(severity)}` })));
  layers.push(...differing.map((token) => ({ start: spans[token][0], end: spans[token][1], name: "differs" })));
  const chunks = found.chunks(segment, system);
  const outer = chunks.map(({ first, last, links, order }, at) => ({ start: spans[first][0], end: spans[last][1], attributes: {
    class: at && order < chunks[at - 1].order ? "chunk back" : "chunk", tabindex: -1, "data-links": [...new Set(links)].join(" "),
    "data-order": chunks.length > 1 ? order : null, style: placed(links, size) } }));
  return nested(characters, outer, layers);
}

/** What raters marked in a hypothesis, in words; null where nobody rated it. */
function errorList(found, segment, system) {
  const ratings = found.ratings(segment, system);
  if (!ratings.length) return null;
  const items = ratings.flatMap(({ rater, errors }) => {
    if (!errors.length) return [make("li", {}, `no errors (${rater})`)];
    return errors.map(({ start, end, severity, category, inSource }) => {
      const text = [...(inSource ? found.source(segment) : found.hypothesis(segment, system))].slice(start, end).join("");
      const kind = [severity, category, inSource ? "in the source" : ""].filter(Boolean).join(", ");
      return make("li", {}, make("span", { class: `error error-${slug(severity)}` }, text || "(no text)"), ` ${kind} (${rater})`);
    });
  });
  return make("ul", { class: "errors" }, ...items);
}

/** Systems' hypotheses of a segment with their numbers; `differing` has tokens by system. */
function hypothesisTable(found, segment, systems, columns, differing = new Map()) {
  const human = found.human && systems.some((system) => found.value(found.human, segment, system) !== null);
  const said = found.links ? `hypothesis, its chunks (${found.links.label}) in boxes` : "hypothesis";
  const heads = ["system", said, ...found.hypothesisLevel.map(({ label }) => label), ...(human ? ["human"] : []), ...columns.map(({ label }) => label)];
  const number = (label, value, digits) => make("td", { class: "n", "data-label": label }, format(value, digits));
  const rows = systems.map((system) => make("tr", {}, make("th", { scope: "row" }, found.systems[system]),
    make("td", { class: "said" }, make("span", { lang: found.target_language, dir: "auto" }, ...hypothesisNodes(found, segment, system, differing.get(system))), errorList(found, segment, system)),
    ...found.hypothesisLevel.map((entry) => {
      const cell = number(entry.label, found.value(entry, segment, system), entry.digits);
      const under = found.thresholds.filter(({ difficulty, hard }) => found.difficulties[difficulty] === entry && hard[segment][system] === "1");
      if (under.length) cell.append(make("span", { class: "hard-flag" }, " ▲", make("span", { class: "unseen" }, ` difficult under ${under.map(({ weighting }) => weighting).join(", ")}`)));
      return cell;
    }),
    ...(human ? [number("human", found.value(found.human, segment, system), found.human.digits)] : []),
    ...columns.map((column) => number(column.label, found.value(column, segment, system), column.digits))));
  return make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": `Hypotheses of segment ${segment + 1}` }, make("table", { class: "hypotheses" },
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows)));
}

/** A segment's source and reference, and a line that says what is lit. */
function originals(found, segment) {
  const text = (label, language, name, ...nodes) => make("div", { class: `text ${name}` }, make("span", { class: "label" }, label), make("div", { class: "words", lang: language, dir: "auto" }, ...nodes));
  const encoder = found.tokens_of;
  const label = encoder ? `Reference; the darker a token, the higher its ${encoder.difficulty}; bold are the set’s 10 % most difficult (encoder: ${encoder.name})` : "Reference";
  const reference = text(label, found.target_language, "reference", ...referenceNodes(found, segment));
  if (found.links) reference.append(make("div", { class: "counterpart", role: "status" }, "Point at a chunk, or tap it, to see its counterpart in the reference; arrow keys move on."));
  return [found.source(segment) ? text("Source", found.source_language, "source", found.source(segment)) : null, reference].filter(Boolean);
}

/** Light a chunk and its counterpart, on hover and focus; arrow keys walk from one to the next. */
function lightCounterparts(box) {
  const selector = ".chunk, .place";
  const all = () => [...box.querySelectorAll(selector)];
  const linksOf = ({ dataset }) => (dataset.links ? dataset.links.split(" ") : []);
  const light = (one) => {
    box.querySelectorAll(".lit").forEach((other) => other.classList.remove("lit"));
    const places = [...box.querySelectorAll(".place")], chunks = [...box.querySelectorAll(".chunk")];
    const line = box.querySelector(".counterpart");
    one.classList.add("lit");
    if (one.matches(".chunk")) {
      const counterparts = linksOf(one).map((token) => places[token]);
      counterparts.forEach((place) => place.classList.add("lit"));
      const text = box.querySelector(".reference .words");
      text.scrollTop = counterparts[0].offsetTop - text.offsetTop - text.clientHeight / 2;
      const words = [...counterparts].sort((a, b) => a.dataset.token - b.dataset.token).map((place) => place.textContent);
      const order = one.dataset.order ? `, no. ${one.dataset.order} in the order of the reference` : "";
      line.textContent = `Chunk “${one.textContent}” of ${one.closest("tr").cells[0].textContent}: its counterpart is “${words.join(" ")}”${order}.`;
    } else {
      const own = chunks.filter((chunk) => linksOf(chunk).includes(one.dataset.token));
      own.forEach((chunk) => chunk.classList.add("lit"));
      const difficulty = one.dataset.difficulty ? ` Its difficulty is ${format(Number(one.dataset.difficulty), 2)}.` : "";
      line.textContent = `Token “${one.textContent}” of the reference: ${own.length} of ${box.querySelectorAll(".said").length} hypotheses have a counterpart.${difficulty}`;
    }
  };
  const event = ({ target }) => {
    const one = target.closest && target.closest(selector);
    if (one) light(one);
  };
  ["mouseover", "focusin", "click"].forEach((name) => box.addEventListener(name, event));
  box.addEventListener("focusin", ({ target }) => {
    if (target.matches(selector)) all().forEach((one) => { one.tabIndex = one === target ? 0 : -1; });
  });
  box.addEventListener("keydown", (pressed) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[pressed.key], at = all().indexOf(pressed.target);
    if (!step || at < 0) return;
    const next = all()[at + step];
    if (next) next.focus();
    pressed.preventDefault();
  });
  const first = box.querySelector(".chunk") || box.querySelector(".place");
  if (first) first.tabIndex = 0;
}
