"""Write the demo campaign: two language pairs, twelve invented systems, known difficulty.

All text comes from the templates in `lexicon/`, where

    <building.dat>     a slot, filled from slots.tsv (here in the dative)
    [plan|draft]       a free choice: the reference has the first, and all cost nothing
    ~                  a place where a particle may stand, at no cost
    A || B             two word orders, at no cost
    {right|wrong|...}  a hard span: the right rendering, then wrong ones

Systems paraphrase about equally often, the best ones a little more often. A hard span is
rendered right only by a system whose quality exceeds the span's difficulty. So what separates
the good systems from the best stands in the few segments with hard spans.
"""

import json
import random
import re
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LEXICON = HERE / "lexicon"
PAIRS = ("en-de", "en-zh")
SEED = 1

SYSTEMS = "alder ash birch cedar elm hazel juniper larch maple oak rowan willow".split()
# Evenly spread, but the four best stand close together.
QUALITIES = (0.92, 0.88, 0.84, 0.80, 0.72, 0.65, 0.58, 0.51, 0.44, 0.37, 0.30, 0.23)
FREEDOM = 0.40  # how often a system paraphrases
EXTRA_FREEDOM = 0.4  # the best do so more often, by this times their quality above GOOD
GOOD = 0.75
LEAST, MOST = 0.35, 1.15  # difficulty of hard spans; some are too hard for every system
LUCK = 0.04  # standard deviation of a system's quality from span to span
SLIPS = 0.6  # how often a failure drags other tokens along, times what quality lacks to 1

EASY_SEGMENTS = 231
IDENTICAL_SEGMENTS = 2  # nothing to choose: every system repeats the reference
DOCUMENT_LENGTH = 10
TWIN = "easy0"  # stands in two documents, as agency reports do
UNTRANSLATED = "easy3"  # the weakest system copies its source
UNRATED = {"en-zh": 8}  # the system of this rank has no human scores

NOISE = 0.4  # standard deviation of the estimates, in which hard segments are 1 and easy ones 0

NUMBERS = {"n": (101, 990), "few": (3, 12), "year": (1985, 2022), "hour": (8, 20)}
PARTICLES = {"de": "[|nun|auch|dann|eben]", "zh": "[|也|便]"}
SLOT = re.compile(r"<([a-z]+)(2?)(?:\.([a-z]+))?>")
CHOICE = re.compile(r"\[([^]]*)\]|\{([^}]*)\}")


class Segment(NamedTuple):
    """A segment before translation: its templates, {language: text}, with slots filled."""

    key: str  # seeds whatever is random about it: twins are translated alike
    domain: str
    text: dict
    hard: bool


def stream(*names):
    """A random stream for each purpose, so that a change to one leaves the others."""
    return random.Random("/".join(map(str, names)))


def read_templates(name):
    """Read a template file as (domain, {language: text}) pairs; a domain holds until the next."""
    templates, domain = [], None
    for block in (LEXICON / name).read_text(encoding="utf-8").strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        domain = fields.pop("domain", domain)
        if fields:
            templates.append((domain, fields))
    return templates


def read_slots():
    """Read what fills the slots, as {slot: [{form: text}]}."""
    header, *rows = (LEXICON / "slots.tsv").read_text(encoding="utf-8").splitlines()
    slots = {}
    for row in rows:
        entry = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        slots.setdefault(entry.pop("slot"), []).append(entry)
    return slots


def fill(template, slots, rng):
    """Fill the slots of a template, with the same entries in all its languages."""
    drawn = {slot: rng.sample(entries, 2) for slot, entries in slots.items()}
    for slot, (low, high) in NUMBERS.items():
        drawn[slot] = [dict.fromkeys(("en", "de", "zh"), str(rng.randint(low, high)))]

    def filled(language, text):
        def entry(match):
            slot, second, form = match.groups()
            return drawn[slot][1 if second else 0][form or language]

        return SLOT.sub(entry, text.replace("~", PARTICLES.get(language, "")))

    return {language: filled(language, text) for language, text in template.items()}


