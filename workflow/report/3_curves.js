// Correlations over the K best systems, with intervals where they are known.
"use strict";

const LINE = 1.8; // pixels; dashes are given in widths of their line

function marker(index, x, y, colour, filled) {
  const shapes = ["o", "s", "^", "D", "v"];
  const shape = shapes[index % shapes.length];
  const look = { fill: filled ? colour : null, class: filled ? null : "halo", stroke: colour, "stroke-width": 1.4 };
  if (shape === "o") return make("circle", { cx: x, cy: y, r: 3.2, ...look });
  const paths = { s: "m-3-3h6v6h-6z", "^": "m0-4l4 7h-8z", D: "m0-4l4 4l-4 4l-4-4z", v: "m0 4l4-7h-8z" };
  return make("path", { d: `M${x} ${y}${paths[shape]}`, ...look });
}

/** The ends of an axis that holds all values, and the step of its ticks; what is between −1 and 1 has an axis that ends at 1. */
function axisOf(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least >= -1 && most <= 1) return { low: Math.max(Math.floor(Math.min(least, 0.8) * 5) / 5, -1), high: 1, step: 0.2 };
  const wanted = (most - least || Math.abs(most)) / 6, power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= wanted);
  const low = Math.floor(least / step);
  return { low: low * step, high: Math.max(Math.ceil(most / step), low + 1) * step, step };
}

