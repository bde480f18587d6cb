"""Getting public data, with `corpora.fetching.download` the only code of this project that opens a connection.

A download goes on where it was cut off, is compared with a checksum (a given one, or the one recorded on first use)
and is in its place only when it is whole. Proxies are those of the environment (`https_proxy`, `no_proxy`).
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import urllib.error
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache as remembered
from pathlib import Path
from typing import Any

from corpora.errors import ArticleError, ConfigurationError, InputError, ResourceError
from corpora.fetching.download import FAULTS, RETRIED, Settings, download, forget, mirrored, open_url, reason_of, wait
from corpora.formats import biocjson
from corpora.formats.header import Header
from corpora.storage import cache
from corpora.storage.atomic import replacing, write_bytes
from corpora.storage.cache import Record

__all__ = ["Resource", "ResourceFile", "Settings", "articles", "fetch", "resource", "resources"]

CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class ResourceFile:
    """A file to fetch: its name in the cache, addresses in the order in which to try them, its sha256 if known."""

    name: str
    urls: tuple[str, ...]
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that can be fetched by name. One of `files`, `articles` (an address with `{id}`), `model` is set."""

    name: str
    title: str
    licence: str
    terms: str
    files: tuple[ResourceFile, ...] = ()
    articles: str | None = None
    model: str | None = None
    parameter: str | None = None


# -- what there is ------------------------------------------------------------------------------


@remembered
def resources() -> dict[str, Resource]:
    """Everything that can be fetched, by name. Addresses may hold `{year}`."""
    table = json.loads(Path(__file__).with_name("resources.json").read_text(encoding="utf-8"))
    return {name: _resource(name, entry) for name, entry in table.items()}


def _resource(name: str, entry: dict[str, Any]) -> Resource:
    files = tuple(
        ResourceFile(file["name"], tuple(file["urls"]), file.get("sha256")) for file in entry.get("files", ())
    )
    others = {key: entry.get(key) for key in ("articles", "model", "parameter")}
    return Resource(name, entry["title"], entry["licence"], entry["terms"], files, **others)


def resource(name: str, year: int | None = None) -> Resource:
    """A resource by name, with the year put in. Raises `ConfigurationError` for an unknown name or no year."""
    known = resources().get(name)
    if known is None:
        raise ConfigurationError(f"nothing to fetch is called {name!r}; choose one of {', '.join(resources())}")
    if known.parameter != "year":
        return known
    if year is None or not 1999 <= year <= 2100:
        raise ConfigurationError(f"{name} comes by year; say which, as in `nlmchem fetch {name} --year 2024`")
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
    """Every file of a resource in the cache; those that are there and sound are not fetched (unless `again`).

    `from_file`: a file, or a folder with files of the resource's names, to copy in place of a download.
    `accept_changed`: take a file whose checksum is another than the recorded one. Raises `ResourceError` where a file
    cannot be had whole, `ConfigurationError` for wrong usage.
    """
    settings = settings or Settings()
    if wanted.model is not None:
        if from_file is None:
            return _fetch_model(wanted, settings, revision)
        wanted = _as_files(wanted, from_file)
    if not wanted.files:
        raise ConfigurationError(f"{wanted.name} is fetched by a list of ids; add --ids FILE")
    known = cache.records(wanted.name)
    files = _named_by(from_file, wanted.files)
    return [_one(wanted.name, file, known, settings, from_file, again, accept_changed) for file in files]


