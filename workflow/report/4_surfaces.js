// Correlations over h and w; and systems against each other.

// In the order in which they are drawn.
const POINTS = { equations: "■", "in force": "●", optimum: "▲" };

function drawSurface(widget) {
  const { h, w, metrics, labels, values, points } = data(widget);
  const names = Object.keys(STATISTICS);
  const state = { metric: 0, statistic: 0, i: 0, j: 0 };
  const nearest = (axis, value) => axis.reduce((place, one, at) => (Math.abs(one - value) < Math.abs(axis[place] - value) ? at : place), 0);
  const own = points[0].find(([name]) => name === "in force");
  if (own && own[1] !== null) [state.i, state.j] = [nearest(h, own[1]), nearest(w, own[2])];
  const canvas = make("div"), readout = make("div", { class: "readout", role: "status", "aria-live": "polite" });
  const slider = (key, axis) => {
    const input = make("input", { type: "range", min: 0, max: axis.length - 1, value: state[key], oninput: () => { state[key] = Number(input.value); draw(); } });
    return input;
  };
  const [forH, forW] = [slider("i", h), slider("j", w)];
  widget.append(make("div", { class: "controls", role: "group", "aria-label": `What the map of ${widget.dataset.name} shows` },
    choice("Metric", metrics.map((name, at) => [at, name]), (value) => { state.metric = Number(value); draw(); }),
    choice("Statistic", names.map((name, at) => [at, AXES[name]]), (value) => { state.statistic = Number(value); draw(); }),
    make("label", {}, "h ", forH), make("label", {}, "w ", forW)), make("div", { class: "beside" }, canvas, readout));

  function draw() {
    const grid = values[state.metric][state.statistic];
    const there = grid.flat().filter((value) => value !== null);
    const [low, high] = there.length ? [Math.min(...there) / 1000, Math.max(...there) / 1000] : [0, 0];
    const width = Math.max(Math.min(canvas.clientWidth, 640), 280), height = width * 0.66;
    const edge = { left: 46, right: 10, top: 8, bottom: 64 };
    const [sx, sy] = [(width - edge.left - edge.right) / h.length, (height - edge.top - edge.bottom) / w.length];
    const x = (value) => edge.left + ((value - h[0]) / (h[h.length - 1] - h[0] || 1)) * sx * (h.length - 1) + sx / 2;
    const y = (value) => height - edge.bottom - (((value - w[0]) / (w[w.length - 1] - w[0] || 1)) * sy * (w.length - 1) + sy / 2);
    const svg = make("svg", { width, height, role: "img", "aria-label": `${AXES[names[state.statistic]]} of ${labels[state.metric]} by h and w, from ${format(low)} to ${format(high)}` });
    const share = (value) => (high > low ? (value / 1000 - low) / (high - low) : 1);
    h.forEach((_, i) => w.forEach((__, j) => svg.append(make("rect", {
      x: (edge.left + i * sx).toFixed(1), y: (height - edge.bottom - (j + 1) * sy).toFixed(1), width: (sx + 0.6).toFixed(1), height: (sy + 0.6).toFixed(1),
      fill: grid[i][j] === null ? "#eceef0" : shade(share(grid[i][j])),
    }))));
    for (const [axis, at, anchor] of [[h, "x", "middle"], [w, "y", "end"]]) {
      for (let k = 0; k <= 4; k += 1) {
        const value = axis[0] + (k / 4) * (axis[axis.length - 1] - axis[0]);
        const where = at === "x" ? { x: x(value), y: height - edge.bottom + 16 } : { x: edge.left - 6, y: y(value) + 4 };
        svg.append(make("text", { ...where, "text-anchor": anchor, fill: "#5b6169" }, format(value, 2)));
      }
    }
    svg.append(make("text", { x: width / 2, y: height - edge.bottom + 32, "text-anchor": "middle" }, "h, entropy from which a hypothesis is difficult"),
      make("text", { x: 12, y: height / 2 - 20, "text-anchor": "middle", transform: `rotate(-90 12 ${height / 2 - 20})` }, "w"));
    VIRIDIS.forEach((_, at) => svg.append(make("rect", { x: edge.left + 60 + at * 16, y: height - 16, width: 16.5, height: 10, fill: VIRIDIS[at] })));
    svg.append(make("text", { x: edge.left + 54, y: height - 7, "text-anchor": "end", fill: "#5b6169" }, format(low)),
      make("text", { x: edge.left + 66 + 16 * VIRIDIS.length, y: height - 7, fill: "#5b6169" }, `${format(high)}; grey: a group is empty`));
    const cursor = [edge.left + state.i * sx, height - edge.bottom - (state.j + 1) * sy];
    svg.append(make("rect", { x: cursor[0], y: cursor[1], width: sx, height: sy, fill: "none", stroke: "#fff", "stroke-width": 3 }),
      make("rect", { x: cursor[0], y: cursor[1], width: sx, height: sy, fill: "none", stroke: "#000", "stroke-width": 1.2 }));
    const named = points[state.metric];
    Object.keys(POINTS).forEach((name) => named.filter((point) => point[0] === name).forEach(([, a, b]) => {
      const inside = a !== null && a >= h[0] && a <= h[h.length - 1] && b >= w[0] && b <= w[w.length - 1];
      const size = name === "equations" ? 22 : 16;
      if (inside) svg.append(make("text", { x: x(a), y: y(b) + size / 3, "text-anchor": "middle", "font-size": size, fill: "#fff", stroke: "#000", "stroke-width": 1.2 }, POINTS[name], make("title", {}, name)));
    }));
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const i = Math.floor((event.clientX - box.left - edge.left) / sx);
      const j = Math.floor((height - edge.bottom - (event.clientY - box.top)) / sy);
      if (i < 0 || j < 0 || i >= h.length || j >= w.length || (i === state.i && j === state.j)) return;
      [state.i, state.j] = [i, j];
      draw();
    });
    canvas.replaceChildren(svg);
    [forH.value, forW.value] = [state.i, state.j];
    forH.setAttribute("aria-valuetext", format(h[state.i], 2));
    forW.setAttribute("aria-valuetext", format(w[state.j], 2));
    const value = grid[state.i][state.j];
    const rows = [["here", h[state.i], w[state.j], value === null ? null : value / 1000],
      ...named.map(([name, a, b, of]) => [`${POINTS[name] || ""} ${name}`.trim(), a, b, of[state.statistic]])];
    readout.replaceChildren(make("table", {}, make("caption", {}, `${labels[state.metric]}, ${AXES[names[state.statistic]]}`),
      make("thead", {}, make("tr", {}, ...["", "h", "w", STATISTICS[names[state.statistic]]].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.map(([name, a, b, c]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, format(a, 2)), make("td", {}, format(b, 2)), make("td", {}, format(c)))))));
  }
  draw();
  new ResizeObserver(() => draw()).observe(widget);
}

