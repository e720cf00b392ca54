// How the ranking of the systems moves when only the hardest segments are kept.
"use strict";

const HARDEST_KEYS = ["hardest", "estimated", "metric"];
const FIRST_SHARE = 0.1;
const ROW = 18; // pixels of a system

function drawHardest(widget, found) {
  const { hardest, systems } = found;
  if (!hardest) {
    widget.append(make("p", { class: "quiet" }, "The set has no difficulty or no scores of segments."));
    return () => null;
  }
  const people = hardest.scores.filter(({ label }) => label === "human"), metrics = hardest.scores.filter(({ label }) => label !== "human");
  const nearest = (share) => hardest.shares.reduce((place, one, at) => (Math.abs(one - share) < Math.abs(hardest.shares[place] - share) ? at : place), 0);
  const state = { at: 0, difficulty: 0, metric: 0 };
  const canvas = make("div", { class: "moves" }), told = make("p", { role: "status", "aria-live": "polite" }), readout = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Ranks as a table" });
  const slider = make("input", { type: "range", min: 0, max: hardest.shares.length - 1, oninput: () => { state.at = Number(slider.value); draw(); } });
  const selects = [choice("Difficulty", hardest.difficulties.map((label, at) => [at, label]), (at) => { state.difficulty = Number(at); draw(); }),
    ...(metrics.length ? [choice("Metric", metrics.map(({ label }, at) => [at, label]), (at) => { state.metric = Number(at); draw(); })] : [])];
  const shown = () => [...people, ...metrics.slice(state.metric, state.metric + 1)];
  const percent = (at) => `${format(100 * hardest.shares[at], hardest.shares[at] < 0.01 ? 1 : 0)} %`;
  const outside = (one, system) => {
    const rank = one.ranks[state.difficulty][state.at][system], [low, high] = one.random[state.at][system];
    return rank !== null && low !== null && (rank < low || rank > high);
  };

  /** A row for each system: its rank on all segments, on the hardest, and on random subsets. */
  function ranks(one) {
    const [all, kept] = [0, state.at].map((at) => one.ranks[state.difficulty][at]);
    const order = systems.map((_, system) => system).filter((system) => all[system] !== null && kept[system] !== null).sort((a, b) => all[a] - all[b] || a - b);
    const wide = canvas.clientWidth > 700, width = Math.max(wide ? (canvas.clientWidth - 24) / 2 : canvas.clientWidth, 260);
    const most = Math.floor((width * 0.45 - 12) / 7.2), short = (name) => (name.length > most ? `${name.slice(0, most / 2)}…${name.slice(-(most / 2 - 1))}` : name);
    const height = order.length * ROW + 46, left = Math.min(Math.max(...systems.map((name) => name.length)) * 7.2 + 12, width * 0.45), right = width - 14;
    const x = (rank) => left + ((rank - 1) / Math.max(systems.length - 1, 1)) * (right - left) * 0.96 + 8;
    const svg = make("svg", { width, height, role: "img", "aria-label": `Ranks by ${one.label}, on all segments and on the hardest ${percent(state.at)}; the numbers are in the table below` });
    for (let rank = 1; rank <= systems.length; rank += systems.length > 12 ? 3 : 1) {
      svg.append(make("line", { x1: x(rank), x2: x(rank), y1: 18, y2: height - 22, class: "grid" }), make("text", { x: x(rank), y: 12, "text-anchor": "middle", class: "quiet-text" }, String(rank)));
    }
    order.forEach((system, at) => {
      const [low, high] = one.random[state.at][system], y = 18 + (at + 0.5) * ROW;
      svg.append(make("g", { class: outside(one, system) ? "move outside" : "move" },
        make("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, short(systems[system])),
        low === null ? "" : make("line", { x1: x(low), x2: x(high) + 0.01, y1: y, y2: y, class: "range" }),
        make("line", { x1: x(all[system]), x2: x(kept[system]), y1: y, y2: y, class: "way" }),
        make("line", { x1: x(all[system]), x2: x(all[system]), y1: y - 6, y2: y + 6, class: "start" }), make("circle", { cx: x(kept[system]), cy: y, r: 4.5 })));
    });
    svg.append(make("text", { x: width / 2, y: height - 4, "text-anchor": "middle" }, `rank by ${one.label}: all (line), hardest ${percent(state.at)} (dot)`));
    return make("figure", {}, svg, saveSvg(() => svg, `ranks_${one.label}`));
  }

  /** r with the set's human scores as segments are left out, with the band of random subsets. */
  function agreement(one) {
    if (!one.r.length || !one.r[state.difficulty].some((value) => value !== null)) return null;
    const width = Math.max(Math.min(canvas.clientWidth, 640), 260), height = 170, edge = { left: 44, right: 12, top: 12, bottom: 34 };
    const values = one.r[state.difficulty], band = one.random_r.map((ends, at) => [at, ...ends]).filter(([, low]) => low !== null);
    const known = [...values, ...band.flatMap(([, low, high]) => [low, high])].filter((value) => value !== null);
    const { low, high, step } = axisOf(known);
    const x = (at) => edge.left + (at / Math.max(values.length - 1, 1)) * (width - edge.left - edge.right);
    const y = (value) => edge.top + ((high - value) / (high - low)) * (height - edge.top - edge.bottom);
    const svg = make("svg", { width, height, role: "img", "aria-label": `r of ${one.label} with the set's human scores, by the share of the hardest segments kept` });
    for (let tick = high; tick >= low - step / 20; tick -= step * Math.ceil((high - low) / step / 5)) {
      svg.append(make("line", { x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick), class: "grid" }), make("text", { x: edge.left - 6, y: y(tick) + 4, "text-anchor": "end", class: "quiet-text" }, format(tick + 1e-9, 1)));
    }
    const outline = [...band.map(([at, , top]) => [at, top]), ...[...band].reverse().map(([at, bottom]) => [at, bottom])];
    svg.append(make("path", { class: "band", d: `M${outline.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}Z` }),
      make("line", { x1: x(state.at), x2: x(state.at), y1: edge.top, y2: height - edge.bottom, class: "cursor" }),
      make("polyline", { class: "curve", points: values.map((value, at) => [value, at]).filter(([value]) => value !== null).map(([value, at]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
    values.forEach((value, at) => {
      if (value !== null) svg.append(make("circle", { cx: x(at), cy: y(value), r: at === state.at ? 4.5 : 2.5, class: "curve-point" }));
      if (at % Math.ceil((values.length * 44) / width) === 0) svg.append(make("text", { x: x(at), y: height - 16, "text-anchor": "middle", class: "quiet-text" }, percent(at)));
    });
    svg.append(make("text", { x: width / 2, y: height - 2, "text-anchor": "middle" }, "hardest share of the segments that is kept"));
    return make("figure", {}, make("figcaption", {}, `r of ${one.label} with the human scores of the set. The line: on the hardest segments. The band: 95 % of ${hardest.draws} random subsets of as many segments.`), svg, saveSvg(() => svg, `hardest_${one.label}`));
  }

  function table() {
    const rows = systems.map((name, system) => make("tr", {}, make("th", { scope: "row" }, name), ...shown().flatMap((one) => {
      const [low, high] = one.random[state.at][system];
      const rank = (at) => format(one.ranks[state.difficulty][at][system], 0);
      return [make("td", {}, rank(0)), make("td", {}, rank(state.at), outside(one, system) ? " ●" : ""), make("td", {}, low === null ? "–" : `${low}–${high}`)];
    })));
    const heads = shown().flatMap(({ label }) => [`${label}, all`, `${label}, hardest ${percent(state.at)}`, `${label}, random subsets`]);
    return make("table", { class: "plain result dense" }, make("caption", {}, "Rank of each system, 1 is the best; ● lies outside the 95 % interval of random subsets"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "system"), ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows));
  }

  function draw(write = true) {
    const count = hardest.counts[state.at], moved = shown().map((one) => `${systems.filter((_, system) => outside(one, system)).length} by ${one.label}`);
    const metric = metrics[state.metric], of = metric && metric.r.length ? metric.r[state.difficulty][state.at] : null;
    const r = of === null || of === undefined ? "" : ` r of ${metric.label} with the human scores of the set is ${format(of)} (n = ${systems.length} systems); random subsets of as many segments give ${format(metric.random_r[state.at][0])} to ${format(metric.random_r[state.at][1])}.`;
    told.textContent = `Hardest ${percent(state.at)} by ${hardest.difficulties[state.difficulty]}: ${count} of ${hardest.counts[0]} segments. Ranks outside what random subsets of ${count} segments give: ${moved.join(", ")}, of ${systems.length} systems.${r}`;
    slider.value = state.at;
    slider.setAttribute("aria-valuetext", `hardest ${percent(state.at)}, ${count} segments`);
    selects.forEach((control, at) => { control.querySelector("select").value = [state.difficulty, state.metric][at]; });
    canvas.replaceChildren(...shown().map(ranks), ...(metric ? [agreement(metric)] : []).filter(Boolean));
    readout.replaceChildren(table());
    if (write) writeState(HARDEST_KEYS, { hardest: `${Number((100 * hardest.shares[state.at]).toFixed(1))}`, estimated: hardest.difficulties[state.difficulty], metric: metric && metric.label });
  }

  function restore() {
    const said = readState();
    state.at = nearest(said.has("hardest") ? Number(said.get("hardest")) / 100 : FIRST_SHARE);
    state.difficulty = Math.max(hardest.difficulties.indexOf(said.get("estimated")), 0);
    state.metric = Math.max(metrics.findIndex(({ label }) => label === said.get("metric")), 0);
    draw(false);
  }

  widget.append(make("div", { class: "controls", role: "group", "aria-label": "Keep the hardest segments" }, ...selects, make("label", {}, "Hardest share kept ", slider)), told, canvas,
    make("details", {}, make("summary", {}, "The ranks as a table"), readout));
  restore();
  let width = canvas.clientWidth;
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - width) < 2) return;
    width = entry.contentRect.width;
    draw(false);
  }).observe(canvas);
  return restore;
}

document.querySelectorAll(".widget.hardest").forEach((widget) => withSegments(widget, HARDEST_KEYS, drawHardest));