function drawCurves(widget) {
  const { sizes, series, statistics } = data(widget);
  const metrics = [...new Set(series.map((one) => one.metric))];
  const weightings = STYLES.weightings.filter(({ name }) => series.some((one) => one.weighting === name));
  const initial = weightings.filter(({ shown }) => shown).map(({ name }) => name);
  const state = { statistic: statistics[0], at: 0, metrics: new Set(metrics.slice(0, 4)), weightings: new Set(initial) };
  const look = (one) => {
    const index = metrics.indexOf(one.metric);
    const { dash, filled } = weightings.find(({ name }) => name === one.weighting) || { dash: [], filled: true };
    return { index, colour: COLOURS[index % COLOURS.length], dash: dash.map((length) => (length * LINE).toFixed(1)).join(" "), filled };
  };
  const swatch = (one) => {
    const { index, colour, dash, filled } = look(one);
    return make("svg", { class: "swatch", viewBox: "0 0 34 12", "aria-hidden": "true" },
      make("line", { x1: 0, x2: 34, y1: 6, y2: 6, stroke: colour, "stroke-width": LINE, "stroke-dasharray": dash }), marker(index, 17, 6, colour, filled));
  };
  const shown = () => series.filter((one) => state.metrics.has(one.metric) && state.weightings.has(one.weighting));
  const canvas = make("div");
  const readout = make("div", { class: "readout", role: "status", "aria-live": "polite" });
  const toggle = (set, name) => (on) => { set[on ? "add" : "delete"](name); draw(); };
  const slider = make("input", { type: "range", min: 0, max: sizes.length - 1, value: state.at, oninput: () => { state.at = Number(slider.value); draw(); } });
  const controls = make("div", { class: "controls", role: "group", "aria-label": `What the chart of ${widget.dataset.name} shows` },
    choice("Statistic", statistics.map(({ symbol }, at) => [at, symbol]), (at) => { state.statistic = statistics[at]; draw(); }),
    make("fieldset", {}, make("legend", {}, "Metrics"), ...metrics.map((metric) => checkbox(metric, state.metrics.has(metric), toggle(state.metrics, metric), null, swatch({ metric, weighting: "" })))),
    make("fieldset", {}, make("legend", {}, "Weightings"), ...weightings.map(({ name, uses_gold, tuned }) =>
      checkbox(marked(name, uses_gold, tuned), state.weightings.has(name), toggle(state.weightings, name), null))),
    make("label", {}, "K ", slider));

  function draw() {
    const width = Math.max(canvas.clientWidth, 280), height = Math.min(Math.max(width * 0.55, 260), 420);
    const edge = { left: 46, right: 14, top: 12, bottom: 42 };
    const x = (at) => edge.left + (sizes.length > 1 ? at / (sizes.length - 1) : 0.5) * (width - edge.left - edge.right);
    const { name, symbol, text } = state.statistic;
    const intervals = (one) => Object.entries(one.intervals[name] || {}).map(([size, ends]) => [sizes.indexOf(Number(size)), ...ends]).filter(([at]) => at >= 0);
    const { low, high, step } = axisOf([...series.flatMap((one) => one[name]), ...shown().flatMap((one) => intervals(one).flatMap(([, ...ends]) => ends))].filter((value) => value !== null));
    const y = (value) => edge.top + ((high - value) / (high - low)) * (height - edge.top - edge.bottom);
    const svg = make("svg", { width, height, role: "img", "aria-label": `${symbol} for the K best systems; the numbers are in the table below` });
    for (let tick = high; tick >= low - step / 20; tick -= step) {
      svg.append(make("line", { x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick), class: Math.abs(tick) < step / 20 ? "grid zero" : "grid" }),
        make("text", { x: edge.left - 8, y: y(tick) + 4, "text-anchor": "end", class: "quiet-text" }, format(tick + step / 1e6, Math.max(0, -Math.floor(Math.log10(step))))));
    }
    const every = Math.ceil((sizes.length * 30) / width);
    sizes.forEach((size, at) => {
      if (at % every === 0) svg.append(make("text", { x: x(at), y: height - 22, "text-anchor": "middle", class: "quiet-text" }, String(size)));
    });
    svg.append(make("text", { x: (edge.left + width) / 2, y: height - 4, "text-anchor": "middle" }, "K best systems by human score"));
    svg.append(make("line", { x1: x(state.at), x2: x(state.at), y1: edge.top, y2: height - edge.bottom, class: "cursor" }));
    shown().forEach((one, place) => {
      // Side by side, so that none hides another; the first sizes stand at the edge.
      const beside = (place - (shown().length - 1) / 2) * Math.min(5, 40 / shown().length);
      for (const [at, bottom, top] of intervals(one)) {
        const where = Math.max(x(at) + beside, edge.left + 2 + place * 2);
        svg.append(make("line", { x1: where, x2: where, y1: y(bottom), y2: y(top), class: "whisker", stroke: look(one).colour }));
      }
    });
    for (const one of shown()) {
      const { index, colour, dash, filled } = look(one);
      // Where a value is missing, the line has a gap.
      let path = "", open = false;
      one[name].forEach((value, at) => {
        if (value !== null) path += `${open ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
        open = value !== null;
      });
      svg.append(make("path", { d: path, fill: "none", stroke: colour, "stroke-width": LINE, "stroke-dasharray": dash }));
      one[name].forEach((value, at) => { if (value !== null) svg.append(marker(index, x(at), y(value), colour, filled)); });
    }
    svg.addEventListener("pointermove", (event) => {
      const share = (event.clientX - svg.getBoundingClientRect().left - edge.left) / (width - edge.left - edge.right);
      const at = Math.min(Math.max(Math.round(share * (sizes.length - 1)), 0), sizes.length - 1);
      if (at === state.at) return;
      state.at = at;
      draw();
    });
    canvas.replaceChildren(svg);
    slider.value = state.at;
    slider.setAttribute("aria-valuetext", `${sizes[state.at]} best systems`);
    const interval = (one) => {
      const ends = (one.intervals[name] || {})[sizes[state.at]];
      return ends ? `${format(ends[0])} to ${format(ends[1])}` : "";
    };
    const order = shown().map((one) => [one, one[name][state.at]]).sort((a, b) => (b[1] ?? -Infinity) - (a[1] ?? -Infinity));
    readout.replaceChildren(make("table", {}, make("caption", {}, `K = ${sizes[state.at]}${state.at ? "" : " (all systems)"}: ${symbol}, ${text}; 95 % interval where there is one`),
      make("tbody", {}, ...order.map(([one, value]) => make("tr", {}, make("td", {}, swatch(one)), make("th", { scope: "row" }, one.label), make("td", {}, format(value)), make("td", { class: "quiet" }, interval(one)))))));
  }
  const numbers = make("details", { ontoggle: () => numbers.open && numbers.children.length < 2 && numbers.append(table()) }, make("summary", {}, "The same as a table"));

  /** All values of all series, which the chart shows some of. */
  function table() {
    const rows = ({ name, symbol }) => series.map((one) => make("tr", {}, make("th", { scope: "row" }, one.label), make("td", { class: "t" }, symbol), ...one[name].map((value) => make("td", {}, format(value)))));
    return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Top-K correlations of ${widget.dataset.name}` }, make("table", { class: "plain result dense" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "K"), make("td"), ...sizes.map((size) => make("th", { scope: "col" }, String(size))))),
      ...statistics.map((statistic) => make("tbody", {}, ...rows(statistic)))));
  }

  widget.append(controls, make("div", { class: "beside" }, canvas, readout), saveSvg(() => canvas.firstChild, "top_k"), numbers);
  draw();
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - canvas.firstChild.getAttribute("width")) > 1) draw();
  }).observe(canvas);
}

document.querySelectorAll(".widget.curves").forEach(drawCurves);
