// All segments of the set: fetched from the file beside the page when a reader comes near them, and
// read by places of segments and systems. What is chosen stands in the address.
"use strict";

const SEGMENTS_FILE = "segments.js";
// What Python takes for white space, which parts tokens that are characters.
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
let receiveSegments = null;
let asked = null;

/** The segments, once they are there; the file is asked for once. */
function askSegments() {
  asked ??= new Promise((resolve, reject) => {
    receiveSegments = resolve;
    const failed = () => reject(new Error(`The texts and numbers of the segments are in ${SEGMENTS_FILE}, which is not beside this page. Keep both files in one folder.`));
    document.head.append(make("script", { src: SEGMENTS_FILE, onerror: failed }));
  }).then(unpack).then((found) => new Segments(found));
  return asked;
}

async function unpack(packed) {
  if (!window.DecompressionStream) throw new Error("This browser is too old to unpack the segments (it lacks DecompressionStream).");
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const parts = []; // the widgets that show segments, in the order of the page

/** Fill a widget with the segments when it comes near the window, or when the address asks for it:
 * by one of its keys, or by a place below it. `draw(widget, found)` gives a function that reads the
 * address again. */
function withSegments(widget, keys, draw) {
  const note = make("p", { class: "quiet", role: "status" }, "Reading the segments …");
  widget.append(note);
  let filled = null;
  const fill = () => {
    near.disconnect();
    filled ??= askSegments().then((found) => {
      note.remove();
      return draw(widget, found);
    }).catch((error) => {
      note.textContent = error.message;
      return () => null;
    });
    return filled;
  };
  const near = new IntersectionObserver(([entry]) => entry.isIntersecting && fill(), { rootMargin: "600px" });
  near.observe(widget);
  parts.push({ section: widget.closest("section"), keys, fill });
}

/** Go where the address says; what stands above is filled first, so that it pushes nothing away. */
function goToAddress() {
  const [first] = readState().keys(), part = parts.find(({ keys }) => keys.includes(first));
  const target = part ? part.section : document.getElementById(decoded(location.hash.slice(1)));
  const above = target ? parts.filter(({ section }) => section.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING || section.contains(target)) : [];
  if (!above.length) return;
  Promise.all(above.map(({ fill }) => fill())).then((restores) => {
    if (part) restores[above.indexOf(part)]();
    ((first === "segment" && target.querySelector(".passage")) || target).scrollIntoView();
  });
}
addEventListener("hashchange", goToAddress);
addEventListener("load", goToAddress);

/** What stands in the address behind its #, as pairs of key and value. */
function readState() {
  const pairs = location.hash.slice(1).split("&").filter((pair) => pair.includes("="));
  return new Map(pairs.map((part) => [part.slice(0, part.indexOf("=")), decoded(part.slice(part.indexOf("=") + 1))]));
}

/** Write pairs into the address, those of this group of keys in place of the former ones. */
function writeState(group, pairs) {
  const kept = [...readState()].filter(([key]) => !group.includes(key));
  const own = group.map((key) => [key, pairs[key]]).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = [...own, ...kept].map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&");
  history.replaceState(null, "", `#${text}`);
}

class Segments {
  constructor(found) {
    Object.assign(this, found);
    this.hypothesisLevel = this.difficulties.filter(({ values }) => values);
    this.places = new Map(this.rankings.map(({ name, order }) => [name, new Map(order.map((segment, at) => [segment, at + 1]))]));
  }

  /** A number of an entry with `digits`; an infinite one is a text, an unknown one null. */
  scaled(value, digits) {
    return typeof value === "number" ? value / 10 ** digits : value;
  }

  /** The score, difficulty or human score of a system's hypothesis. */
  value(entry, segment, system) {
    return this.scaled(entry.values[segment * this.systems.length + system], entry.digits);
  }

  mean({ means, digits }, segment) {
    return this.scaled(means[segment], digits);
  }

  source(segment) { return this.texts[segment][0]; }

  reference(segment) { return this.texts[segment][1]; }

  hypothesis(segment, system) { return this.texts[segment][2 + system]; }

  /** Where a segment comes from, in words. */
  where(segment) {
    return [this.domains, this.documents].filter(Boolean).map(({ names, of }) => names[of[segment]]).filter(Boolean).join(", ");
  }

  /** The places [start, end) of a text's tokens, in characters; of a text split into characters. */
  tokens(characters) {
    const words = this.units === "words", spans = [];
    let open = false;
    characters.forEach((character, at) => {
      const blank = words ? character === " " || character === "\t" : BLANK.test(character);
      if (blank) open = false;
      else if (open && words) spans[spans.length - 1][1] = at + 1;
      else {
        spans.push([at, at + 1]);
        open = true;
      }
    });
    return spans;
  }

  /** For every token of a hypothesis the place of its reference token, -1 for none. */
  linksOf(segment, system) {
    return this.links ? [...this.links.links[segment][system]].map((character) => character.codePointAt(0) - 49) : [];
  }

  /** The chunks of a hypothesis: first and last token, reference tokens, and the order of these. */
  chunks(segment, system) {
    const chunks = [];
    let open = false;
    this.linksOf(segment, system).forEach((link, token) => {
      if (link < 0) open = false;
      else if (open) {
        chunks[chunks.length - 1].last = token;
        chunks[chunks.length - 1].links.push(link);
      } else {
        chunks.push({ first: token, last: token, links: [link] });
        open = true;
      }
    });
    const start = ({ links }) => Math.min(...links);
    [...chunks].sort((a, b) => start(a) - start(b)).forEach((chunk, at) => { chunk.order = at + 1; });
    return chunks;
  }

  /** The ratings of a hypothesis: rater, and errors with texts for their severity and category. */
  ratings(segment, system) {
    if (!this.errors) return [];
    const { raters, severities, categories, of } = this.errors;
    return of[segment].filter(([place]) => place === system).map(([, rater, errors]) => ({
      rater: raters[rater],
      errors: errors.map(([start, end, severity, category, inSource]) => ({ start, end, severity: severities[severity], category: categories[category], inSource: Boolean(inSource) })),
    }));
  }
}