def make_segments(seed):
    """All segments in the campaign's order, as (document name, segment) pairs."""
    slots, segments, seen = read_slots(), [], set()

    def add(name, templates, count, hard=False):
        for i in range(count):
            domain, template = templates[i % len(templates)]
            rng = stream(seed, "fill", name, i)
            text = fill(template, slots, rng)
            while text["en"] in seen:
                text = fill(template, slots, rng)
            seen.add(text["en"])
            segments.append(Segment(f"{name}{i}", domain, text, hard))

    difficult = read_templates("hard.txt")
    add("hard", difficult, len(difficult), hard=True)
    add("same", read_templates("same.txt"), IDENTICAL_SEGMENTS)
    add("easy", read_templates("easy.txt"), EASY_SEGMENTS)
    segments += [s._replace(domain="travel") for s in segments if s.key == TWIN]
    return in_documents(segments, stream(seed, "order"))


def in_documents(segments, rng):
    """Shuffle segments within their domains, cut them into documents and shuffle those."""
    rng.shuffle(segments)
    documents = []
    for domain in sorted({s.domain for s in segments}):
        same = [s for s in segments if s.domain == domain]
        for number, start in enumerate(range(0, len(same), DOCUMENT_LENGTH), 1):
            documents.append((f"{domain}.{number:02}", same[start : start + DOCUMENT_LENGTH]))
    rng.shuffle(documents)
    return [(name, segment) for name, members in documents for segment in members]


def spans(template):
    """Cut a template into (kind, options): fixed, free or hard; the reference has options[0]."""
    result, end = [], 0
    for match in CHOICE.finditer(template):
        kind = ("free", "hard")[match.lastindex - 1]
        result.append(("fixed", [template[end : match.start()]]))
        result.append((kind, match[match.lastindex].split("|")))
        end = match.end()
    return [*result, ("fixed", [template[end:]])]


def tokens(text, language):
    """Characters of Chinese, words otherwise."""
    return list(text) if language == "zh" else text.split()


def sentence(words, language):
    """Join tokens; the first letter is a capital."""
    text = ("" if language == "zh" else " ").join(words)
    return text[:1].upper() + text[1:]


def reference(segment, language):
    """The reference, and its hard tokens: (index, token) of what only right renderings have."""
    text, hard = "", []
    for kind, (right, *wrong) in spans(segment.text[language].split(" || ")[0]):
        if kind == "hard":
            start = len(tokens(text + "x", language)) - 1
            avoided = tokens(" ".join(wrong), language)
            span = enumerate(tokens(right, language), start)
            hard += [i for i, token in span if token not in avoided]
        text += right
    words = tokens(text, language)
    return sentence(words, language), [(i, words[i]) for i in hard if words.count(words[i]) == 1]


def hard_spans(seed, pair, segments):
    """Difficulty and penalty of each hard span, as {segment's key: [(difficulty, penalty)]}.

    Difficulties are on the scale of quality, evenly spread; two penalties of three are major.
    """
    language, rng = pair.split("-")[1], stream(seed, pair, "hard spans")
    counts = {s.key: sum(kind == "hard" for kind, _ in spans(s.text[language])) for s in segments}
    last = sum(counts.values()) - 1
    difficulties = [LEAST + (MOST - LEAST) * i / last for i in range(last + 1)]
    rng.shuffle(difficulties)
    return {
        key: [(difficulties.pop(), rng.choice((5, 5, 1))) for _ in range(count)]
        for key, count in counts.items()
    }


def translate(rng, template, language, quality, hard):
    """A system's hypothesis, and the penalties of the hard spans that it renders wrong."""
    freedom = FREEDOM + EXTRA_FREEDOM * max(0.0, quality - GOOD)
    orders = template.split(" || ")
    order = rng.choice(orders[1:] or orders) if rng.random() < freedom else orders[0]
    text, penalties, hard = "", [], iter(hard)
    for kind, (choice, *others) in spans(order):
        if kind == "free" and rng.random() < freedom:
            choice = rng.choice(others)
        if kind == "hard":
            difficulty, penalty = next(hard)
            if quality + rng.gauss(0, LUCK) < difficulty:
                choice = rng.choice(others)
                penalties.append(penalty)
        text += choice
    words = tokens(text, language)
    for _ in penalties:
        if rng.random() < SLIPS * (1 - quality):
            slip(words, rng)
    return sentence(words, language), penalties


def slip(words, rng):
    """Let two tokens change places, or lose one."""
    i = rng.randrange(1, len(words) - 2)
    if rng.random() < 0.5:
        words[i], words[i + 1] = words[i + 1], words[i]
    else:
        del words[i]


