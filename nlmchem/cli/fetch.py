"""`nlmchem fetch`: the only command that opens a connection."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from corpora.fetching.resources import Resource, Settings

EXAMPLE = "Example: nlmchem fetch mesh --year 2024"
EVERY = 10.0
"""Seconds between two plain lines of progress."""


def fetch(
    name: Annotated[str | None, typer.Argument(help="What to fetch (--list shows what there is).")] = None,
    year: Annotated[int | None, typer.Option(help="The year of MeSH.")] = None,
    ids: Annotated[Path | None, typer.Option(help="File with ids of articles, one a line (PMC123, pmid:456).")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for articles. [default: the cache]")] = None,
    mirror: Annotated[str | None, typer.Option(help="Address that takes the place of the publisher's.")] = None,
    from_file: Annotated[
        Path | None, typer.Option(help="File or folder to take it from, without any connection.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of a model. [default: the newest]")] = None,
    again: Annotated[bool, typer.Option("--again", help="Fetch it although it is there.")] = False,
    accept_changed: Annotated[
        bool, typer.Option("--accept-changed", help="Take a file that is another than the one fetched before.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="Show what can be fetched, with licences.")] = False,
    cached: Annotated[bool, typer.Option("--cached", help="Show what is in the cache.")] = False,
    empty: Annotated[bool, typer.Option("--empty", help="Remove NAME from the cache, or everything.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Fetch public data and models into the cache (NLMCHEM_HOME), with checksums; a cut download goes on."""
    if list_:
        _list(as_json)
    elif cached:
        _show_cache(as_json)
    elif empty:
        _empty(name)
    elif name is None:
        from corpora.errors import ConfigurationError

        raise ConfigurationError("say what to fetch; `nlmchem fetch --list` shows what there is")
    else:
        from corpora.fetching.resources import Settings, resource

        wanted = resource(name, year)
        _tell_licence(wanted)
        settings = Settings(mirror=mirror, progress=_progress(), report=_warn)
        if ids is not None:
            _fetch_articles(wanted, ids, out, settings, as_json)
            return
        from corpora.fetching.resources import fetch as fetch_files

        paths = fetch_files(wanted, settings, from_file, again, accept_changed, revision)
        print(json.dumps([str(path) for path in paths]) if as_json else "\n".join(map(str, paths)))


def _fetch_articles(wanted: Resource, ids: Path, out: Path | None, settings: Settings, as_json: bool) -> None:
    from corpora.errors import ConfigurationError
    from corpora.fetching.resources import articles
    from corpora.storage import cache

    try:
        lines = [line.split("#")[0].strip() for line in ids.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise ConfigurationError(f"{ids} cannot be read ({error.strerror}); name a file with one id a line") from error
    folder = out or cache.folder(wanted.name)
    wanted_ids = [line for line in lines if line]
    problems = 0
    for problem in articles(wanted, wanted_ids, folder, settings):
        problems += 1
        _warn(problem)
    done = len(dict.fromkeys(wanted_ids)) - problems
    if as_json:
        print(json.dumps({"articles": done, "failed": problems, "out": str(folder)}))
    else:
        print(f"{done} articles in {folder}, {problems} not to be had")
    if problems:
        raise typer.Exit(3)


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
        unfinished = f", {one.unfinished / 1e6:.1f} MB unfinished" if one.unfinished else ""
        print(f"{one.name:13} {one.bytes / 1e6:.1f} MB{unfinished}")
        for file, record in one.files.items():
            print(f"{'':13} {file} sha256 {record.sha256} from {record.source}")


def _empty(name: str | None) -> None:
    from corpora.storage import cache

    print(f"{cache.empty(name) / 1e6:.1f} MB removed from {cache.home()}")


def _tell_licence(wanted: Resource) -> None:
    print(f"{wanted.title}: {wanted.licence} ({wanted.terms})", file=sys.stderr)


def _progress() -> Callable[[str, int, int | None], None]:
    """A bar on a terminal, a line now and then elsewhere."""
    if sys.stderr.isatty():
        return _bar()
    told = time.monotonic()

    def line(name: str, done: int, total: int | None) -> None:
        nonlocal told
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            print(f"{name}: {done}{f' of {total}' if total else ''}", file=sys.stderr, flush=True)

    return line


def _bar() -> Callable[[str, int, int | None], None]:
    from tqdm import tqdm

    bars: dict[str, tqdm[Any]] = {}

    def show(name: str, done: int, total: int | None) -> None:
        if name not in bars:
            bars[name] = tqdm(total=total, desc=name, unit="" if name == "articles" else "B", unit_scale=True)
        bars[name].total = total
        bars[name].update(done - bars[name].n)

    return show


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