def _named_by(from_file: Path | None, files: tuple[ResourceFile, ...]) -> tuple[ResourceFile, ...]:
    """The files that are meant: of several, a single file at hand can only be the one of its name."""
    if from_file is None or len(files) == 1 or not from_file.is_file():
        return files
    named = tuple(file for file in files if file.name == from_file.name)
    if not named:
        names = ", ".join(file.name for file in files)
        raise ConfigurationError(f"{from_file} is none of {names}; rename it, or name a folder that holds them")
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
        if cache.sha256_of(target) == recorded.sha256:
            return target
        settings.report(f"{target} is not what was fetched (its checksum differs); it is fetched again")
    partial = target.with_name(target.name + cache.PARTIAL)
    partial.parent.mkdir(parents=True, exist_ok=True)
    source = _copy(from_file, file, partial) if from_file is not None else _download(file, partial, settings)
    found = cache.sha256_of(partial)
    expected = file.sha256 or (recorded.sha256 if recorded is not None and not accept_changed else None)
    if expected is not None and found != expected:
        forget(partial)
        whose = "its publisher states" if file.sha256 else "was recorded when it was first fetched"
        raise ResourceError(
            f"{source} has the sha256 {found}, but {expected} {whose}; get it from another place"
            + ("" if file.sha256 else ", or add --accept-changed if its publisher has changed it")
        )
    try:
        _require_whole(partial, file.name)
    except ResourceError:
        forget(partial)
        raise
    record = Record(source, partial.stat().st_size, found)
    partial.replace(target)
    forget(partial)
    cache.remember(name, file.name, record)
    return target


def _copy(place: Path, file: ResourceFile, partial: Path) -> str:
    source = place / file.name if place.is_dir() else place
    if not source.is_file():
        raise ConfigurationError(f"no file at {source}; name the file {file.name}, or a folder that holds it")
    with source.open("rb") as stream, replacing(partial) as out:
        shutil.copyfileobj(stream, out, CHUNK)
    return str(source.resolve())


def _require_whole(path: Path, name: str) -> None:
    """Archives say themselves whether they are whole: it is all there is to go by when no checksum is known."""
    try:
        if name.endswith((".gz", ".tgz")):
            with gzip.open(path) as stream:
                while stream.read(1 << 20):
                    pass
        elif name.endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                broken = archive.testzip()
                if broken is not None:
                    raise zipfile.BadZipFile(f"{broken} is broken")
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise ResourceError(f"{name} is broken or cut off ({error}); fetch it again or from a --mirror") from error


def _download(file: ResourceFile, partial: Path, settings: Settings) -> str:
    """Fill `partial` from the first address that has the file; says which."""
    missing: list[str] = []
    for url in file.urls:
        address = mirrored(url, settings.mirror)
        try:
            download(address, file.name, partial, settings)
            return address
        except FileNotFoundError:
            missing.append(address)
    places = " nor at ".join(missing)
    raise ResourceError(f"there is no {file.name} at {places}; check the name, the year, the --mirror")


# -- articles by id -----------------------------------------------------------------------------


def articles(wanted: Resource, ids: Sequence[str], out: Path, settings: Settings | None = None) -> Iterator[str]:
    """Fetch articles into `out`, one file `PMC123.json` each; yields a sentence for each one that cannot be had.

    Ids are PMCIDs, with or without prefix, or PMIDs as `pmid:123`. An article that is there already is not asked for
    again, so that the same command goes on where it was stopped. Raises `ConfigurationError` for what is no id, and
    `ResourceError` where the server cannot be reached.
    """
    settings = settings or Settings()
    if wanted.articles is None:
        raise ConfigurationError(f"{wanted.name} does not come by ids; leave --ids out")
    names = list(dict.fromkeys(_article_name(id) for id in ids))
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
    if plain.lower().startswith("pmid:") and plain[5:].strip().isdecimal():
        return plain[5:].strip()
    digits = plain.upper().removeprefix("PMC")
    if not (digits.isascii() and digits.isdecimal()):
        raise ConfigurationError(f"{id!r} is no id of an article; write PMC1234567, 1234567 (a PMCID) or pmid:1234567")
    return f"PMC{digits}"


