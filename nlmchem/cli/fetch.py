"""`nlmchem fetch`: the only command that opens network connections."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.commands.options import option
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption
from nlmchem.commands.progress import download_progress, warn

if TYPE_CHECKING:
    from corpora.fetching.resources import Resource, Settings

EXAMPLE = "Example: nlmchem fetch mesh --year 2024"


@dataclass(frozen=True, slots=True)
class Download:
    """What is downloaded, and from where."""

    year: int | None = option(None, "Year of MeSH.")
    ids: Path | None = option(None, "File with the ids of articles, one in a line: PMC123 or pmid:456.", metavar="FILE")
    out: Path | None = option(
        None, "Folder for articles.", flags=("--out", "-o"), metavar="FOLDER", default_text="the cache"
    )
    mirror: str | None = option(None, "Address that replaces the address of the publisher.", metavar="URL")
    from_file: Path | None = option(None, "File or folder to copy instead of downloading.", metavar="PATH")
    revision: str | None = option(None, "Revision of a model.", default_text="the newest")
    again: bool = option(False, "Download again, even if the file is in the cache.")
    accept_changed: bool = option(False, "Accept a file that differs from the one that was downloaded before.")


@dataclass(frozen=True, slots=True)
class CacheAction:
    """What to do instead of a download."""

    list_: bool = option(False, "List what can be downloaded, with licences.", flags=("--list",))
    cached: bool = option(False, "List what is in the cache.")
    empty: bool = option(False, "Delete NAME from the cache; without NAME delete everything.")


@expand_options
def fetch(
    download: Download,
    action: CacheAction,
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="What to download; --list shows the names.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Download public data and models into the cache (the folder NLMCHEM_HOME) and verify their checksums.

    If a download is interrupted, run the command again: it continues.
    """
    if action.list_:
        _list(as_json)
    elif action.cached:
        _show_cache(as_json)
    elif action.empty:
        _empty(name)
    elif name is None:
        from corpora.errors import ConfigurationError

        raise ConfigurationError("the name of what to fetch is missing; `nlmchem fetch --list` shows the names")
    else:
        _download(name, download, as_json)


def _download(name: str, download: Download, as_json: bool) -> None:
    from corpora.fetching.resources import Settings, resource
    from corpora.fetching.resources import fetch as fetch_files

    wanted = resource(name, download.year)
    warn(f"{wanted.title}: {wanted.licence} ({wanted.terms})")
    settings = Settings(mirror=download.mirror, progress=download_progress(), report=warn)
    if download.ids is not None:
        _fetch_articles(wanted, download.ids, download.out, settings, as_json)
        return
    paths = fetch_files(
        wanted, settings, download.from_file, download.again, download.accept_changed, download.revision
    )
    print(json.dumps([str(path) for path in paths]) if as_json else "\n".join(map(str, paths)))


def _fetch_articles(wanted: Resource, ids: Path, out: Path | None, settings: Settings, as_json: bool) -> None:
    from corpora.fetching.resources import articles, read_ids
    from corpora.storage import cache

    folder = out or cache.folder(wanted.name)
    wanted_ids = read_ids(ids)
    problems = 0
    for problem in articles(wanted, wanted_ids, folder, settings):
        problems += 1
        warn(problem)
    done = len(dict.fromkeys(wanted_ids)) - problems
    if as_json:
        print(json.dumps({"articles": done, "failed": problems, "out": str(folder)}))
    else:
        print(f"{done} articles in {folder}, {problems} not available")
    if problems:
        raise typer.Exit(INCOMPLETE)


def _list(as_json: bool) -> None:
    from corpora.fetching.resources import resources

    if as_json:
        rows = [{"name": one.name, "title": one.title, "licence": one.licence} for one in resources().values()]
        print(json.dumps(rows, indent=1))
        return
    for one in resources().values():
        needs = f" (--{one.parameter})" if one.parameter else ""
        print(f"{one.name:13} {one.title}{needs}\n{'':13} licence: {one.licence}; terms: {one.terms}")


def _show_cache(as_json: bool) -> None:
    from corpora.storage import cache

    kept = cache.contents()
    if as_json:
        rows: list[dict[str, Any]] = [
            {"name": one.name, "bytes": one.bytes, "unfinished": one.unfinished, "files": sorted(one.files)}
            for one in kept
        ]
        print(json.dumps({"home": str(cache.home()), "resources": rows}, indent=1))
        return
    print(f"{cache.home()}: {sum(one.bytes for one in kept) / 1e6:.1f} MB")
    for one in kept:
        unfinished = f", {one.unfinished / 1e6:.1f} MB incomplete" if one.unfinished else ""
        print(f"{one.name:13} {one.bytes / 1e6:.1f} MB{unfinished}")
        if one.fault is not None:
            warn(one.fault)
        for file, record in one.files.items():
            print(f"{'':13} {file} sha256 {record.sha256} from {record.source}")


def _empty(name: str | None) -> None:
    from corpora.storage import cache

    print(f"{cache.empty(name) / 1e6:.1f} MB deleted from {cache.home()}")