function drawComparisons(widget) {
  const { systems, metrics } = data(widget);
  const box = make("div", { class: "scroll", role: "region", "aria-label": `Systems of ${widget.dataset.name} against each other` });
  const draw = (at) => {
    const { label, wins, p } = metrics[at];
    const cell = (row, column) => {
      const value = wins[row][column];
      if (row === column || value === null) return make("td", {}, "");
      const sign = value >= 95 ? " ●" : value <= 5 ? " ○" : "";
      // Blue where the row wins, orange where it loses.
      const colour = value >= 50 ? `rgb(0 114 178 / ${((value - 50) / 110).toFixed(2)})` : `rgb(230 159 0 / ${((50 - value) / 80).toFixed(2)})`;
      return make("td", { role: "gridcell", tabindex: -1, style: `background: ${colour}`, "data-row": row, "data-column": column }, value.toFixed(0) + sign);
    };
    const table = make("table", { class: "matrix", role: "grid", "aria-label": `${label}: wins in percent` },
      make("thead", {}, make("tr", {}, make("td"), ...systems.map((name, k) => make("th", { scope: "col", title: name }, String(k + 1))))),
      make("tbody", {}, ...systems.map((name, row) => make("tr", {}, make("th", { scope: "row" }, `${row + 1} ${name}`), ...systems.map((_, column) => cell(row, column))))));
    walkable(table, "td[data-row]", ({ dataset: { row, column } }) =>
      `${systems[row]} scores better than ${systems[column]} in ${format(wins[row][column], 1)} % of resamples${p[row][column] === null ? "" : `, p = ${format(p[row][column])}`}`);
    box.replaceChildren(table);
  };
  widget.append(make("div", { class: "controls" }, choice("Metric", metrics.map(({ label }, at) => [at, label]), (value) => draw(Number(value)))), box);
  draw(0);
}

document.querySelectorAll(".widget.surface").forEach(drawSurface);
document.querySelectorAll(".widget.comparisons").forEach(drawComparisons);
