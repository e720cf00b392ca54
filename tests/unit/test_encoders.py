"""Where encoders come from: bert-score's own tables, a hub imitated on this machine, random."""

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import bert_score.utils
import huggingface_hub.constants
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from mt_difficulty.data.language import target_language
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.embedding import encoders
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

BASELINES = Path(bert_score.utils.__file__).parent / "rescale_baseline"

CONFIG = read_yaml(ROOT / "config.yaml")
PAPERS = {path.stem: read_yaml(path) for path in (ROOT / "workflow/papers").glob("*.yaml")}

# bert-score's defaults


def test_the_stated_layers_are_bert_scores():
    layers = bert_score.utils.model2layers
    models = {key: settings.get("model", key) for key, settings in CONFIG["encoders"].items()}
    expected = {key: layers[model] for key, model in models.items()}
    assert {key: settings["layer"] for key, settings in CONFIG["encoders"].items()} == expected
    stated = [paper["layers"] for paper in PAPERS.values() if "layers" in paper]
    assert len(stated) == 2
    for each in stated:
        assert each.items() <= expected.items()


def test_papers_state_the_encoder_and_layer_of_all_their_sets():
    for paper in PAPERS.values():
        for entry in paper["sets"]:
            named = paper["metrics"] | entry.get("metrics", {})
            for choice in [
                each["encoder"] for each in named.values() if each["type"] == "bertscore"
            ]:
                language = target_language(entry["pair"])
                assert (choice.get(language) or choice["other"]) in paper["layers"]


def test_every_baseline_is_bert_scores():
    files = sorted(BASELINES.glob("*/**/*.tsv"))
    assert len(files) > 50
    for path in files:
        language, *model = path.relative_to(BASELINES).with_suffix("").parts
        # bert-score takes the row by its place.
        rows = pd.read_csv(path)[["P", "R", "F"]].to_numpy()
        found = [encoders.baseline("/".join(model), layer, language) for layer in range(len(rows))]
        np.testing.assert_array_equal(found, rows)


@pytest.mark.parametrize(
    ("model", "layer", "language"),
    [("roberta-large", 17, "de"), ("roberta-large", 25, "en"), ("somebody/else", 1, "en")],
)
def test_a_baseline_that_bert_score_has_not(model, layer, language):
    assert encoders.baseline(model, layer, language) is None


# A hub


class Hub:
    """The routes of the model hub that a download uses, for one repository at one revision."""

    NAME, REVISION, SHA = "some/model", "v1", "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, files):
        self.files = files
        self.breaking = None  # a file of which every download stops half-way
        self.requests = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                hub.answer(self)

            do_HEAD = do_GET

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, request):
        self.requests.append((request.command, request.path))
        api = f"/api/models/{self.NAME}/revision/{self.REVISION}"
        resolve = f"/{self.NAME}/resolve/{self.SHA}/"
        if request.path == api:
            siblings = [{"rfilename": name} for name in self.files]
            info = {"id": self.NAME, "sha": self.SHA, "siblings": siblings}
            self.send(request, json.dumps(info).encode())
        elif request.path.removeprefix(resolve) in self.files:
            self.send(request, self.files[request.path.removeprefix(resolve)])
        else:
            self.send(request, b"", status=404)

    def send(self, request, body, status=200):
        name, command = Path(request.path).name, request.command
        breaks = command == "GET" and name == self.breaking
        start = int(request.headers.get("Range", "bytes=0-")[6:].split("-")[0])
        request.send_response(206 if start else status)
        if start:
            request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        request.send_header("Content-Length", str(len(body) - start))
        request.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
        request.send_header("X-Repo-Commit", self.SHA)
        request.end_headers()
        if command == "GET":
            request.wfile.write(body[start : len(body) // 2 if breaks else None])
        request.close_connection = breaks

    def downloaded(self):
        """The files that were asked for, in order."""
        paths = [path for command, path in self.requests if command == "GET"]
        return [Path(path).name for path in paths if "/resolve/" in path]


WANTED = {
    "config.json": b'{"model_type": "bert"}',
    "model.safetensors": bytes(range(256)) * 2000,
    "sentencepiece.bpe.model": b"pieces",
    "tokenizer.json": b"{}",
    "vocab.txt": b"[PAD]\n",
}
OTHERS = {
    ".gitattributes": b"",
    "README.md": b"# A model",
    "flax_model.msgpack": b"flax",
    "onnx/model.safetensors": b"onnx",
    "pytorch_model.bin": b"pickled",
    "tf_model.h5": b"tf",
}


def point_at(monkeypatch, url):
    """Make the hub's client use an address, without waiting between its attempts."""
    constants = huggingface_hub.constants
    path = constants.HUGGINGFACE_CO_URL_TEMPLATE.removeprefix(constants.ENDPOINT)
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + path)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def hub(monkeypatch):
    hub = Hub({**WANTED, **OTHERS})
    point_at(monkeypatch, hub.url)
    yield hub
    hub.server.shutdown()
    hub.server.server_close()


def download(folder, revision=Hub.REVISION):
    encoders.download("mine", Hub.NAME, revision, folder)


def held(folder):
    """The files that an encoder is loaded from."""
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".")
    }