def _article(url: str, name: str, target: Path, settings: Settings) -> str | None:
    reason = ""
    for attempt in range(settings.attempts):
        try:
            with open_url(url, {}, settings) as response:
                body: bytes = response.read()
            return _store(body, name, target)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in RETRIED:
                return f"{name}: the server says {error.code} {error.reason}; it has no such open-access article"
            reason = f"the server says {error.code} {error.reason}"
            wait(attempt, settings, error.headers.get("Retry-After"))
        except InputError as error:
            reason = str(error)
            wait(attempt, settings)
        except FAULTS as error:
            reason = reason_of(error)
            wait(attempt, settings)
    raise ResourceError(
        f"{url} could not be had in {settings.attempts} attempts ({reason}); "
        "what was fetched is kept: run the same command again later"
    )


def _store(body: bytes, name: str, target: Path) -> str | None:
    # NCBI's service answers 200 for what it does not have, with a sentence that begins like this.
    if body.lstrip().startswith(b"[Error]"):
        return f"{name}: not in PMC's open-access subset; leave it out, or get it from its publisher"

    try:
        raws = list(biocjson.split(io.BytesIO(body), Header(), lambda sentence: None))
        for raw in raws:
            biocjson.parse(raw, lambda sentence: None)
    except ArticleError as error:
        raise InputError(str(error)) from error
    if not raws:
        return f"{name}: the answer holds no article; look at its address in a browser"
    write_bytes(target, body)
    return None


# -- models -------------------------------------------------------------------------------------

MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
CONVERTER = "SFconvertbot"
"""Who proposes safetensors in pull requests to models that have none; nobody else's are trusted."""


def _as_files(wanted: Resource, place: Path) -> Resource:
    if not place.is_dir():
        raise ConfigurationError(f"{place} is no folder; a model is a folder with config.json and model.safetensors")
    there = [name for name in MODEL_FILES if (place / name).is_file()]
    if "model.safetensors" not in there or "config.json" not in there:
        raise ConfigurationError(f"{place} lacks model.safetensors or config.json; convert the model to safetensors")
    files = tuple(ResourceFile(name, ()) for name in there)
    return Resource(wanted.name, wanted.title, wanted.licence, wanted.terms, files)


def _fetch_model(wanted: Resource, settings: Settings, revision: str | None) -> list[Path]:
    """A model through `huggingface_hub`, which resumes and checks; only safetensors and JSON are taken."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    hub = HfApi(endpoint=settings.mirror, library_name="nlmchem")
    folder = cache.folder(wanted.name)
    repository = str(wanted.model)
    try:
        chosen = revision or _safe_revision(hub, repository)
        commit = str(hub.model_info(repository, revision=chosen).sha)
        there = set(hub.list_repo_files(repository, revision=commit))
        if "model.safetensors" not in there:
            raise ResourceError(
                f"{repository} at {chosen} has no model.safetensors, and pickled weights are not loaded here; "
                "name another --revision, or convert it and use --from-file"
            )
        found: list[Path] = []
        for name in MODEL_FILES:
            if name in there:
                settings.progress(name, 0, None)
                found.append(Path(hub.hf_hub_download(repository, name, revision=commit, local_dir=folder)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ResourceError(
            f"{repository} could not be fetched ({reason_of(error).splitlines()[0]}); run the same command again, "
            "or use --mirror or --from-file"
        ) from error
    for path in found:
        source = f"{repository}@{commit}/{path.name}"
        cache.remember(wanted.name, path.name, Record(source, path.stat().st_size, cache.sha256_of(path)))
    return found


def _safe_revision(hub: Any, repository: str) -> str:
    """`main` where it has safetensors, else the pull request of the hub's own converter that adds them."""
    if "model.safetensors" in hub.list_repo_files(repository, revision="main"):
        return "main"
    for discussion in hub.get_repo_discussions(repository, author=CONVERTER):
        if discussion.is_pull_request and discussion.author == CONVERTER and "safetensors" in discussion.title:
            return f"refs/pr/{discussion.num}"
    return "main"
