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

from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.embedding import encoders
from mt_difficulty.errors import InputError, Missing

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
    for name, paper in PAPERS.items():
        assert paper.get("layers", {}).items() <= expected.items(), name


def test_every_baseline_is_bert_scores():
    files = sorted(BASELINES.glob("*/**/*.tsv"))
    assert len(files) > 50
    for path in files:
        language, *model = path.relative_to(BASELINES).with_suffix("").parts
        # bert-score takes the row by its place.
        rows = pd.read_csv(path)[["P", "R", "F"]].to_numpy()
        found = [encoders.baseline("/".join(model), layer, language) for layer in range(len(rows))]
        np.testing.assert_array_equal(found, rows, err_msg=str(path))


# A hub


class Hub:
    """The routes of the model hub that a download uses, for one repository at one revision."""

    NAME, REVISION, SHA = "some/model", "v1", "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, files):
        self.files = files
        self.downloaded = []  # names of files, in order
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
        name = request.path.removeprefix(f"/{self.NAME}/resolve/{self.SHA}/")
        if request.path == f"/api/models/{self.NAME}/revision/{self.REVISION}":
            siblings = [{"rfilename": file} for file in self.files]
            body = json.dumps({"id": self.NAME, "sha": self.SHA, "siblings": siblings}).encode()
        else:
            body = self.files.get(name, b"")
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
        request.send_header("X-Repo-Commit", self.SHA)
        request.end_headers()
        if request.command == "GET":
            self.downloaded += [name] * (name in self.files)
            request.wfile.write(body)


WANTED = {
    "config.json": b'{"model_type": "bert"}',
    "model.safetensors": bytes(range(256)) * 2000,
    "sentencepiece.bpe.model": b"pieces",
    "tokenizer.json": b"{}",
    "vocab.txt": b"[PAD]\n",
}
OTHERS = {"README.md": b"# A model", "onnx/model.safetensors": b"onnx"}
OTHERS |= {"pytorch_model.bin": b"pickled", "tf_model.h5": b"tf"}


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


def download(folder):
    encoders.download("mine", Hub.NAME, Hub.REVISION, folder)


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
    assert sorted(hub.downloaded) == sorted(WANTED)
    download(tmp_path / "encoder")  # once
    assert len(hub.downloaded) == len(WANTED)


def test_a_hub_that_cannot_be_reached(monkeypatch, tmp_path):
    """The message says what was wanted, where it should be, and both ways out."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        closed = server.server_port
    point_at(monkeypatch, f"http://127.0.0.1:{closed}")
    with pytest.raises(InputError) as error:
        download(tmp_path)
    message = str(error.value)
    assert message.startswith("encoder mine: some/model at revision v1 could not be fetched")
    parts = ("refused", f"{tmp_path} does not hold", "NEURAL=no", "encoders, mine: folder)")
    assert [part for part in parts if part not in message] == []


def test_what_has_no_safetensors_is_missing(hub, tmp_path):
    del hub.files["model.safetensors"]
    with pytest.raises(Missing, match="has no safetensors, and pickled weights are not loaded"):
        download(tmp_path)


# Random encoders


def test_a_random_encoder_is_the_same_twice(tmp_path, texts):
    first, second, other = (
        encoders.build_random(tmp_path / name, texts[::step], 32, 2, seed)
        or encoders.checksums(name, tmp_path / name)
        for name, step, seed in (("a", 1, 7), ("b", -1, 7), ("c", 1, 8))
    )
    assert first == second
    assert {name for name in first if first[name] != other[name]} == {"model.safetensors"}
