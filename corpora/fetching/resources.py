"""Public data that can be fetched by name: files, articles by id, models.

With `corpora.fetching.download` the only code of this project that opens a connection. An interrupted download is
continued. A file is compared with its checksum (published, or recorded at the first download) and is stored only when
it is complete. Proxies are those of the environment (`https_proxy`, `no_proxy`).
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import urllib.error
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache as remembered
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import (
    Argument,
    ArticleError,
    ConfigurationError,
    InputError,
    OptionError,
    ResourceError,
    command,
    shortened,
)
from corpora.fetching import download as connection
from corpora.fetching.download import RETRIED, Settings, download, forget, mirrored
from corpora.fetching.hub import WEIGHTS, Hub, Revision
from corpora.reading import OpenInput, documents
from corpora.reporting import ignore
from corpora.storage import cache
from corpora.storage.atomic import remove_leftovers_in, replacing, sha256_of, write_bytes
from corpora.storage.cache import Record
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.storage.packed_streams import READ_FAULTS

__all__ = ["Resource", "Settings", "articles", "fetch", "resource", "resources"]

CHUNK = 1 << 16
MAX_ARTICLE = 1 << 26
MAX_DIGITS = 12
"""Bytes of an article from a server."""


@dataclass(frozen=True, slots=True)
class ResourceFile:
    """A file to fetch: its name in the cache, its addresses in order of preference, its SHA-256 if published."""

    name: str
    urls: tuple[str, ...]
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """Data that can be fetched by name. One of `files`, `articles` (an address with `{id}`), `model` is set.

    `bucket`: the address of a public bucket with many articles, which is preferred to `articles`.
    """

    name: str
    title: str
    licence: str
    terms: str
    files: tuple[ResourceFile, ...] = ()
    articles: str | None = None
    bucket: str | None = None
    model: str | None = None
    parameter: str | None = None


# -- table --------------------------------------------------------------------------------------


@remembered
def resources() -> dict[str, Resource]:
    """All resources by name. Addresses can contain `{year}`."""
    table = json.loads(Path(__file__).with_name("resources.json").read_text(encoding="utf-8"))
    return {name: _resource(name, entry) for name, entry in table.items()}


def _resource(name: str, entry: dict[str, Any]) -> Resource:
    files = tuple(
        ResourceFile(file["name"], tuple(file["urls"]), file.get("sha256")) for file in entry.get("files", ())
    )
    others = {key: entry.get(key) for key in ("articles", "bucket", "model", "parameter")}
    return Resource(name, entry["title"], entry["licence"], entry["terms"], files, **others)


def needs_year(name: str) -> bool:
    """Whether a resource is one of several years."""
    known = resources().get(name)
    return known is not None and known.parameter == "year"


def resource(name: str, year: int | None = None) -> Resource:
    """A resource by name, for a year if it needs one. Raises `ConfigurationError` for an unknown name or no year."""
    known = resources().get(name)
    if known is None:
        raise ConfigurationError(f"no resource is called {name!r}; choose one of {', '.join(resources())}")
    if known.parameter != "year":
        return known
    if year is None or not 1999 <= year <= 2100:
        raise ConfigurationError(f"{name} needs a year; add it, as in {command('fetch', name, year=2024)}")
    files = tuple(
        ResourceFile(file.name.format(year=year), tuple(url.format(year=year) for url in file.urls))
        for file in known.files
    )
    return Resource(known.name, known.title, known.licence, known.terms, files)


# -- files --------------------------------------------------------------------------------------


def fetch(
    wanted: Resource,
    settings: Settings | None = None,
    from_file: Path | None = None,
    again: bool = False,
    accept_changed: bool = False,
    revision: str | None = None,
) -> list[Path]:
    """Fetch a resource into the cache. Returns the paths of its files.

    Files with a correct checksum are not fetched again, unless `again`. `from_file`: a file, or a folder with files of
    the same names, that is copied instead of a download. `accept_changed`: accept a file with another checksum than the
    recorded one. `revision`: the version of a model. Raises `ResourceError` if a file cannot be fetched completely, and
    `ConfigurationError` for wrong usage.
    """
    settings = settings or Settings()
    if settings.token:
        _check_token(wanted, settings)
    if wanted.model is not None:
        if from_file is None:
            return _fetch_model(wanted, settings, revision)
        wanted = _as_files(wanted, from_file)
    if not wanted.files:
        raise ConfigurationError(f"{wanted.name} needs a list of ids; add ", Argument("ids", "FILE"))
    remove_leftovers_in(cache.folder(wanted.name))
    known = cache.records(wanted.name)
    files = _named_by(from_file, wanted.files)
    return [_one(wanted.name, file, known, settings, from_file, again, accept_changed) for file in files]


def _named_by(from_file: Path | None, files: tuple[ResourceFile, ...]) -> tuple[ResourceFile, ...]:
    """The files to fetch. If `from_file` is one of several files, only the file with its name."""
    if from_file is None or len(files) == 1 or not from_file.is_file():
        return files
    named = tuple(file for file in files if file.name == from_file.name)
    if not named:
        names = ", ".join(file.name for file in files)
        raise ConfigurationError(f"{from_file} is not one of {names}; rename it, or give a folder that contains them")
    return named


def _one(
    name: str,
    file: ResourceFile,
    known: dict[str, Record],
    settings: Settings,
    from_file: Path | None,
    again: bool,
    accept_changed: bool,
) -> Path:
    target = cache.folder(name) / file.name
    recorded = known.get(file.name)
    if target.exists() and recorded is not None and not again:
        if sha256_of(target) == recorded.sha256:
            return target
        settings.report(f"{target} has changed since it was fetched (its checksum differs); it is fetched again")
    partial = target.with_name(target.name + cache.PARTIAL)
    _refuse_file_of_the_user(target, recorded, file.sha256)
    _refuse_partial_of_the_user(partial)
    cache.begin(name)
    source = _copy(from_file, file, partial) if from_file is not None else _download(file, partial, settings)
    digest = sha256_of(partial)
    expected = file.sha256 or (recorded.sha256 if recorded is not None and not accept_changed else None)
    if expected is not None and digest != expected:
        forget(partial)
        origin = "is the published one" if file.sha256 else "was recorded at the first download"
        changed = (", or add ", Argument("accept_changed", True), " if the publisher has changed it")
        remedy = () if file.sha256 else changed
        raise ResourceError(
            f"{source} has the SHA-256 {digest}, but {expected} {origin}; get it from another place", *remedy
        )
    try:
        _require_whole(partial, file.name)
    except ResourceError:
        forget(partial)
        raise
    _keep(partial, target, Record(source, partial.stat().st_size, digest))
    return target


def _refuse_file_of_the_user(target: Path, recorded: Record | None, published: str | None) -> None:
    """Raise `ConfigurationError` for a file without a record, unless it has the published content."""
    if recorded is None and os.path.lexists(target) and not (target.is_file() and sha256_of(target) == published):
        raise ConfigurationError(
            f"{target} was not fetched by nlmchem; move it away, or set NLMCHEM_HOME to another folder"
        )


def _refuse_partial_of_the_user(partial: Path) -> None:
    """Raise `ConfigurationError` for an unfinished download in a folder that nlmchem did not make."""
    if partial.exists() and not (partial.parent / cache.RECORD).exists():
        raise ConfigurationError(
            f"{partial} was not written by nlmchem; move it away, or set NLMCHEM_HOME to another folder"
        )


def _keep(partial: Path, target: Path, record: Record) -> None:
    """Give a complete download its name."""
    # First the record: after a kill between the two, the file is fetched again.
    cache.remember(target.parent.name, target.name, record)
    partial.replace(target)
    forget(partial)


def _copy(place: Path, file: ResourceFile, partial: Path) -> str:
    source = place / file.name if place.is_dir() else place
    if not source.is_file():
        raise ConfigurationError(f"no file at {source}; name the file {file.name}, or a folder that holds it")
    with source.open("rb") as stream, replacing(partial) as out:
        shutil.copyfileobj(stream, out, CHUNK)
    return str(source.resolve())


def _require_whole(path: Path, name: str) -> None:
    """Raise `ResourceError` for an incomplete archive, or one with other content. Often no checksum is known."""
    try:
        if name.endswith((".gz", ".tgz")):
            with gzip.open(path) as stream:
                head = stream.read(1 << 10)
                # The files of the track are archives, although their names end with .json.gz.
                packed = head[257:262] == b"ustar"
                if not packed and (name.endswith("tgz") or not head or b"\0" in head):
                    raise ValueError("it contains neither text nor an archive")
                while stream.read(1 << 20):
                    pass
        elif name.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                broken = archive.testzip()
                if broken is not None:
                    raise zipfile.BadZipFile(f"{broken} is broken")
    except (*READ_FAULTS, ValueError) as error:
        raise ResourceError(
            f"{name} is broken or cut off ({error}); fetch it again or from a ", Argument("mirror")
        ) from error


def _download(file: ResourceFile, partial: Path, settings: Settings) -> str:
    """Download from the first address that has the file. Returns this address."""
    missing: list[str] = []
    for url in file.urls:
        address = mirrored(url, settings.mirror)
        try:
            download(address, file.name, partial, settings)
            return address
        except FileNotFoundError:
            missing.append(address)
    places = " nor at ".join(missing)
    raise ResourceError(f"there is no {file.name} at {places}; check the name, the year, the ", Argument("mirror"))


# -- articles by id -----------------------------------------------------------------------------


def articles(wanted: Resource, ids: Sequence[str], out: Path, settings: Settings | None = None) -> Iterator[str]:
    """Fetch articles into the folder `out`, one file `PMC123.json` each. Yields a sentence for each missing article.

    Ids are PMCIDs, with or without prefix, or PMIDs such as `pmid:123`. An article that exists is not fetched again,
    so the same command continues an interrupted one. Raises `ConfigurationError` for a wrong id, and `ResourceError`
    if the server cannot be reached.
    """
    settings = settings or Settings()
    if wanted.articles is None:
        raise ConfigurationError(f"{wanted.name} is not fetched by ids; leave ", Argument("ids"), " out")
    names = list(dict.fromkeys(_article_name(id) for id in ids))
    remove_leftovers_in(out, r"(?:PMC)?[0-9]+\.json")
    for number, name in enumerate(names, 1):
        target = out / f"{name}.json"
        if not target.exists():
            url = mirrored(wanted.articles, settings.mirror).replace("{id}", name)
            problem = _article(url, name, target, settings)
            if problem is not None:
                yield problem
            settings.sleep(settings.pause)
        settings.progress("articles", number, len(names))


def _article_name(id: str) -> str:
    plain = id.strip()
    is_pmid = plain.lower().startswith("pmid:")
    digits = plain[5:].strip() if is_pmid else plain.upper().removeprefix("PMC")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS):
        raise ConfigurationError(
            f"{shortened(id)!r} is not the id of an article; write PMC1234567, 1234567 (a PMCID) or pmid:1234567"
        )
    return digits if is_pmid else f"PMC{digits}"


def _article(url: str, name: str, target: Path, settings: Settings) -> str | None:
    reason = ""
    for attempt in range(settings.attempts):
        required: str | None = None
        if attempt:
            settings.report(f"{name}: {reason}; attempt {attempt + 1} of {settings.attempts} follows")
        try:
            with connection.open_url(url, {}, settings) as response:
                body = connection.body(response, url, settings, MAX_ARTICLE)
            return _store(body, name, target)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in RETRIED:
                return f"{name}: the server answered {error.code} {error.reason}; it has no such open-access article"
            reason = f"the server answered {error.code} {error.reason}"
            required = error.headers.get("Retry-After")
        except InputError as error:
            reason = str(error)
        except connection.FAULTS as error:
            reason = connection.passing(error, url)
        connection.wait(attempt, settings, required)
    raise ResourceError(
        f"{url} could not be fetched in {settings.attempts} attempts ({reason}); "
        "the articles so far are kept: run the same command again later"
    )


def _store(body: bytes, name: str, target: Path) -> str | None:
    # For a missing article, the service of NCBI answers 200 with a sentence that begins like this.
    if body.lstrip().startswith(b"[Error]"):
        return f"{name}: not in PMC's open-access subset; leave it out, or get it from its publisher"
    file = InputFile(name, PurePosixPath(name))
    try:
        articles = list(documents(OpenInput(Member(file, None, file.relative), io.BytesIO(body)).articles(ignore)))
    except ArticleError as error:
        raise InputError(str(error)) from error
    if not articles:
        return f"{name}: the answer contains no article; open its address in a browser"
    write_bytes(target, body)
    return None


# -- models -------------------------------------------------------------------------------------

MODEL_FILES = ("config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json", "vocab.txt")


def _check_token(wanted: Resource, settings: Settings) -> None:
    if wanted.model is None:
        raise OptionError("token", f"is for models, and {wanted.name} is none; leave it out")


def _as_files(wanted: Resource, place: Path) -> Resource:
    if not place.is_dir():
        raise ConfigurationError(f"{place} is not a folder; a model is a folder with config.json and model.safetensors")
    there = [name for name in MODEL_FILES if (place / name).is_file()]
    if WEIGHTS not in there or "config.json" not in there:
        raise ConfigurationError(f"{place} lacks model.safetensors or config.json; convert the model to safetensors")
    files = tuple(ResourceFile(name, ()) for name in there)
    return Resource(wanted.name, wanted.title, wanted.licence, wanted.terms, files)


def _fetch_model(wanted: Resource, settings: Settings, revision: str | None) -> list[Path]:
    """Fetch a model from its hub. Pickled weights are not fetched."""
    hub, model = Hub.of(settings), str(wanted.model)
    name = revision or hub.safe_revision(model)
    chosen = hub.revision(model, name)
    if WEIGHTS not in chosen.files:
        raise ResourceError(
            f"{model} at {name} has no {WEIGHTS}, and pickled weights are not supported; choose another ",
            Argument("revision"),
            ", or convert it and use ",
            Argument("from_file"),
        )
    remove_leftovers_in(cache.folder(wanted.name))
    known = cache.records(wanted.name)
    return [_of_model(wanted.name, file, hub, model, chosen, known) for file in MODEL_FILES if file in chosen.files]


def _of_model(name: str, file: str, hub: Hub, model: str, chosen: Revision, known: dict[str, Record]) -> Path:
    source, target = f"{model}@{chosen.commit}/{file}", cache.folder(name) / file
    recorded = known.get(file)
    if recorded is not None and recorded.source == source and target.exists() and sha256_of(target) == recorded.sha256:
        return target
    partial = target.with_name(target.name + cache.PARTIAL)
    _refuse_file_of_the_user(target, recorded, chosen.files[file])
    _refuse_partial_of_the_user(partial)
    cache.begin(name)
    url = hub.address_of(model, chosen.commit, file)
    try:
        download(url, file, partial, hub.settings, hub.headers)
    except FileNotFoundError as error:
        raise ResourceError(f"there is no {file} at {url}; use another ", Argument("mirror")) from error
    digest, published = sha256_of(partial), chosen.files[file]
    if published and digest != published:
        forget(partial)
        raise ResourceError(f"{url} has the SHA-256 {digest}, but {published} is the published one; fetch it again")
    _keep(partial, target, Record(source, partial.stat().st_size, digest))
    return target
