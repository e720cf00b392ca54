"""Fixtures that several tests share."""

import os
import shutil
import subprocess
import sys
import tarfile
from functools import cache, partial
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest
import yaml
from filelock import FileLock
from pydantic import TypeAdapter

from mt_difficulty import cli, scores
from mt_difficulty.compiled.samples import mean_correlations
from mt_difficulty.data.evalset import EvaluationSet, read_set
from mt_difficulty.difficulty.chunk_entropy import align_set
from mt_difficulty.settings.protocol import Check, PaperFigure, PaperTable

ROOT = Path(__file__).parents[1]
# Fewer draws than the config's, to save time.
RESAMPLES = 1000
QUICK = {
    "random_subsets": {"draws": 20},
    "significance": {"resamples": 100, "draws": 5},
    "controls": {"draws": 100},
}
# A first example imports and compiles; how long that takes is the machine's affair.
hypothesis.settings.register_profile("any machine", deadline=None, max_examples=25)
hypothesis.settings.load_profile("any machine")


def settings_of(**entries):
    """The settings of a set's scores, from entries of a config."""
    nothing = {kind: {} for kind in ("metrics", "difficulties", "weightings", "matches")}
    return scores.settings_of(nothing | entries)


def make_evalset(hypotheses, reference, pair="en-de", **options):
    """An evaluation set of these texts."""
    return EvaluationSet(
        campaign="wmt99",
        pair=pair,
        reference_name="refA",
        gold_name="mqm",
        systems=[f"S{number}" for number in range(len(hypotheses))],
        gold=[0.0] * len(hypotheses),
        source=list(reference),
        reference=list(reference),
        hypotheses=[list(system) for system in hypotheses],
        **options,
    )


def table_of(content):
    """A table of a paper, of keys as in its file; the caption can be left out."""
    return TypeAdapter(PaperTable).validate_python({"caption": ""} | content)


def figure_of(content):
    """A figure of a paper, of keys as in its file; the caption can be left out."""
    return TypeAdapter(PaperFigure).validate_python({"caption": ""} | content)


def check_of(content):
    """A check of a paper's claim, of keys as in its file."""
    return TypeAdapter(Check).validate_python(content)


