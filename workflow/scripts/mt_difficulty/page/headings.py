"""Headings of the columns of result files, and what they mean."""

# Heading and explanation of a result file's column, an interval's by its lower end; statistics have
# their own.
HEADINGS = {
    "segments_low": ("over segments", "95 % interval if other segments had been drawn"),
    "interval_low": ("95 % interval", "bootstrap over segments"),
    "systems_low": ("over systems", "95 % interval if other systems had been drawn"),
    "value": ("value", "the correlation of this weighting"),
    "standard": ("standard", "the correlation of the unweighted metric"),
    "quantile": ("quantile", "share of the set's difficulties that are below h"),
    "h": ("h", "threshold from which a hypothesis is difficult"),
    "w": ("w", "weight of the easy hypotheses"),
    "ASL": ("ASL", "average sentence length, in words"),
    "ASW": ("ASW", "average syllables of a word"),
    "FRE": ("FRE", "Flesch reading ease: the higher, the easier"),
    "FR": ("FR", "Flesch reading ease: the higher, the easier"),
    "FKGL": ("FKGL", "Flesch-Kincaid grade level: the higher, the harder"),
    "both_low": ("over both", "95 % interval if other segments and systems had been drawn"),
    "difference": ("gain", "this weighting less the standard one"),
    "permutation_p": (
        "p, permutation",
        "PERM-BOTH: halves of the hypotheses change sides and are scored again; for weights in "
        "groups this is not the published test",
    ),
    "detectable": ("detectable", "|gain| that the permutation test finds with 80 % power at 5 %"),
    "contribution_p": (
        "p, contributions",
        "the published test: contributions of segments change sides; of metrics that are means",
    ),
    "joint_low": ("joint", "95 % interval over the same segments of metric and human scores"),
    "difference_segments_low": ("gain, over segments", "95 % interval of the gain"),
    "difference_systems_low": ("gain, over systems", "95 % interval of the gain"),
    "difference_both_low": ("gain, over both", "95 % interval of the gain"),
    "difference_joint_low": (
        "gain, joint",
        "95 % interval of the gain, human scores resampled too",
    ),
    "effective_mean": ("effective segments", "Kish's number of segments, mean over systems"),
    "effective_min": ("effective segments, least", "Kish's number of segments, of one system"),
    "williams_p": ("p, Williams", "Williams' test of two dependent correlations"),
    "random_low": ("random subsets", "95 % interval of random subsets of as many segments"),
    "random_mean": ("mean of random", "mean of random subsets of as many segments"),
    "random_quantile": ("above random", "share of the random subsets below r"),
    "within_r": ("r within segments", "of difficulty and human score, centred by segment"),
    "null": ("null", "what the draws keep and what they change, as the list above says"),
    "null_mean": ("mean of null", "mean of the draws; where nothing is random, the one value"),
    "null_low": ("95 % of null", "95 % interval of the draws"),
    "null_quantile": ("above null", "share of the draws that are below the value"),
    "gain_over_plain_share": ("beats unweighted", "share of draws that beat the unweighted metric"),
    "standard_r": ("standard r", "Pearson's r of the unweighted metric"),
    "weighted_r": ("r", "Pearson's r under the weighting"),
    "change": ("Δ", "r under the weighting less that of the unweighted metric"),
    "change_low": ("95 % interval", "of Δ, over segments and systems where there is one"),
    "change_p": ("p", "of Δ, by exchanging hypotheses (PERM-BOTH); by Williams' test without them"),
    "adjusted_p": ("p, Holm", "p, adjusted over the comparisons that `correction` names"),
    "family": ("correction", "of p: the method, and the tests that count"),
    "change_verdict": (
        "verdict",
        "helps, harms: p, Holm is at most 0.05 and the 95 % interval excludes 0; no effect larger "
        "than 0.02: the interval lies within ±0.02; not judged: human scores of the set are in it",
    ),
    "note": (
        "why",
        "what stands against a verdict though p is small, why there is no p, and whether random "
        "difficulty does as much as the change",
    ),
    "random_change": (
        "Δ of random difficulty",
        "mean Δ where the difficulties are permuted over segments and the weights are kept "
        "(permuted, in controls.csv)",
    ),
    "random_change_low": ("95 % of random difficulty", "95 % range of Δ of the draws"),
    "change_soft": ("Δ SPA", "change of soft pairwise accuracy"),
    "change_soft_low": ("95 % interval of Δ SPA", "over segments, human scores resampled too"),
    "tuned": ("tuned", "parameters chosen with human scores of the same set"),
    "retuned_mean": (
        "mean of tuned random",
        "mean r of permuted difficulties, tuned in the same way",
    ),
    "retuned_low": (
        "tuned random",
        "95 % range of r of permuted difficulties, tuned in the same way",
    ),
    **{
        f"{null}_quantile": (f"above {null}", f"share of the draws of `{null}` below the value")
        for null in ("shuffled", "permuted", "retuned")
    },
}

# Columns that are shown only when asked for, by a column that says of what table they are.
LATER = {
    "both_low": (
        *(f"{kind}{over}_low" for kind in ("", "difference_") for over in ("segments", "systems")),
        *("joint_low", "difference_joint_low", "contribution_p", "williams_p", "effective_min"),
        *("left_out", "difficulty"),
    ),
    "change": ("difficulty", "change_soft_low"),
}
