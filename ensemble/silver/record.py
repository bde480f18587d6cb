"""What is known about a silver corpus, and its record, `manifest.json`, by which a copy of the folder is checked.

The record has how the corpus was made, the sha256 of every file, and a fingerprint of all: the sha256 of the record
without it. So a corpus has one number that a paper can state.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError, command
from corpora.plugins import version_of
from corpora.reading import read
from corpora.storage.atomic import sha256_of
from corpora.storage.inputs import MANIFEST
from corpora.storage.locks import is_lock
from corpora.storage.owned_files import RECORD
from corpora.words.quantities import quantity
from ensemble.combine import Rule, write_json
from ensemble.runs import EnsembleRun, Poll

SILVER = "nlmchem silver"
FINGERPRINT = "fingerprint"
WRITERS = ("nlmchem", "pyarrow")
"""Packages whose version is in the bytes of the files."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Json = dict[str, Any]


# -- what is known ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class About:
    """What only the makers of a corpus can state. Empty texts are not stated."""

    title: str = "A silver-standard corpus of chemical mentions"
    creator: str = ""
    """An organization, such as a laboratory."""
    url: str = ""
    """Where the corpus is published."""
    published: str = ""
    """A day, as `2026-11-27`."""
    citation: str = ""
    version: str = "1.0.0"


def read_about(path: Path) -> About:
    """The statements in a TOML file, such as `creator = "Our laboratory"`.

    Raises `ConfigurationError` for a file that cannot be read, other keys, values that are no text, and a day that is
    not written as `2026-11-27`.
    """
    names = [field.name for field in fields(About)]
    try:
        stated = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as TOML ({error}); correct it") from error
    for name, value in stated.items():
        if name not in names:
            raise ConfigurationError(f"{path} has the key {name!r}; the keys are {', '.join(names)}")
        if not isinstance(value, str):
            raise ConfigurationError(f"the value of {name} in {path} is no text; write it in quotes")
    if (day := stated.get("published")) and not _DAY.fullmatch(day):
        raise ConfigurationError(f"published in {path} is {day!r}; write the day as 2026-11-27")
    return About(**stated)


@dataclass(frozen=True, slots=True)
class LicenceCount:
    """How many articles have a licence. `url`: its address; empty where the articles do not state it."""

    licence: str
    url: str
    articles: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file of the table of a data set: its path in the data set, and how many articles it has."""

    split: str
    name: str
    documents: int


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run of the corpus. `configuration`: options and hashes of models of its `annotate`; None if not recorded."""

    run: EnsembleRun
    configuration: Json | None

    @property
    def resources(self) -> dict[str, str]:
        """The models and resources of the run: a name, such as `tag: tagger 1`, and a hash or version."""
        steps = (self.configuration or {}).get("steps")
        if not isinstance(steps, dict):
            return {}
        return {
            f"{step}: {name}": str(value)
            for step, settings in steps.items()
            for name, value in sorted((settings.get("resources") or {}).items())
        }

    def as_dict(self) -> Json:
        """The run as the record lists it. It has no path: another machine has another."""
        facts = self.run.as_dict()
        return facts if self.configuration is None else {**facts, "configuration": self.configuration}


def run_facts(poll: Poll) -> tuple[RunFacts, ...]:
    """The runs of a poll, with what their own records state about models."""
    return tuple(RunFacts(run, _configuration(Path(run.path))) for run in poll.runs)


def _configuration(path: Path) -> Json | None:
    """The configuration in the manifest of a run of `annotate`; None if there is no manifest."""
    for manifest in (path / MANIFEST, *sorted(path.glob("manifest-*-of-*.json"))):
        try:
            content = json.loads(manifest.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict) and isinstance(content.get("configuration"), dict):
            return dict(content["configuration"])
    return None


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """All facts: the source of the card, the Croissant metadata and the record."""

    annotator: str
    rule: Rule
    runs: tuple[RunFacts, ...]
    counts: dict[str, int]
    licences: tuple[LicenceCount, ...]
    wanted: tuple[str, ...]
    """The licences that were asked for."""
    left_out: dict[str, int]
    """Numbers of articles by their licence."""
    format_title: str
    """The format of the shards in words."""
    shards: tuple[Json, ...]
    tables: tuple[TableFile, ...]
    shares: Mapping[str, float]
    about: About
    versions: dict[str, str]

    @property
    def splits(self) -> dict[str, int]:
        """The number of articles of each split of the data set."""
        return {name: sum(file.documents for file in self.tables if file.split == name) for name in self.shares}

    def as_dict(self) -> Json:
        """The content of the record, without the hashes of files."""
        content: Json = {
            "versions": self.versions,
            "about": {name: text for name, text in asdict(self.about).items() if text},
            "annotator": self.annotator,
            "rule": self.rule.as_dict(),
            "runs": [run.as_dict() for run in self.runs],
            "counts": self.counts,
            "licences": [asdict(licence) for licence in self.licences],
            "only_licences": list(self.wanted),
            "left_out_by_licence": self.left_out,
            "shards": list(self.shards),
        }
        if self.tables:
            content["splits"] = {
                name: {"share": self.shares[name], "documents": number} for name, number in self.splits.items()
            }
        return content