def mqm(rng, penalties):
    """Human score of a hypothesis: minus its penalties, sometimes -1 for nothing much."""
    return -float(min(25, sum(penalties) + (rng.random() < 0.12)))


def oracle(rng, penalties):
    """Score of the stored metric: the truth and noise."""
    return 1 - min(25, sum(penalties)) / 25 + rng.gauss(0, 0.15)


def run_systems(seed, pair, segments, ranked):
    """Texts, human and stored scores of all systems, each {system: one value per segment}."""
    language, hard = pair.split("-")[1], hard_spans(seed, pair, segments)
    rng, stored = stream(seed, pair, "refA"), {}
    texts = {"refA": [reference(s, language)[0] for s in segments]}
    human = {"refA": [mqm(rng, []) for _ in segments]}
    for system, quality in sorted(zip(ranked, QUALITIES, strict=True)):
        rows = []
        for s in segments:
            rng = stream(seed, pair, system, s.key)
            made = translate(rng, s.text[language], language, quality, hard[s.key])
            if (system, s.key) == (ranked[-1], UNTRANSLATED):
                made = s.text["en"], [25]
            rows.append((made[0], mqm(rng, made[1]), oracle(rng, made[1])))
        texts[system], human[system], stored[system] = zip(*rows, strict=True)
    return texts, human, stored


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def write_scores(stem, scores, unrated=None):
    """Write each system's segment scores and their mean; `None` for an unrated system."""

    def lines(rows):
        return [f"{s}\t{'None' if s == unrated else f'{x:.6f}'}" for s, row in rows for x in row]

    rows = sorted(scores.items())
    write_lines(stem.with_name(f"{stem.name}.seg.score"), lines(rows))
    means = [(system, [sum(row) / len(row)]) for system, row in rows]
    write_lines(stem.with_name(f"{stem.name}.sys.score"), lines(means))


def write_archive(folder, seed, pair, documents, ranked):
    """Write the files of one language pair in the layout of the WMT archive."""
    segments = [s for _, s in documents]
    texts, human, stored = run_systems(seed, pair, segments, ranked)
    unrated = ranked[UNRATED[pair]] if pair in UNRATED else None
    write_lines(folder / f"sources/{pair}.txt", [s.text["en"] for s in segments])
    write_lines(folder / f"documents/{pair}.docs", [f"{s.domain}\t{doc}" for doc, s in documents])
    write_lines(folder / f"references/{pair}.refA.txt", texts["refA"])
    for system, lines in texts.items():
        write_lines(folder / f"system-outputs/{pair}/{system}.txt", lines)
    write_scores(folder / f"human-scores/{pair}.mqm", human, unrated)
    write_scores(folder / f"metric-scores/{pair}/Oracle-noisy-refA", stored)


def write_truth(path, pair, segments, ranked):
    """Write what the demo knows: quality by system, hard segments and their hard tokens."""
    hard = [i for i, s in enumerate(segments) if s.hard]
    truth = {
        "quality": dict(sorted(zip(ranked, QUALITIES, strict=True))),
        "hard_segments": hard,
        "hard_tokens": {i: reference(segments[i], pair.split("-")[1])[1] for i in hard},
    }
    write_lines(path, [json.dumps(truth, ensure_ascii=False)])


def write_estimates(path, seed, pair, segments):
    """Write what a program that reads the source alone might say: what is hard, with noise."""
    rng = stream(seed, pair, "estimates")
    lines = [f"{i}\t{s.hard + rng.gauss(0, NOISE):.4f}" for i, s in enumerate(segments, 1)]
    write_lines(path, ["segment\tdifficulty", *lines])


def generate(folder=HERE, seed=SEED):
    """Write `archive/`, `estimates/` and `truth/` into a folder."""
    folder, documents = Path(folder), make_segments(seed)
    for pair in PAIRS:
        ranked = stream(seed, pair, "systems").sample(SYSTEMS, len(SYSTEMS))  # best first
        write_archive(folder / "archive/demo", seed, pair, documents, ranked)
        segments = [s for _, s in documents]
        write_estimates(folder / f"estimates/{pair}.tsv", seed, pair, segments)
        write_truth(folder / f"truth/{pair}.json", pair, segments, ranked)


if __name__ == "__main__":
    generate(*sys.argv[1:2])
