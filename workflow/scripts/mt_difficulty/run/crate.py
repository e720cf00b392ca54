"""A run's provenance as an RO-Crate: a Workflow Run Crate, made from the records of its jobs."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .. import __version__, storage
from ..data.contents import checksum
from ..errors import InputError
from .comparison import outside_inputs, read_records
from .project import CHECKOUT

if TYPE_CHECKING:
    from rocrate.model.entity import Entity
    from rocrate.rocrate import ROCrate

METADATA = "ro-crate-metadata.json"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
# A crate must say when it was published. So that equal runs have equal bytes, it is 1970-01-01, or
# the day of this variable, in seconds since then, as for reproducible builds.
EPOCH = "SOURCE_DATE_EPOCH"
LICENSE = "https://spdx.org/licenses/MIT"
WORKFLOW = "workflow/Snakefile"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
FORMATS = {".csv": "text/csv", ".json": "application/json", ".html": "text/html"}
FORMATS |= {".svg": "image/svg+xml", ".pdf": "application/pdf", ".md": "text/markdown"}
Records = Mapping[str, dict[str, Any]]


def write_crate(results: Path) -> Path:
    """Make the folder of a run's results a crate: describe the results and how they were made.

    Every job is a CreateAction: its instrument is the rule, with the SHA-256 of its code and the
    versions of its libraries; its objects are its inputs, with their SHA-256, and its settings; its
    results are files of the crate. The action of the whole run has the workflow as its instrument
    and the files that no job made as its objects.

    Returns
    -------
    path
        The file of metadata.

    Raises
    ------
    InputError
        There are no records of a run, a result is not what its job wrote, or the workflow is not
        beside this package.
    """
    records = read_records(results)
    if not (CHECKOUT / WORKFLOW).is_file():
        raise InputError("a crate holds the workflow: use mt-difficulty of the project's checkout.")
    made = {file: sha for record in records.values() for file, sha in record["outputs"].items()}
    for file, sha256 in sorted(made.items()):
        if not (results / file).is_file() or checksum(results / file) != sha256:
            raise InputError(
                f"{results / file}: not as its job wrote it. Run the workflow again. If the config "
                f"no longer has its set, delete the set's records in {results / 'provenance'}."
            )
    snakefile = (CHECKOUT / WORKFLOW).read_text(encoding="utf-8")
    storage.write_text(results / WORKFLOW, snakefile)
    content = _crate(results, records, made).metadata.generate()
    content["@graph"].sort(key=lambda each: (each["@id"] not in (METADATA, "./"), each["@id"]))
    storage.write_json(results / METADATA, content)
    return results / METADATA


def _crate(results: Path, records: Records, made: Mapping[str, str]) -> ROCrate:
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    published = datetime.fromtimestamp(int(os.environ.get(EPOCH, "0")), UTC)
    profiles = [
        _add(crate, url, "CreativeWork", name=name, version=version)
        for url, (name, version) in PROFILES.items()
    ]
    about = {
        "name": f"mt-difficulty: {results.resolve().name}",
        "description": "Results of a run of mt-difficulty, and how each was made.",
        "license": LICENSE,
        "datePublished": published.date().isoformat(),
        "conformsTo": profiles,
        "mainEntity": _workflow(crate, results),
    }
    for key, value in about.items():
        crate.root_dataset[key] = value
    crate.metadata.extra_terms.update(TERMS)
    files = _files(crate, results, records, made)
    jobs = [_job(crate, name, record, files) for name, record in records.items()]
    run = _add(
        crate,
        "#run",
        "CreateAction",
        name="Run of the workflow",
        instrument={"@id": WORKFLOW},
        object=_unique(
            files[file, sha256] for (_, file), sha256 in sorted(outside_inputs(records).items())
        ),
        result=[files[each] for each in sorted(made.items())],
    )
    crate.root_dataset["mentions"] = [run, *jobs]
    return crate


def _add(crate: ROCrate, id_: str, kind: str, **properties: Any) -> Entity:
    """An entity that is no file of the crate; of one `@id` there is one."""
    from rocrate.model.contextentity import ContextEntity

    return crate.add(ContextEntity(crate, id_, {"@type": kind, **properties}))


def _unique(entities: Iterable[Entity]) -> list[Entity]:
    return list({entity.id: entity for entity in entities}.values())


def _workflow(crate: ROCrate, results: Path) -> Entity:
    snakemake = _add(
        crate, SNAKEMAKE, "ComputerLanguage", name="Snakemake", url="https://snakemake.github.io"
    )
    about = {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "mt-difficulty",
        "version": __version__,
        "license": LICENSE,
        "programmingLanguage": snakemake,
        "sha256": checksum(results / WORKFLOW),
    }
    return crate.add_file(results / WORKFLOW, WORKFLOW, properties=about)


def _files(
    crate: ROCrate, results: Path, records: Records, made: Mapping[str, str]
) -> dict[tuple[str, str], Entity]:
    """The files that jobs made or read, by name and SHA-256. Those that no job made, and versions
    of results that were replaced since, are named, but are no part of the crate."""
    found: dict[tuple[str, str], Entity] = {}
    for file, sha256 in sorted(made.items()):
        about = {"sha256": sha256, "contentSize": str((results / file).stat().st_size)}
        if encoding := FORMATS.get(Path(file).suffix):
            about["encodingFormat"] = encoding
        found[file, sha256] = crate.add_file(
            results / file, file, properties={"name": file, **about}
        )
    read = {item for record in records.values() for item in record["inputs"].items()}
    for file, sha256 in sorted(read - found.keys()):
        name = f"#{quote(file)}-{sha256[:12]}"
        found[file, sha256] = _add(crate, name, "CreativeWork", name=file, sha256=sha256)
    return found


def _job(
    crate: ROCrate, name: str, record: dict[str, Any], files: Mapping[tuple[str, str], Entity]
) -> Entity:
    libraries = [
        _add(crate, f"#{library}-{version}", "SoftwareApplication", name=library, version=version)
        for library, version in sorted(record["versions"].items())
    ]
    versions = json.dumps(record["versions"], sort_keys=True)
    rule = _add(
        crate,
        f"#{record['rule']}-{_digest(record['code'] + versions)}",
        "SoftwareApplication",
        name=record["rule"],
        description="A rule of the workflow; sha256 is that of all code that it runs.",
        sha256=record["code"],
        softwareRequirements=libraries,
    )
    text = json.dumps(record["params"], sort_keys=True, ensure_ascii=False)
    settings = _add(
        crate, f"#settings-{_digest(text)}", "PropertyValue", name="settings", value=text
    )
    return _add(
        crate,
        f"#job/{quote(name)}",
        "CreateAction",
        name=name,
        instrument=rule,
        object=[*(files[each] for each in sorted(record["inputs"].items())), settings],
        result=[files[each] for each in sorted(record["outputs"].items()) if each in files],
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