def test_a_download_fetches_what_an_encoder_consists_of(hub, tmp_path):
    download(tmp_path / "encoder")
    assert held(tmp_path / "encoder") == WANTED
    assert sorted(hub.downloaded()) == sorted(WANTED)


def test_a_second_download_asks_for_nothing(hub, tmp_path):
    download(tmp_path)
    hub.requests.clear()
    download(tmp_path)
    assert hub.requests == []
    assert held(tmp_path) == WANTED


def expect_refusal(folder, revision=Hub.REVISION):
    """The message says what was wanted, where it should be, and both ways out."""
    with pytest.raises(InputError) as error:
        download(folder, revision)
    message = str(error.value)
    assert message.startswith(f"encoder mine: some/model at revision {revision} could not be")
    assert f"{folder} does not hold it" in message
    assert "NEURAL=no" in message
    assert "(config, encoders, mine: folder)" in message
    assert "\n" not in message
    return message


def test_a_hub_that_cannot_be_reached(monkeypatch, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        closed = server.server_port
    point_at(monkeypatch, f"http://127.0.0.1:{closed}")
    assert "refused" in expect_refusal(tmp_path)
    assert held(tmp_path) == {}


def test_a_download_that_breaks_off_is_completed_by_the_next(hub, tmp_path):
    hub.breaking = "model.safetensors"
    expect_refusal(tmp_path)
    assert "model.safetensors" not in held(tmp_path)
    hub.breaking = None
    hub.requests.clear()
    download(tmp_path)
    assert held(tmp_path) == WANTED
    # What had arrived before is not fetched again.
    assert "config.json" not in hub.downloaded()


# Random encoders


def test_a_random_encoder_is_the_same_twice(tmp_path, texts):
    encoders.build_random(tmp_path / "one", texts, 32, 2, seed=7)
    encoders.build_random(tmp_path / "two", texts[::-1], 32, 2, seed=7)
    encoders.build_random(tmp_path / "other", texts, 32, 2, seed=8)
    one, two, other = (
        encoders.checksums(name, tmp_path / name) for name in ("one", "two", "other")
    )
    assert one == two
    assert {name for name in one if one[name] != other[name]} == {"model.safetensors"}


def test_a_random_encoder_tells_words_apart(tmp_path, texts):
    """A token is more like itself elsewhere than like others, or nothing could be tried with it."""
    encoders.build_random(tmp_path, texts, 128, 2, seed=7)
    encoder = Encoder(tmp_path, 2, device="cpu")
    tokens = encoder.tokenize([texts[1], "Heute: " + texts[1]])
    one, other = encoder.encode(np.split(tokens.ids, tokens.lengths[:1]))
    similarity = one[1:-1] @ other[3:-1].T
    size = len(similarity)
    same = np.equal.outer(tokens.ids[1 : size + 1], tokens.ids[1 : size + 1])
    assert similarity.shape == same.shape
    assert similarity[same].min() > similarity[~same].max()
