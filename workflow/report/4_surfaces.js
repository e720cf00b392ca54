// Correlations over thresholds and easy weights; and systems against each other.
"use strict";

// In the order in which they are drawn.
const POINTS = { equations: "■", "in force": "●", optimum: "▲" };

function drawSurface(widget) {
  const { quantiles, w, labels, thresholds, values, points, statistics } = data(widget);
  const state = { score: 0, statistic: 0, i: 0, j: 0 };
  const nearest = (axis, value) => axis.reduce((place, one, at) => (Math.abs(one - value) < Math.abs(axis[place] - value) ? at : place), 0);
  const own = points[0].find(([name]) => name === "in force");
  if (own && own[1] !== null) [state.i, state.j] = [nearest(quantiles, own[1]), nearest(w, own[3])];
  const canvas = make("div"), readout = make("div", { class: "readout", role: "status", "aria-live": "polite" });
  const slider = (key, axis) => {
    const input = make("input", { type: "range", min: 0, max: axis.length - 1, value: state[key], oninput: () => { state[key] = Number(input.value); draw(); } });
    return input;
  };
  const [forQuantile, forW] = [slider("i", quantiles), slider("j", w)];
  widget.append(make("div", { class: "controls", role: "group", "aria-label": `What the map of ${widget.dataset.name} shows` },
    choice("Score", labels.map((label, at) => [at, label]), (value) => { state.score = Number(value); draw(); }),
    choice("Statistic", statistics.map(({ symbol }, at) => [at, symbol]), (value) => { state.statistic = Number(value); draw(); }),
    make("label", {}, "quantile ", forQuantile), make("label", {}, "w ", forW)), make("div", { class: "beside" }, canvas, readout), saveSvg(() => canvas.firstChild, "surface"));

  function draw() {
    const h = thresholds[state.score];
    const { symbol, text } = statistics[state.statistic];
    const grid = values[state.score][state.statistic];
    const there = grid.flat().filter((value) => value !== null);
    const [low, high] = there.length ? [Math.min(...there) / 1000, Math.max(...there) / 1000] : [0, 0];
    const width = Math.max(Math.min(canvas.clientWidth, 760), 280), height = width * 0.66;
    const edge = { left: 46, right: 10, top: 8, bottom: 80 };
    const [sx, sy] = [(width - edge.left - edge.right) / quantiles.length, (height - edge.top - edge.bottom) / w.length];
    const x = (value) => edge.left + ((value - quantiles[0]) / (quantiles[quantiles.length - 1] - quantiles[0] || 1)) * sx * (quantiles.length - 1) + sx / 2;
    const y = (value) => height - edge.bottom - (((value - w[0]) / (w[w.length - 1] - w[0] || 1)) * sy * (w.length - 1) + sy / 2);
    const svg = make("svg", { width, height, role: "img", "aria-label": `${symbol} of ${labels[state.score]} by threshold and easy weight, from ${format(low)} to ${format(high)}` });
    const share = (value) => (high > low ? (value / 1000 - low) / (high - low) : 1);
    quantiles.forEach((_, i) => w.forEach((__, j) => svg.append(make("rect", {
      x: (edge.left + i * sx).toFixed(1), y: (height - edge.bottom - (j + 1) * sy).toFixed(1), width: (sx + 0.6).toFixed(1), height: (sy + 0.6).toFixed(1),
      fill: grid[i][j] === null ? "#8a9099" : shade(share(grid[i][j])),
    }))));
    for (const [axis, at, anchor] of [[quantiles, "x", "middle"], [w, "y", "end"]]) {
      for (let k = 0; k <= 4; k += 1) {
        const value = axis[0] + (k / 4) * (axis[axis.length - 1] - axis[0]);
        const where = at === "x" ? { x: x(value), y: height - edge.bottom + 16 } : { x: edge.left - 6, y: y(value) + 4 };
        svg.append(make("text", { ...where, "text-anchor": anchor, class: "quiet-text" }, format(value, 2)));
        if (at === "x") svg.append(make("text", { ...where, y: where.y + 15, "text-anchor": anchor, class: "quiet-text" }, `h ${format(h[nearest(axis, value)], 2)}`));
      }
    }
    svg.append(make("text", { x: width / 2, y: height - edge.bottom + 48, "text-anchor": "middle" }, "quantile of difficulty; h, from which a hypothesis is difficult"),
      make("text", { x: 12, y: height / 2 - 20, "text-anchor": "middle", transform: `rotate(-90 12 ${height / 2 - 20})` }, "w"));
    VIRIDIS.forEach((_, at) => svg.append(make("rect", { x: edge.left + 60 + at * 16, y: height - 16, width: 16.5, height: 10, fill: VIRIDIS[at] })));
    svg.append(make("text", { x: edge.left + 54, y: height - 7, "text-anchor": "end", class: "quiet-text" }, format(low)),
      make("text", { x: edge.left + 66 + 16 * VIRIDIS.length, y: height - 7, class: "quiet-text" }, `${format(high)}; grey: a group is empty`));
    const cursor = [edge.left + state.i * sx, height - edge.bottom - (state.j + 1) * sy];
    svg.append(make("rect", { x: cursor[0], y: cursor[1], width: sx, height: sy, fill: "none", stroke: "#fff", "stroke-width": 3 }),
      make("rect", { x: cursor[0], y: cursor[1], width: sx, height: sy, fill: "none", stroke: "#000", "stroke-width": 1.2 }));
    const named = points[state.score];
    Object.keys(POINTS).forEach((name) => named.filter((point) => point[0] === name).forEach(([, a, , b]) => {
      // The map has fewer cells than the search: an optimum may be a little outside of them.
      const last = quantiles[quantiles.length - 1], step = (last - quantiles[0]) / (quantiles.length - 1 || 1);
      const inside = a !== null && a >= quantiles[0] && a <= last + step && b >= w[0] && b <= w[w.length - 1];
      const size = name === "equations" ? 22 : 16;
      if (inside) svg.append(make("text", { x: x(Math.min(a, last)), y: y(b) + size / 3, "text-anchor": "middle", "font-size": size, style: "fill: #fff", stroke: "#000", "stroke-width": 1.2 }, POINTS[name]));
    }));
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const i = Math.floor((event.clientX - box.left - edge.left) / sx);
      const j = Math.floor((height - edge.bottom - (event.clientY - box.top)) / sy);
      if (i < 0 || j < 0 || i >= quantiles.length || j >= w.length || (i === state.i && j === state.j)) return;
      [state.i, state.j] = [i, j];
      draw();
    });
    canvas.replaceChildren(svg);
    [forQuantile.value, forW.value] = [state.i, state.j];
    forQuantile.setAttribute("aria-valuetext", `${format(quantiles[state.i], 2)}, h ${format(h[state.i], 2)}`);
    forW.setAttribute("aria-valuetext", format(w[state.j], 2));
    const value = grid[state.i][state.j];
    const rows = [["here", quantiles[state.i], h[state.i], w[state.j], value === null ? null : value / 1000],
      ...named.map(([name, ...place]) => [marked(`${POINTS[name] || ""} ${name}`.trim(), false, place[4]), ...place.slice(0, 3), place[3][state.statistic]])];
    readout.replaceChildren(make("table", {}, make("caption", {}, `${labels[state.score]}: ${symbol}, ${text}`),
      make("thead", {}, make("tr", {}, ...["point", "quantile", "h", "w", symbol].map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell, at) => make("td", {}, format(cell, at < 3 ? 2 : 3))))))));
  }
  draw();
  new ResizeObserver(() => draw()).observe(widget);
}

