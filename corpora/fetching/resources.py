"""Public data that can be fetched by name into the cache: files, and models of a hub of Hugging Face.

A file is compared with its checksum (published, or recorded at the first download) and is stored only when it is
complete. The client library of the hub is not used: it sends the user's token to any hub, and further data about the
machine.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import urllib.error
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache as remembered
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from corpora.errors import DAMAGE, Argument, ConfigurationError, OptionError, ResourceError, command
from corpora.fetching import download as connection
from corpora.fetching.download import Settings, download, forget, mirrored, open_url
from corpora.storage import cache
from corpora.storage.atomic import remove_leftovers_in, replacing, sha256_of
from corpora.storage.cache import Record
from corpora.storage.packed_streams import READ_FAULTS

__all__ = ["Resource", "ResourceFile", "Settings", "fetch", "newest_year", "resource", "resources"]

CHUNK = 1 << 16
YEARS = 4
"""Years that are tried: NLM publishes MeSH of a year in the autumn before, and moves old ones."""


@dataclass(frozen=True, slots=True)
class ResourceFile:
    """A file to fetch: its name in the cache, its addresses in order of preference, its SHA-256 if published."""

    name: str
    urls: tuple[str, ...]
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """Data that can be fetched by name. One of `files`, `articles` (an address with `{id}`), `model` is set."""

    name: str
    title: str
    licence: str
    terms: str
    files: tuple[ResourceFile, ...] = ()
    articles: str | None = None
    bucket: str | None = None
    """The address of a public bucket with many articles, which is preferred to `articles`."""
    model: str | None = None
    parameter: str | None = None


@remembered
def resources() -> dict[str, Resource]:
    """All resources by name. Addresses can contain `{year}`."""
    table = json.loads(Path(__file__).with_name("resources.json").read_text(encoding="utf-8"))
    read: dict[str, Resource] = {}
    for name, entry in table.items():
        files = (ResourceFile(file["name"], tuple(file["urls"]), file.get("sha256")) for file in entry.get("files", ()))
        others = {key: entry.get(key) for key in ("articles", "bucket", "model", "parameter")}
        read[name] = Resource(name, entry["title"], entry["licence"], entry["terms"], tuple(files), **others)
    return read


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


def newest_year(name: str, latest: int, settings: Settings) -> int:
    """The newest year, of `latest` and the years before it, of which all files of a resource are offered.

    One byte of each file is requested. Raises `ResourceError` if the server does not answer, or has none of the years.
    """
    for year in range(latest, latest - YEARS, -1):
        files = resource(name, year).files
        if all(any(_is_offered(name, mirrored(url, settings.mirror), settings) for url in file.urls) for file in files):
            return year
    place = resource(name, latest).files[0].urls[0].rpartition("/")[0]
    raise ResourceError(
        f"no files of {name} of the years {latest - YEARS + 1} to {latest} were found at {place}; "
        "name another server with ",
        Argument("mirror"),
    )


def _is_offered(name: str, address: str, settings: Settings) -> bool:
    try:
        with open_url(address, {"Range": "bytes=0-0"}, settings):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (404, 410):
            return False
        raise ResourceError(f"{address} cannot be read: the server answered {error.code} {error.reason}") from error
    except connection.FAULTS as error:
        year = command("fetch", name, year=2024)
        why = f"{address} cannot be read ({error}); name a year, as in {year}, try again later, or use "
        raise ResourceError(why, Argument("mirror")) from error


# -- files --------------------------------------------------------------------------------------

WEIGHTS = "model.safetensors"
MODEL_FILES = ("config.json", WEIGHTS, "tokenizer.json", "tokenizer_config.json", "vocab.txt")


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
    if settings.token and wanted.model is None:
        raise OptionError("token", f"is for models, and {wanted.name} is none; leave it out")
    if wanted.model is not None:
        if from_file is None:
            return _fetch_model(wanted, settings, revision)
        wanted = _as_files(wanted, from_file)
    if not wanted.files:
        raise ConfigurationError(f"{wanted.name} needs a list of ids; add ", Argument("ids", "FILE"))
    remove_leftovers_in(cache.folder(wanted.name))
    known = cache.records(wanted.name)
    files = wanted.files
    if from_file is not None and len(files) > 1 and from_file.is_file():
        files = tuple(file for file in wanted.files if file.name == from_file.name)
        if not files:
            names = ", ".join(file.name for file in wanted.files)
            raise ConfigurationError(
                f"{from_file} is not one of {names}; rename it, or give a folder that contains them"
            )
    paths: list[Path] = []
    for file in files:
        target, recorded = cache.folder(wanted.name) / file.name, known.get(file.name)
        paths.append(target)
        if target.exists() and recorded is not None and not again:
            if sha256_of(target) == recorded.sha256:
                continue
            settings.report(f"{target} has changed since it was fetched (its checksum differs); it is fetched again")
        partial = _partial(target, recorded, file.sha256)
        source = _copy(from_file, file, partial) if from_file is not None else _download(file, partial, settings)
        # With `again` and `accept_changed` the publisher may have changed a file without a published checksum.
        expected = file.sha256 or (recorded.sha256 if recorded is not None and not accept_changed else None)
        digest = sha256_of(partial)
        if expected is not None and digest != expected:
            forget(partial)
            origin = "is the published one" if file.sha256 else "was recorded at the first download"
            changed = (", or add ", Argument("accept_changed", True), " if the publisher has changed it")
            raise ResourceError(
                f"{source} has the SHA-256 {digest}, but {expected} {origin}; get it from another place",
                *(() if file.sha256 else changed),
            )
        try:
            _require_whole(partial, file.name)
        except ResourceError:
            forget(partial)
            raise
        _keep(partial, target, Record(source, partial.stat().st_size, digest))
    return paths


def _partial(target: Path, recorded: Record | None, published: str | None) -> Path:
    """The file for an unfinished download, in the folder of a resource, which is ours from now on.

    Raises `ConfigurationError` for a file without a record, unless it has the published content, and for an unfinished
    download in a folder that nlmchem did not make.
    """
    partial = target.with_name(target.name + cache.PARTIAL)
    remedy = "move it away, or set NLMCHEM_HOME to another folder"
    if recorded is None and os.path.lexists(target) and not (target.is_file() and sha256_of(target) == published):
        raise ConfigurationError(f"{target} was not fetched by nlmchem; {remedy}")
    if partial.exists() and not (partial.parent / cache.RECORD).exists():
        raise ConfigurationError(f"{partial} was not written by nlmchem; {remedy}")
    cache.begin(target.parent.name)
    return partial


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


def _as_files(wanted: Resource, place: Path) -> Resource:
    """A model in a folder of the user."""
    if not place.is_dir():
        raise ConfigurationError(f"{place} is not a folder; a model is a folder with config.json and model.safetensors")
    names = [name for name in MODEL_FILES if (place / name).is_file()]
    if WEIGHTS not in names or "config.json" not in names:
        raise ConfigurationError(f"{place} lacks model.safetensors or config.json; convert the model to safetensors")
    return replace(wanted, files=tuple(ResourceFile(name, ()) for name in names), model=None)


# -- models -------------------------------------------------------------------------------------


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
    paths: list[Path] = []
    for file in MODEL_FILES:
        if file not in chosen.files:
            continue
        source, target = f"{model}@{chosen.commit}/{file}", cache.folder(wanted.name) / file
        paths.append(target)
        recorded, published = known.get(file), chosen.files[file]
        is_same = recorded is not None and recorded.source == source and target.exists()
        if recorded is not None and is_same and sha256_of(target) == recorded.sha256:
            continue
        partial = _partial(target, recorded, published)
        url = f"{hub.address}/{model}/resolve/{quote(chosen.commit, safe='')}/{quote(file)}"
        try:
            download(url, file, partial, settings, hub.headers)
        except FileNotFoundError as error:
            raise ResourceError(f"there is no {file} at {url}; use another ", Argument("mirror")) from error
        digest = sha256_of(partial)
        if published and digest != published:
            forget(partial)
            raise ResourceError(f"{url} has the SHA-256 {digest}, but {published} is the published one; fetch it again")
        _keep(partial, target, Record(source, partial.stat().st_size, digest))
    return paths


HUB = "https://huggingface.co"
"""The only address that the user's token is sent to."""
CONVERTER = "SFconvertbot"
"""The account that adds safetensors to models by pull requests. Pull requests of other accounts are not used."""
MAX_PAGES = 100
"""Pages of the list of pull requests. A hub can state any number."""
MAX_ANSWER = 1 << 24
"""Bytes of an answer that lists files."""
_MIRROR = (Argument("mirror"), " or ", Argument("from_file"))


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a model: its commit, and the sha256 of each file (empty where the hub states none)."""

    commit: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Hub:
    """A hub: its address, and the headers that requests have."""

    address: str
    headers: dict[str, str]
    settings: Settings

    @classmethod
    def of(cls, settings: Settings) -> Hub:
        """The mirror, the hub that `HF_ENDPOINT` names, or `HUB`; `HUB` itself if the user's token is sent.

        Raises `OptionError` for a token and a mirror, or where there is no token.
        """
        if not settings.token:
            address = settings.mirror or os.environ.get("HF_ENDPOINT") or HUB
            connection.check_mirror(address)
            return cls(address.rstrip("/"), {}, settings)
        if settings.mirror is not None:
            raise OptionError("token", f"is sent to {HUB} only; leave out ", Argument("mirror"), ", or the token")
        return cls(HUB, {"Authorization": f"Bearer {_token()}"}, settings)

    def revision(self, model: str, name: str) -> Revision:
        """A revision by its name: a branch, a tag, a commit, or `refs/pr/8`. Raises `ResourceError`."""
        answer = self._answer(f"/api/models/{model}/revision/{quote(name, safe='')}?blobs=true")
        try:
            files = {file["rfilename"]: (file.get("lfs") or {}).get("sha256", "") for file in answer["siblings"]}
            return Revision(str(answer["sha"]), files)
        except DAMAGE as error:
            raise self._not_a_hub() from error

    def safe_revision(self, model: str) -> str:
        """`main` if it has safetensors, else the pull request of the hub's own converter that adds them."""
        if WEIGHTS in self.revision(model, "main").files:
            return "main"
        try:
            for request in self._requests_of_converter(model):
                if request["author"]["name"] == CONVERTER and "safetensors" in request["title"]:
                    return f"refs/pr/{int(request['num'])}"
        except DAMAGE as error:
            raise self._not_a_hub() from error
        return "main"

    def _requests_of_converter(self, model: str) -> Iterator[dict[str, Any]]:
        seen = 0
        for page in range(MAX_PAGES):
            query = urlencode({"type": "pull_request", "author": CONVERTER, "p": page})
            answer = self._answer(f"/api/models/{model}/discussions?{query}")
            yield from (entry for entry in answer["discussions"] if entry["isPullRequest"])
            seen += len(answer["discussions"])
            if not answer["discussions"] or seen >= answer["count"]:
                return

    def _answer(self, path: str) -> Any:
        """A JSON object."""

        def read(body: bytes) -> Any:
            try:
                return json.loads(body)
            except DAMAGE as error:
                raise self._not_a_hub() from error

        url = self.address + path
        others = (" or ", Argument("from_file"))
        try:
            return connection.answer(url, self.settings, read, MAX_ANSWER, headers=self.headers, others=others)
        except urllib.error.HTTPError as error:
            why = f"the server answered {error.code} {error.reason}"
            raise ResourceError(f"{url} cannot be read: {why}; check the name, the ", *_MIRROR) from error
        except connection.NoAnswerError as error:
            why = f"{url} could not be read ({error}); run the same command again, or use "
            raise ResourceError(why, *_MIRROR) from error

    def _not_a_hub(self) -> ResourceError:
        return ResourceError(f"{self.address} does not answer as a hub of models does; use another ", *_MIRROR)


def _token() -> str:
    """The user's token: `HF_TOKEN`, or the file in which `hf auth login` stores it. Raises `OptionError`."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    place = Path(os.environ.get("HF_TOKEN_PATH") or Path(home) / "token").expanduser()
    try:
        token = (os.environ.get("HF_TOKEN") or place.read_text(encoding="utf-8")).strip()
    except (OSError, UnicodeDecodeError):
        token = ""
    if not token or not token.isascii() or not token.isprintable():
        raise OptionError("token", f"is neither in HF_TOKEN nor in {place}; set HF_TOKEN")
    return token
