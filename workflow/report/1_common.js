// What every part of the page shares: elements, colours, tips, and grids that arrow keys walk.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
// Colours, and the labels of weightings.
const STYLES = JSON.parse(document.getElementById("styles").textContent);
// Of series, by the style sheet, for light and dark; `tint` makes them lighter.
const COLOURS = STYLES.colours.map((_, place) => `var(--c${place})`);
const tint = (colour, percent) => `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
const VIRIDIS = ["#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];

/** An element with attributes and children; texts are never parsed as HTML. */
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "rect", "circle", "text", "polyline", "title"].includes(name);
  const element = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A part of an address; a broken one as it stands. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function format(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value; // an infinite number
  return value.toFixed(digits).replace("-", "−");
}

/** A name, with marks where what it names is made with human scores. */
function marked(text, usesGold, tuned = false) {
  return text + (tuned ? STYLES.tuned : "") + (usesGold ? ` (${STYLES.gold})` : "");
}

function signed(value, digits = 4) {
  if (value === null) return "–";
  const rounded = Number(value.toFixed(digits)) || 0; // no minus before zero
  return (rounded > 0 ? "+" : "") + format(rounded, digits);
}

/** Colour of a share from 0 to 1 on a scale. */
function shade(share, scale = VIRIDIS) {
  const place = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const low = Math.min(Math.floor(place), scale.length - 2);
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const [from, to] = [parts(scale[low]), parts(scale[low + 1])];
  return `rgb(${from.map((part, i) => Math.round(part + (place - low) * (to[i] - part))).join(" ")})`;
}

function data(widget) {
  return JSON.parse(widget.querySelector("script").textContent);
}

/** A labelled select; `options` are [value, text]. */
function choice(label, options, change) {
  const select = make("select", { onchange: () => change(select.value) });
  select.append(...options.map(([value, text]) => make("option", { value }, text)));
  return make("label", {}, label + " ", select);
}

function checkbox(text, checked, change, ...more) {
  const input = make("input", { type: "checkbox", checked, onchange: () => change(input.checked) });
  return make("label", {}, input, ...more.filter((part) => part instanceof Node), text);
}

/** What a reader chose, kept in the address, so that it can be cited: `?name=value`. */
const address = {
  read: (name) => new URLSearchParams(location.search).get(name),
  write(name, value) {
    const asked = new URLSearchParams(location.search);
    if (value === null) asked.delete(name);
    else asked.set(name, value);
    const text = asked.toString();
    history.replaceState(null, "", `${location.pathname}${text && "?"}${text}${location.hash}`);
  },
};

function save(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// What the style sheet says of an SVG's elements, which a file of its own lacks.
const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font", "text-anchor"];

/** A button that saves an SVG of the page as a file; `svg` gives the one that is shown. */
function saveSvg(svg, name) {
  const write = () => {
    const shown = svg(), copy = shown.cloneNode(true);
    const [all, copies] = [shown, copy].map((one) => [one, ...one.querySelectorAll("*")]);
    all.forEach((element, at) => {
      const style = getComputedStyle(element);
      copies[at].setAttribute("style", PAINT.map((key) => `${key}:${style.getPropertyValue(key)}`).join(";"));
    });
    copy.setAttribute("xmlns", SVG);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    save(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
  };
  return make("button", { type: "button", class: "save", onclick: write }, "Save as SVG");
}

const tip = document.getElementById("tip");

function showTip(element, text) {
  tip.textContent = text;
  tip.hidden = !text;
  const place = element.getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(left, 4) + window.scrollX}px`;
  tip.style.top = `${place.bottom + window.scrollY + 6}px`;
}

function hideTip() {
  tip.hidden = true;
}
document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());

/** Show `text(cell)` beside cells, on hover and focus; arrow keys walk from cell to cell. */
function walkable(table, selector, text) {
  const cells = () => [...table.querySelectorAll(selector)];
  const first = cells()[0];
  if (!first) return;
  first.tabIndex = 0;
  const show = (event) => {
    const cell = event.target.closest(selector);
    if (cell) showTip(cell, text(cell));
  };
  table.addEventListener("mouseover", show);
  table.addEventListener("focusin", (event) => {
    show(event);
    cells().forEach((cell) => { cell.tabIndex = cell === event.target ? 0 : -1; });
  });
  table.addEventListener("mouseleave", hideTip);
  table.addEventListener("focusout", hideTip);
  table.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const from = event.target.closest(selector);
    if (!step || !from) return;
    const rows = [...table.rows];
    let [row, column] = [rows.indexOf(from.parentNode), from.cellIndex];
    let next = null;
    do {
      row += step[0];
      column += step[1];
      next = rows[row] && rows[row].cells[column];
    } while (next && !next.matches(selector));
    if (next) next.focus();
    event.preventDefault();
  });
}

// On paper, everything is open.
let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((details) => { details.open = true; });
});
window.addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));

// Parts have links of their own, to be cited.
for (const heading of document.querySelectorAll("main h2, main h3, main h4")) {
  const id = heading.parentNode.matches("section[id]") ? heading.parentNode.id : heading.id;
  if (id) heading.append(" ", make("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to ${heading.textContent}` }, "#"));
}
for (const shown of document.querySelectorAll("figure.saved")) {
  const name = shown.dataset.name;
  const svg = () => [...shown.querySelectorAll("svg")].find((one) => one.getBoundingClientRect().width);
  shown.append(shown.querySelector("svg") ? saveSvg(svg, name)
    : make("a", { class: "save", href: shown.querySelector("img").src, download: `${name}.svg` }, "Save as SVG"));
}

// The contents show where one is.
const links = new Map([...document.querySelectorAll(".contents a[href^='#']")].map((a) => [a.hash.slice(1), a]));
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    links.forEach((link) => link.removeAttribute("aria-current"));
    links.get(entry.target.id).setAttribute("aria-current", "true");
  }
}, { rootMargin: "-10% 0px -80% 0px" });
links.forEach((_, id) => { if (document.getElementById(id)) seen.observe(document.getElementById(id)); });