@pytest.fixture
def command(capsys):
    """Return what runs `mt-difficulty`: exit code, stdout and stderr."""

    def run(*arguments):
        code = cli.main([*map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="session")
def shared():
    """Return the folder of real data and oracles, which stands beside the repository."""
    folder = Path(os.environ.get("MT_DIFFICULTY_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is not there (set MT_DIFFICULTY_SHARED to its place)")
    return folder


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """Return what gives a folder that the first process of the session that asks for it fills."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def give(name, fill):
        folder, filled = base / "once" / name, base / "once" / f"{name}.filled"
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not filled.exists():
                fill(folder)
                filled.touch()
        return folder

    return give


@pytest.fixture(scope="session")
def excerpt(shared, made_once):
    """Return an excerpt of the WMT data, unpacked: `<campaign>/references/...` and so on."""
    packed = shared / "data/mt-metrics-eval-v2-excerpt.tgz"
    return made_once("excerpt", partial(unpack, packed)) / "mt-metrics-eval-v2"


@pytest.fixture(scope="session")
def real(shared, made_once):
    """Return real WMT data of 2022 to 2025, unpacked likewise."""
    packed = shared / "data/mt-metrics-eval-v2-wmt22-25.tgz"
    return made_once("real", partial(unpack, packed)) / "mt-metrics-eval-v2"


@pytest.fixture(scope="session")
def annotation_files(shared, made_once):
    """Return raw human annotations of real campaigns, unpacked; `uniform/` has them in one form."""
    packed = shared / "data/annotations.tgz"
    return made_once("annotations", partial(unpack, packed)) / "annotations"


def unpack(packed, folder):
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")


@pytest.fixture(scope="session")
def wmt23(real):
    """Return what reads WMT23's MQM scores, (systems, segments), and some metrics' scores of the
    same systems, (metrics, systems, segments); references are no systems."""
    folder = real / "wmt23"

    def read(pair, metrics):
        files = [folder / f"human-scores/{pair}.mqm.seg.score"]
        files += [folder / f"metric-scores/{pair}/{metric}.seg.score" for metric in metrics]
        columns = {"header": None, "names": ["system", "score"], "na_values": "None"}
        tables = [pd.read_csv(file, sep="\t", **columns).groupby("system").score for file in files]
        systems = [name for name in tables[0].groups if "ref" not in name]
        people, *scores = ([table.get_group(name) for name in systems] for table in tables)
        return np.array(people), np.array(scores)

    return read


@pytest.fixture(scope="session")
def wordnet(made_once):
    """Return an NLTK data folder with WordNet, made as the workflow makes it."""
    from mt_difficulty.data import download
    from mt_difficulty.errors import Missing

    try:
        return made_once("nltk", download.find_wordnet)
    except Missing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def texts():
    """Return the German references of the demo."""
    path = ROOT / "data/demo/archive/demo/references/en-de.refA.txt"
    return path.read_text(encoding="utf-8").splitlines()


# Of the encoders made here: what they have in common.
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "initializer_range": 0.2,  # so that contexts differ as a trained encoder's do
}
SMALL_LENGTH = 64


@pytest.fixture(scope="session")
def small_bert(texts, made_once):
    """Return a folder with a BERT of random weights and a WordPiece tokenizer of its own."""

    def write(folder):
        import torch
        from tokenizers import BertWordPieceTokenizer
        from transformers import BertConfig, BertModel, BertTokenizer

        words = BertWordPieceTokenizer(lowercase=False)
        # Named beforehand, characters inside of words have the same numbers in every run, and so
        # ties between pairs of them, which the vocabulary depends on, are broken alike.
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        special += [f"##{character}" for character in sorted(set("".join(texts)) - {" "})]
        words.train_from_iterator(texts, 400, show_progress=False, special_tokens=special)
        words.save_model(str(folder))
        options = {"do_lower_case": False, "model_max_length": SMALL_LENGTH}
        BertTokenizer.from_pretrained(folder, **options).save_pretrained(folder)
        torch.manual_seed(1)
        config = BertConfig(vocab_size=400, max_position_embeddings=SMALL_LENGTH, **SMALL)
        BertModel(config).save_pretrained(folder)

    return made_once("small_bert", write)


@pytest.fixture(scope="session")
def small_roberta(texts, made_once):
    """Return a folder with a RoBERTa of random weights and a byte-level tokenizer of its own."""

    def write(folder):
        import torch
        from tokenizers import ByteLevelBPETokenizer
        from transformers import RobertaConfig, RobertaModel, RobertaTokenizer

        bytes_ = ByteLevelBPETokenizer(add_prefix_space=True)
        special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        bytes_.train_from_iterator(texts, 600, special_tokens=special, show_progress=False)
        bytes_.save_model(str(folder))
        # As on the hub, the tokenizer puts no space before the first word unless asked to.
        tokenizer = RobertaTokenizer.from_pretrained(folder, model_max_length=SMALL_LENGTH)
        tokenizer.save_pretrained(folder)
        torch.manual_seed(2)
        length = SMALL_LENGTH + 2
        config = RobertaConfig(vocab_size=600, max_position_embeddings=length, **SMALL)
        RobertaModel(config).save_pretrained(folder)

    return made_once("small_roberta", write)


@pytest.fixture(scope="module")
def one_thread():
    """Keep PyTorch on one thread: small encoders gain nothing from more, and wait on a busy CPU."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@cache
def compile_kernels():
    """Compile once what every copy of the project would compile on its own."""
    rng = np.random.default_rng(1)
    words = [" ".join(rng.choice(list("abcdef"), 5)) for _ in range(20)]
    align_set(make_evalset([words, words[::-1]], words), "fast_align")
    scores, gold = rng.random((2, 5)), rng.random(5)
    mean_correlations(scores, gold, np.array([[0, 1, 2], [1, 2, 3]]))


class Project:
    """A copy of what the repository holds, to run workflows in."""

    def __init__(self, root):
        """`quick.yaml` is a config of fewer draws."""
        self.root, profile = root, root / "workflow/profiles/default"
        self.command = [sys.executable, "-m", "snakemake", "--workflow-profile", str(profile)]
        self.command += ["--cores", "2"]
        (root / "quick.yaml").write_text(yaml.safe_dump(QUICK))
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        compile_kernels()
        for file in (ROOT / "workflow/scripts").rglob("__pycache__/*.nb[ci]"):
            copy = root / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)

    def snakemake(self, *arguments, folder=None, **options):
        """Run snakemake in the copy, or in another folder; return what it printed."""
        return self.run([*self.command, *arguments], folder, **options)

    def validate(self, config, fails=False):
        """What `mt-difficulty validate` says of a config."""
        command = [sys.executable, "-m", "mt_difficulty", "validate", config]
        return self.run(command, None, fails, PYTHONPATH=str(self.root / "workflow/scripts"))

    def run(self, command, folder, fails=False, **environment):
        done = subprocess.run(
            command,
            cwd=folder or self.root,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Return a copy of the project."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="session")
def make_paper_run(project, shared):
    """Return what makes targets of the lexical paper run on the excerpt of the archive."""
    archive = shared / "data/mt-metrics-eval-v2-excerpt.tgz"
    config = {"significance": {"resamples": RESAMPLES, "draws": 20}, "controls": {"draws": 200}}
    (project.root / "fewer.yaml").write_text(yaml.safe_dump(config))
    settings = [f"archive={archive}", "neural=False", "results=results/paper"]

    def make(*targets):
        project.snakemake("--configfile", "fewer.yaml", "--config", *settings, "--", *targets)
        return project.root / "results/paper"

    return make


@pytest.fixture(scope="session")
def paper_run(make_paper_run, wordnet):
    """Return the results of the papers' tables and figures, and their audit."""
    chinese = "results/paper/wmt21.news/en-zh/system_scores.csv"
    return make_paper_run("liu2022", "zhan2021", "results/paper/audit.csv", chinese)


def read_ledger(results, paper):
    """A paper's published cells beside the reproduced ones."""
    ledger = pd.read_csv(results / "audit.csv", keep_default_na=False, na_values=[""])
    return ledger[ledger.paper == paper]


@pytest.fixture(scope="session")
def page_folder(made_once):
    """Return the folder of a made-up run with its pages."""
    import page_run

    return made_once("pages", page_run.render)


@pytest.fixture(scope="session")
def set_files(page_folder):
    """Return the files of that run's set, as a job reads them."""
    suffixes = (".csv", ".json", ".npz", ".svg")
    paths = [str(path) for path in page_folder.rglob("*") if path.suffix in suffixes]
    return read_set("test/en-de", paths)


@pytest.fixture(scope="session")
def browser():
    """Return a headless Chromium, the system's own; nothing is downloaded."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no browser: chromium is not installed (apt-get install chromium)")
    quiet = ["background-networking", "component-update", "sync"]
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", *(f"--disable-{q}" for q in quiet)]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=flags)
        yield chromium
        chromium.close()