function drawComparisons(widget) {
  const { systems, metrics } = data(widget);
  const box = make("div", { class: "matrix-scroll", role: "region", "aria-label": `Systems of ${widget.dataset.name} against each other` });
  const draw = (at) => {
    const { label, wins, p } = metrics[at];
    const cell = (row, column) => {
      const value = wins[row][column];
      if (row === column || value === null) return make("td", {}, "");
      const sign = value >= 97.5 ? " ●" : value <= 2.5 ? " ○" : "";
      // Blue where the row wins, orange where it loses.
      const colour = value >= 50 ? tint("var(--better)", Math.round((value - 50) * 0.9)) : tint("var(--worse)", Math.round((50 - value) * 0.9));
      return make("td", { role: "gridcell", tabindex: -1, style: `background: ${colour}`, "data-row": row, "data-column": column }, value.toFixed(0) + sign);
    };
    const table = make("table", { class: "matrix", role: "grid", "aria-label": `${label}: wins in percent` },
      make("thead", {}, make("tr", {}, make("td"), ...systems.map((name, k) => make("th", { scope: "col" }, String(k + 1), make("span", { class: "unseen" }, ` ${name}`))))),
      make("tbody", {}, ...systems.map((name, row) => make("tr", {}, make("th", { scope: "row" }, `${row + 1} ${name}`), ...systems.map((_, column) => cell(row, column))))));
    walkable(table, "td[data-row]", ({ dataset: { row, column } }) =>
      `${systems[row]} scores better than ${systems[column]} in ${format(wins[row][column], 1)} % of resamples${p[row][column] === null ? "" : `, one-sided p = ${format(p[row][column])}`}`);
    box.replaceChildren(table);
  };
  widget.append(make("div", { class: "controls" }, choice("Metric", metrics.map(({ label }, at) => [at, label]), (value) => draw(Number(value)))), box);
  draw(0);
}

document.querySelectorAll(".widget.surface").forEach(drawSurface);
document.querySelectorAll(".widget.comparisons").forEach(drawComparisons);