def versions(packages: tuple[str, ...] = WRITERS) -> dict[str, str]:
    """The versions of packages; those that are not installed are missing."""
    return {package: version for package in packages if (version := version_of(package)) is not None}


# -- the record ---------------------------------------------------------------------------------


def write_record(folder: Path, content: Json) -> Json:
    """Write the record of a folder that has all its other files. Returns the record."""
    record = {"made_by": SILVER, **content, "files": _digests(folder)}
    record[FINGERPRINT] = _fingerprint(record)
    write_json(folder / MANIFEST, record)
    return record


def read_record(folder: Path) -> Json:
    """The record of a silver corpus. Raises `ConfigurationError` where the folder has none."""
    try:
        record = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        record = None
    if (
        not isinstance(record, dict)
        or record.get("made_by") != SILVER
        or not all(isinstance(record.get(key), kind) for key, kind in (("files", dict), ("shards", list)))
    ):
        raise ConfigurationError(
            f"{folder} is not a silver corpus; make one with {command('silver RUN... -o', str(folder))}"
        )
    return record


def _fingerprint(record: Json) -> str:
    content = {key: value for key, value in record.items() if key != FINGERPRINT}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _digests(folder: Path) -> dict[str, str]:
    """The sha256 of each file by its path, without the record and hidden files."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_hidden(path, folder))
    digests = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    digests.pop(MANIFEST, None)
    return digests


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


# -- reading and checking -----------------------------------------------------------------------


def read_silver(folder: Path) -> Iterator[BioCDocument]:
    """The documents of a silver corpus. Each shard is checked against the manifest before it is read.

    Raises `ConfigurationError` if the folder is not a silver corpus, `InputError` for a missing or changed shard.
    """
    record = read_record(folder)
    for shard in record["shards"]:
        name = shard["name"]
        for path, digest in record["files"].items():
            # A shard is a file, or a folder of files.
            if path == name or path.startswith(f"{name}/"):
                file = folder / path
                problem = "is missing" if not file.is_file() else "was changed" if sha256_of(file) != digest else ""
                if problem:
                    raise InputError(f"the shard {file} {problem}; copy the folder again, or make the corpus again")
        yield from read(folder / name)


@dataclass(frozen=True, slots=True)
class Check:
    fingerprint: str
    files: int
    """How many files the record lists."""
    problems: tuple[str, ...] = ()
    """Sentences, a changed record first."""
    notes: tuple[str, ...] = ()

    @property
    def is_as_made(self) -> bool:
        """Whether the folder has all files as they were written, and no others."""
        return not self.problems


def check(folder: Path) -> Check:
    """Compare a silver corpus with its record, and the record with its fingerprint.

    Raises `ConfigurationError` where the folder is not a silver corpus, `OSError`.
    """
    record = read_record(folder)
    listed, found = record["files"], _digests(folder)
    problems = []
    computed = _fingerprint(record)
    if record.get(FINGERPRINT) != computed:
        problems.append(f"{MANIFEST} was changed: its content has the fingerprint {computed}")
    problems += [f"{name} is missing" for name in sorted(listed.keys() - found.keys())]
    problems += [f"{name} was changed" for name in sorted(listed.keys() & found.keys()) if listed[name] != found[name]]
    problems += [f"{name} does not belong to the corpus" for name in sorted(found.keys() - listed.keys())]
    stated = record.get("versions")
    made_with = stated if isinstance(stated, dict) else {}
    notes = [
        f"made with {name} {made_with[name]}; here is {now}, with which the same command may write other bytes"
        for name, now in versions(tuple(made_with)).items()
        if made_with[name] != now
    ]
    hidden = [path for path in folder.rglob("*") if path.is_file() and _is_hidden(path, folder)]
    # Files of ours, which say who owns the folder and lock it, are hidden too.
    unchecked = sum(path.name != RECORD and not is_lock(path.name) for path in hidden)
    if unchecked:
        notes.append(f"{quantity(unchecked, 'hidden file was', 'hidden files were')} not checked")
    return Check(str(record.get(FINGERPRINT)), len(listed), tuple(problems), tuple(notes))
