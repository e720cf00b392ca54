"""Downloading the archive as a rule of the workflow, from a server on this machine."""

import hashlib
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

NAME = "mt-metrics-eval-v2.tgz"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def server(project, tmp_path):
    """A server of the demo campaign, packed like the official archive; gives its URL."""
    with tarfile.open(tmp_path / NAME, "w:gz") as archive:
        archive.add(project.root / "data/demo/archive/demo", "mt-metrics-eval-v2/demo")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()


def config(project, **settings):
    file = project.root / "download.yaml"
    file.write_text(yaml.safe_dump({"archive": "", "results": "results/http", **settings}))
    return ["--configfile", "data/demo/config.yaml", file.name]


def test_mirrors_checksum_and_no_second_download(project, server, tmp_path):
    checksum = hashlib.sha256((tmp_path / NAME).read_bytes()).hexdigest()
    urls = [f"{server}/gone/{NAME}", f"{server}/{NAME}"]
    arguments = config(project, archive_urls=urls, archive_sha256=checksum)
    target = "results/http/demo/en-de/evalset.json"
    project.snakemake(target, *arguments)
    assert (project.root / f"data/downloads/{NAME}").read_bytes() == (tmp_path / NAME).read_bytes()
    assert (project.root / target).exists()
    (tmp_path / NAME).unlink()
    assert "Nothing to be done" in project.snakemake(target, *arguments)
    (project.root / f"data/downloads/{NAME}").unlink()


def test_nothing_is_left_where_the_archive_cannot_be_had(project, server):
    arguments = config(project, archive_urls=[f"{server}/gone/{NAME}"])
    output = project.snakemake(
        "results/http/demo/en-de/texts.json", *arguments, "--force", fails=True
    )
    assert f"{server}/gone/{NAME}" in output
    assert "make paper ARCHIVE=<a .tgz or an unpacked folder>" in output
    assert not (project.root / f"data/downloads/{NAME}").exists()
