"""Descriptions of the subcommands, which a newcomer can learn the field's words from."""

DESCRIPTION = """\
Difficulty-aware evaluation of machine translation: which segments and tokens are hard, and what
system scores say when these count for more."""

EXIT_CODES = """\
exit codes: 0 fine, 1 bad input (a line `ERROR: ...` says which and what to do), 2 wrong usage,
130 interrupted. Results go to stdout, notices and progress to stderr."""

SCORE = """\
Plain and difficulty-weighted scores of one or more systems against one reference, with bootstrap
95 % intervals, which systems are significantly better than which (paired bootstrap over segments),
a signature for every score, and the hardest segments.

Chunk entropy says how difficult a hypothesis is: its words are aligned with the reference's
(fast_align), aligned words that are neighbours form chunks, and many chunks of similar length give
a high entropy (0: one chunk, all in one piece). --difficulty names another difficulty.

EE (Liu et al. 2022) calls a hypothesis difficult if its chunk entropy is at least h, and scores a
system w * easy + (1 - w) * difficult. DA (Zhan et al. 2021) weighs every token in BERTScore by its
difficulty: 1 - the mean over systems of the best similarity that the token finds, so that a token
which few systems get right counts for more. `hardest` scores the hardest share of a system's
hypotheses alone; `proportional` weighs every hypothesis by its difficulty.

A difficulty that is estimated from the outputs is that of the systems at hand: with more systems it
is known better, and weighted scores are comparable only among systems that were scored together.
Intervals and tests take h, w and every difficulty as given."""

HARD = """\
The hardest segments of a text: those of the highest difficulty, averaged over systems. The default
difficulty is chunk entropy: a hypothesis's words are aligned with the reference's (fast_align);
aligned words that are neighbours form chunks, and many chunks of similar length give a high entropy
(0: one chunk). Each segment comes with its number (from 1), its difficulty, how many systems find
it difficult (at least h, where there is a threshold), and its texts; with an encoder also with its
most difficult reference tokens: those that few systems have an equivalent of (Zhan et al. 2021)."""

VALIDATE = """\
Check a config of the paper run, and the data that it names, before running anything: the config
merged over the project's config.yaml as `make paper CONFIG=...` does, its keys, metrics,
difficulties, weightings and encoders, and every evaluation set's files in the archive. All problems
that are found are listed (of one evaluation set the first). Then the plan: what would be computed
for each set, and how long and how much memory and disk it would take. Of an installed package it
works in any folder, from which the config's paths then start."""

CHECK = """\
Compare the results of a run with the SHA-256 that their jobs recorded when they wrote them. Results
that differ, after a power cut or by somebody's editor, are listed and removed, and the next run
makes them again. (A run itself compares the sizes when it starts.)"""

EXPORT = """\
Write system and segment scores of a finished run as files in the layout of the WMT archive, which
mt-metrics-eval reads: FOLDER/<campaign>/metric-scores/<pair>/<NAME>-<REFERENCE>.sys.score and
.seg.score. NAME is the metric, or <weighting>_<metric>; characters other than letters, digits, _
and + become _, because the toolkit takes what follows the last dash for the reference. REFERENCE is
the set's reference, src for stored scores of a metric without reference, refA for reference.txt of
own files. Higher is better in all files: scores of which lower is better, such as TER, are negated.
Weightings of segments, such as EE, have system scores alone. The files that are written are
listed on stdout; what could not be written, with the reason, on stderr."""

ESTIMATES = """\
Difficulty estimates of others: `template` writes a tab-separated file with a line for each segment
(its number, an empty difficulty, the source text), to be filled in where the estimates are made,
such as on a machine with a GPU. Fill in the column `difficulty`, higher is harder, and keep the
other ones; the filled file is read by a difficulty of `type: file`, by `score` and `hard`
(--difficulty FILE) and by `select` (--by FILE). SET is a text file with one segment a line, a
folder with source.txt, or a set of the archive such as wmt23/en-de."""

SELECT = """\
Which segments to give to people for a budget. SET is a text file with one segment a line, a folder
with source.txt, or a set of the archive such as wmt23/en-de. The budget counts segments, words or
characters of the source; the choice takes segments by falling value of --by and passes over those
that the rest of the budget does not pay.

From the source alone: random; stratified (spread evenly over domain, document and length); length,
rarity, readability; or a file of difficulty estimates (`mt-difficulty estimates`). From system
outputs (--hyp, or those of the set but for human translations): disagreement, 1 - the mean chrF
between hypotheses; consensus_entropy, chunk entropy of hypotheses against each other. From a
metric's segment scores (--scores): crowd, minus the mean score over systems; variance over systems;
consistency, the correlation of a segment's scores with the systems' mean scores; discrimination, of
an item response model.

With human scores at hand, or those of a trusted metric (--judge), the command says what the choice
does: Kendall's tau-b, soft pairwise accuracy and clusters of significance of the systems' ranking
by the chosen segments against that by all, beside 1,000 random choices of the same budget; and
which systems gain or lose by it."""

RESULTS = "`results:` of a run's config"

EXAMPLES = {
    "export": "mt-difficulty export results/demo --metric BLEU TER --weighting standard EE "
    "--out scores",
    "check": "mt-difficulty check results/demo",
    "crate": "mt-difficulty crate results/demo",
    "correlate": "mt-difficulty correlate wmt23/en-de --archive mt-metrics-eval-v2.tgz --metric "
    "BLEU COMET",
    "diff": "mt-difficulty diff results/before results/after --tolerance 1e-6",
    "score": "mt-difficulty score --ref ref.de.txt --hyp sysA.txt sysB.txt sysC.txt "
    "--metric chrf bleu --lang de",
    "estimates": "mt-difficulty estimates template wmt23/en-de --archive mt-metrics-eval-v2.tgz "
    "--out en-de.tsv",
    "select": "mt-difficulty select source.txt --by estimates.tsv --budget 200 --out chosen.tsv",
    "hard": "mt-difficulty hard --src src.txt --ref ref.txt --hyp out/*.txt --lang zh --top 10",
    "validate": "mt-difficulty validate mine.yaml --archive mt-metrics-eval-v2.tgz",
}

FORMATS = """\
text for terminals, json (keys: docs/own_systems.md; numbers that do not exist are null), or latex
(tables with booktabs' rules) (default: text)"""
