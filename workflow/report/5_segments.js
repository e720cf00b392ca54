// Difficult segments one by one.

function drawSegments(widget) {
  const found = data(widget);
  const { systems, columns, difficulties, thresholds, segments, moves, listed, encoder } = found;
  // Of others a segment has one value.
  const ofHypotheses = difficulties.map((_, at) => at).filter((at) => difficulties[at].unit === "hypothesis");
  const rankings = found.rankings.filter(({ name }) => segments.some((one) => name in one.places));
  const state = { ranking: rankings[0].name, segment: null };
  const list = make("div", { class: "scroll tall segment-list", tabindex: 0, role: "region", "aria-label": "Segments to choose from" });
  const passage = make("article", { class: "passage", "aria-live": "polite" });
  const ordered = () => segments.filter((one) => state.ranking in one.places).sort((a, b) => a.places[state.ranking] - b.places[state.ranking]);
  const step = (by) => () => {
    const order = ordered();
    const at = order.indexOf(state.segment);
    show(order[(at + by + order.length) % order.length]);
  };

  function drawList() {
    const rows = ordered().map((one) => make("tr", { "aria-selected": String(one === state.segment) },
      make("td", {}, make("button", { type: "button", "aria-label": `Segment ${one.number}`, onclick: () => show(one) }, String(one.number))),
      ...one.means.map((mean, at) => make("td", {}, format(mean, difficulties[at].digits))), ...one.hard.map((count) => make("td", {}, `${count}/${systems.length}`)),
      ...listed.map(({ move }) => make("td", {}, signed(move === null ? null : one.moves[move].added[0]))),
      make("td", { class: "begin", lang: found.source_language, dir: "auto" }, one.source.slice(0, 90))));
    const heads = ["segment", ...difficulties.map(({ label }) => `mean ${label}`), ...thresholds.map(({ weighting }) => `difficult under ${weighting}`), ...listed.map(({ label }) => label), "source"];
    list.replaceChildren(make("table", { class: "plain result" },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: head === "source" ? "t" : null }, head)))), make("tbody", {}, ...rows)));
  }

  function text(label, language, ...children) {
    return make("p", { class: "text" }, make("span", { class: "label" }, label), make("span", { lang: language, dir: "auto" }, ...children));
  }

  function reference(pieces) {
    return pieces.map(([piece, value]) => {
      if (value === null) return piece;
      const share = (value - encoder.low) / (encoder.high - encoder.low || 1);
      const strength = Math.min(Math.max(share, 0), 1) * 0.75;
      return make("mark", { class: value >= encoder.hard ? "hard" : null, style: `background: rgb(230 159 0 / ${strength.toFixed(2)})`, title: `difficulty ${format(value, 2)}` }, piece);
    });
  }

  function chunks(pieces) {
    return pieces.map(([piece, chunk]) => (chunk < 0 ? piece
      : make("span", { class: "chunk", style: `background: ${COLOURS[chunk % 6]}40`, title: `chunk ${chunk + 1}` }, piece)));
  }

  function influence(segment) {
    const rows = moves.map((label, at) => {
      const { added, ranks } = segment.moves[at];
      const changes = ranks.map(([place, before, after]) => `${systems[place]} ${before} → ${after}`).join(", ");
      return make("tr", {}, make("th", { scope: "row" }, label), ...added.map((value) => make("td", {}, signed(value))), make("td", { class: "t" }, changes || "none"));
    });
    return make("details", { open: true }, make("summary", {}, "Without this segment"),
      make("div", { class: "scroll" }, make("table", { class: "plain result dense" },
        make("thead", {}, make("tr", {}, ...["", "r", "τ", "ρ"].map((head) => make("th", { scope: "col" }, head)), make("th", { scope: "col", class: "t" }, "rank changes"))),
        make("tbody", {}, ...rows))));
  }

  function hypotheses(segment) {
    const human = segment.rows.some((row) => row.human !== null);
    const said = found.chunks ? `hypothesis, its chunks (${found.chunks}) in boxes` : "hypothesis";
    const heads = ["system", said, ...ofHypotheses.map((at) => difficulties[at].label), ...(human ? ["human"] : []), ...columns.map(({ label }) => label)];
    const number = (label, value, digits) => make("td", { class: "n", "data-label": label }, format(value, digits));
    const rows = segment.rows.map((row, at) => {
      const difficult = ofHypotheses.map((at, k) => {
        const cell = number(difficulties[at].label, row.difficulties[k], difficulties[at].digits);
        const under = thresholds.filter(({ difficulty }, which) => difficulty === at && row.hard[which]).map(({ weighting }) => weighting);
        if (under.length) cell.append(make("span", { class: "hard-flag", title: `difficult under ${under.join(", ")}: at least h` }, " ▲"));
        return cell;
      });
      return make("tr", {}, make("th", { scope: "row" }, systems[at]),
        make("td", { class: "said", lang: found.target_language, dir: "auto" }, ...(row.pieces.length ? chunks(row.pieces) : ["(empty)"])), ...difficult,
        ...(human ? [number("human", row.human, 2)] : []), ...columns.map(({ label, digits }, k) => number(label, row.scores[k], digits)));
    });
    return make("div", { class: "scroll" }, make("table", { class: "hypotheses" },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows)));
  }

  function show(segment) {
    state.segment = segment;
    const where = [segment.domain, segment.document].filter(Boolean).join(", ");
    const how = rankings.filter(({ name }) => name in segment.places).map(({ name, text: which }) => `no. ${segment.places[name]} of those ${which}`).join("; ");
    const legend = encoder ? `Reference; the darker a token, the higher its ${encoder.difficulty}. Bold: the set’s 10 % most difficult (encoder: ${encoder.name})` : "Reference";
    const means = difficulties.map(({ label, digits }, at) => `mean ${label} ${format(segment.means[at], digits)}`);
    const hard = thresholds.map(({ weighting }, at) => `difficult (▲) under ${weighting} for ${segment.hard[at]} of ${systems.length} systems`);
    const told = [...means, ...hard, how].join("; ");
    passage.replaceChildren(
      make("h3", {}, `Segment ${segment.number}`), make("p", { class: "quiet" }, `${where ? `${where}. ` : ""}${told[0].toUpperCase()}${told.slice(1)}.`),
      text("Source", found.source_language, segment.source), text(legend, found.target_language, ...reference(segment.reference)),
      ...(moves.length ? [influence(segment)] : []), hypotheses(segment));
    drawList();
  }

  widget.append(make("div", { class: "controls", role: "group", "aria-label": "Choose a segment" },
    choice("Segments", rankings.map(({ name, label }) => [name, label]), (value) => { state.ranking = value; show(ordered()[0]); }),
    make("button", { type: "button", onclick: step(-1) }, "← previous"), make("button", { type: "button", onclick: step(1) }, "next →")), list, passage);
  show(ordered()[0]);
}

document.querySelectorAll(".widget.segments").forEach(drawSegments);
