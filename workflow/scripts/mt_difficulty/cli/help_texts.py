"""Summary, description and example of each subcommand; newcomers learn the field's words."""

DESCRIPTION = """\
Difficulty-aware evaluation of machine translation: find the segments and tokens that are difficult
to translate, and score systems with weights by difficulty."""

EXIT_CODES = """\
exit codes: 0 success; 1 bad input, and a line `ERROR: ...` says what to do; 2 wrong usage; 130
interrupted. Results go to stdout, notices and progress to stderr."""

SCORE = (
    "score systems, also weighted by difficulty",
    """\
Score systems against one or more references, without weights and with weights by difficulty. The
output has bootstrap 95 % intervals over segments, the significant differences between systems
(paired bootstrap and permutation test, two-sided, Holm's correction over the pairs of systems under
a metric and weighting), a signature of every score, and the most difficult segments.

The default difficulty is chunk entropy: words of a hypothesis are aligned with the reference
(fast_align); neighbouring words whose counterparts are neighbours form a chunk; one chunk has
entropy 0, many chunks of similar length have a high one. --difficulty names another difficulty.

EE (Liu et al. 2022): hypotheses with a chunk entropy of at least h are difficult, and a system's
score is w * score of the easy hypotheses + (1 - w) * score of the difficult ones. DA (Zhan et al.
2021): BERTScore in which every token is weighted by its difficulty, 1 - the mean over systems of
the token's best similarity; a token that few systems translate well has a high weight. hardest: the
score of the hardest share of the hypotheses. proportional: every hypothesis is weighted by its
difficulty.

Difficulties estimated from system outputs depend on these systems: weighted scores can be compared
only between systems that were scored together. Intervals and tests treat h, w and difficulties as
known.""",
    "--ref ref.de.txt --hyp sysA.txt sysB.txt sysC.txt --metric chrf bleu --lang de",
)

HARD = (
    "list the hardest segments",
    """\
List the segments with the highest difficulty, averaged over systems. The default difficulty is
chunk entropy, which `mt-difficulty score --help` explains. The output has for each segment its
number (from 1), its difficulty, how many systems' hypotheses are difficult (at least h, where there
is a threshold), its texts, and with an encoder the most difficult tokens (Zhan et al. 2021).""",
    "--src src.txt --ref ref.txt --hyp out/*.txt --lang zh --top 10",
)

SELECT = (
    "choose segments for a human evaluation",
    """\
Choose segments for a human evaluation within a budget. Segments are taken in the order of --by,
highest value first; a segment that costs more than what is left of the budget is skipped.

From the source alone: random; stratified (spread evenly over domain, document and length); length,
rarity, readability; or a file of difficulty estimates (`mt-difficulty estimates`). From system
outputs (--hyp, or those of the set but for human translations): disagreement, 1 - the mean chrF
between hypotheses; consensus_entropy, chunk entropy of hypotheses against each other. From a
metric's segment scores (--scores): crowd, minus the mean score over systems; variance over systems;
consistency, the correlation of a segment's scores with the systems' mean scores; discrimination, of
an item response model.

With human scores, or scores of a metric that you trust (--judge), the command compares the ranking
of systems by the chosen segments with the ranking by all segments: Kendall's tau-b, soft pairwise
accuracy and clusters of significance, and the same for 1,000 random choices of the same budget. It
also lists the systems that gain or lose most.""",
    "source.txt --by estimates.tsv --budget 200 --out chosen.tsv",
)

ESTIMATES = (
    "a file to fill with difficulty estimates",
    """\
Write a file for difficulty estimates that you make elsewhere, such as on a machine with a GPU. It
is tab-separated and has a line for each segment: its number, an empty difficulty and the source
text. Fill in the column `difficulty` (higher is harder) and keep the others. Then use the file with
a difficulty of `type: file` in a config, with `score` and `hard` (--difficulty FILE), or with
`select` (--by FILE).""",
    "template wmt23/en-de --archive mt-metrics-eval-v2.tgz --out en-de.tsv",
)

VALIDATE = (
    "check a config and its data",
    """\
Check a config and the data that it names before a run. The config is merged over the project's
config.yaml, as `make paper CONFIG=...` does. Checked are its keys, metrics, difficulties,
weightings and encoders, and the files of every evaluation set. All problems are listed (of each
evaluation set the first), and what would be computed for each set. The command works in any folder;
relative paths of the config start there.""",
    "mine.yaml --archive mt-metrics-eval-v2.tgz",
)

EXPORT = (
    "write a run's scores as WMT archive files",
    """\
Write system and segment scores of a finished run as files in the layout of the WMT archive, which
mt-metrics-eval reads: FOLDER/<campaign>/metric-scores/<pair>/<NAME>-<REFERENCE>.sys.score and
.seg.score. NAME is the metric, or <weighting>_<metric>; characters other than letters, digits, _
and + become _, because the toolkit takes what follows the last dash for the reference. REFERENCE is
the set's reference, src for stored scores of a metric without reference, refA for reference.txt of
own files. Higher is better in all files: scores of which lower is better, such as TER, are negated.
Weightings of segments, such as EE, have system scores alone. The files that are written are
listed on stdout; what could not be written, with the reason, on stderr.""",
    "results/demo --metric BLEU TER --weighting standard EE --out scores",
)

CORRELATE = (
    "agreement of metric scores with human scores",
    """\
How well metric scores of an evaluation set agree with its human scores, over systems, with 95 %
intervals. SET is a folder of your own files with gold.tsv and scores/<metric>.tsv, or a set of the
archive such as wmt23/en-de. Where a metric's system score is the mean of its segment scores, the
interval is over segments and systems: others of the same kind. Of other metrics, such as BLEU, it
is over systems alone. With few systems it is wide: r = 0.9 over 12 systems has 0.67 to 0.97.

Statistics: pearson (r), spearman (rho), kendall (tau-b), accuracy (the share of pairs of systems
that are ordered as by the human scores, 0 to 1); the first three go from -1 to 1; higher is better.
How weightings by difficulty change them, a run of the pipeline computes (docs/own_pair.md).""",
    "wmt23/en-de --archive mt-metrics-eval-v2.tgz --metric BLEU COMET",
)
