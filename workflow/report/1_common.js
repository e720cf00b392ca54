// What every part of the page shares: elements, colours, tips, and grids that arrow keys walk.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
// Colours, and the labels of weightings.
const STYLES = JSON.parse(document.getElementById("styles").textContent);
const COLOURS = STYLES.colours;
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

function checkbox(text, checked, change, title = null, ...more) {
  const input = make("input", { type: "checkbox", checked, onchange: () => change(input.checked) });
  return make("label", { title }, input, ...more, text);
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
