"""`nlmchem fetch`: the only command that opens network connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import DONE, INCOMPLETE, Bar, Call, Command, Progress, Result, record
from corpora.commands.options import argument, option
from corpora.commands.shared import licence_option
from corpora.errors import Argument, ConfigurationError, OptionError, command
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from corpora.fetching.resources import Resource, Settings

_ARTICLES = "articles"
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    licence: tuple[str, ...] = licence_option()
    name: str | None = argument("What to download; `list` shows the names.", default=None, metavar="[NAME]")
    year: int | None = option(None, "Year of MeSH.", default_text="only report the newest year that NLM offers")
    ids: str | None = option(
        None,
        "Ids of articles (PMC123, PMC123.2, pmid:456) joined by commas, or a file with one in a line, or a list of PMC "
        "(CSV with a column PMCID or AccessionID).",
        metavar="IDS|FILE",
    )
    all: bool = option(False, "Fetch all articles of PMC's bucket; later, those that are new or have changed.")
    since: str | None = option(
        None, "With the option for all articles: only those that changed after this day.", metavar="YYYY-MM-DD"
    )
    connections: int = option(4, "Requests to PMC's bucket at the same time.", minimum=1, maximum=64)
    out: Path | None = option(None, "Folder for articles.", short="o", metavar="FOLDER", default_text="the cache")
    mirror: str | None = option(None, "Address that replaces the address of the publisher.", metavar="URL")
    token: bool = option(False, "Send your token of Hugging Face, to huggingface.co only: for models that ask for it.")
    from_file: Path | None = option(None, "File or folder to copy instead of downloading.", metavar="PATH")
    revision: str | None = option(None, "Revision of a model.", default_text="the newest")
    again: bool = option(False, "Download again, even if the file is in the cache.")
    accept_changed: bool = option(False, "Accept a file that differs from the one that was downloaded before.")
    list: bool = option(False, "List what can be downloaded, with licences.")
    cached: bool = option(False, "List what is in the cache.")
    empty: bool = option(False, "Delete NAME from the cache; without NAME delete everything.")


def fetch(options: FetchOptions, progress: Progress) -> Result:
    """Download public data and models into the cache (the folder NLMCHEM_HOME) and verify their checksums.

    If a download is interrupted, run the command again: it continues.
    """
    if options.list:
        return _listed()
    if options.cached:
        return _cached()
    if options.empty:
        from corpora.storage import cache

        freed, kept = cache.empty(options.name)
        sentence = f"{freed / _MEGABYTE:.1f} MB deleted from {cache.home()}"
        return record({"home": str(cache.home()), "bytes": freed}, sentence, problems=kept)
    if options.name is None:
        raise ConfigurationError(f"the name of what to fetch is missing; {command('fetch', list=True)} shows the names")
    return _downloaded(options.name, options, progress)


def _downloaded(name: str, options: FetchOptions, progress: Progress) -> Result:
    from datetime import date

    from corpora.fetching.resources import Settings, needs_year, newest_year, resource
    from corpora.fetching.resources import fetch as fetch_files
    from corpora.storage import cache
    from corpora.storage.atomic import make_folder
    from corpora.storage.locks import hold

    if options.year is None and options.from_file is None and needs_year(name):
        # MeSH of a year is published in the autumn before it.
        year = newest_year(name, date.today().year + 1, Settings(mirror=options.mirror, report=progress))
        title = {"mesh": "NLM offers MeSH"}.get(name, f"the newest {name} is that of")
        return record({"name": name, "year": year}, f"{title} {year}; {command('fetch', name, year=year)} downloads it")
    wanted = resource(name, options.year)
    of_articles = options.ids is not None or options.all
    folder = options.out if of_articles and options.out else cache.folder(wanted.name)
    make_folder(folder.parent)
    with hold(folder), _bars(progress) as bars:
        progress(f"{wanted.title}: {wanted.licence} ({wanted.terms})")
        settings = Settings(mirror=options.mirror, token=options.token, progress=bars, report=progress)
        _refuse_unused(wanted, options)
        if wanted.bucket is not None and of_articles:
            return _fetched_articles(wanted, options, folder, settings)
        paths = fetch_files(
            wanted, settings, options.from_file, options.again, options.accept_changed, options.revision
        )
    files = list(map(str, paths))
    return Result(objects=({"name": wanted.name, "files": files},), lines=files, files=tuple(paths))


def _refuse_unused(wanted: Resource, options: FetchOptions) -> None:
    """Raise `OptionError` for options of articles where none are fetched: no option is ignored."""
    given = {"ids": options.ids, "all": options.all, "since": options.since, "licence": options.licence}
    for name, value in given.items():
        if value and wanted.bucket is None:
            raise OptionError(name, f"is for articles, and {wanted.name} has none; leave it out")
    if options.since is not None and not options.all:
        raise OptionError("since", "is for all articles; add ", Argument("all", True), ", or leave it out")
    if options.ids is not None and options.all:
        raise OptionError("ids", "and ", Argument("all", True), " are given; leave out one of them")


def _fetched_articles(wanted: Resource, options: FetchOptions, out: Path, settings: Settings) -> Result:
    """Fetch articles from the bucket; those that it does not have, and PMIDs, from the service of single articles."""
    from corpora.fetching import pmc
    from corpora.fetching.download import mirrored

    bucket = pmc.Bucket(mirrored(str(wanted.bucket), settings.mirror).rstrip("/"), settings)
    single: list[str] = []
    fetching = pmc.Fetch(bucket, out, options.connections, options.licence)
    if options.all:
        tally = fetching.all(None if options.since is None else pmc.day(options.since))
    else:
        of_pmc, single = pmc.parted(pmc.read_ids(str(options.ids)))
        tally = fetching.by_ids(of_pmc, len(of_pmc))
        if not options.licence:
            # The service of single articles states no licence.
            single += tally.not_there
    problems = [*tally.problems, *(pmc.articles(str(wanted.articles), single, out, settings) if single else ())]
    missing = tally.not_there if options.licence else []
    problems += [f"{article}: it is not in PMC's bucket" for article in missing]
    counts = tally.counts
    fetched = counts[pmc.FETCHED] + len(single) - (len(problems) - counts[pmc.FAILED] - len(missing))
    left = f", {counts[pmc.LEFT_OUT]} left out by their licence" if counts[pmc.LEFT_OUT] else ""
    done = f"{quantity(fetched, 'article')} fetched into {out}, {counts[pmc.UNCHANGED]} unchanged{left}"
    answer = {"articles": fetched, "unchanged": counts[pmc.UNCHANGED], "left_out": counts[pmc.LEFT_OUT]}
    return record(
        {**answer, "failed": len(problems), "out": str(out)},
        f"{done}, {len(problems)} not available",
        problems=problems,
        exit_code=INCOMPLETE if problems else DONE,
        files=(out,),
    )


def _listed() -> Result:
    from corpora.fetching.resources import resources

    lines, objects = [], []
    for resource in resources().values():
        needs = f" (needs {resource.parameter})" if resource.parameter else ""
        lines += [
            f"{resource.name:13} {resource.title}{needs}",
            f"{'':13} licence: {resource.licence}; terms: {resource.terms}",
        ]
        objects.append({"name": resource.name, "title": resource.title, "licence": resource.licence})
    return Result(objects=objects, lines=lines)


def _cached() -> Result:
    from corpora.storage import cache

    kept = cache.contents()
    rows: list[dict[str, Any]] = []
    lines = [f"{cache.home()}: {sum(item.bytes for item in kept) / _MEGABYTE:.1f} MB"]
    for item in kept:
        unfinished = f", {item.unfinished / _MEGABYTE:.1f} MB incomplete" if item.unfinished else ""
        lines.append(f"{item.name:13} {item.bytes / _MEGABYTE:.1f} MB{unfinished}")
        lines += [f"{'':13} {file} sha256 {source.sha256} from {source.source}" for file, source in item.files.items()]
        files = sorted(item.files)
        rows.append({"name": item.name, "bytes": item.bytes, "unfinished": item.unfinished, "files": files})
    faults = [item.fault for item in kept if item.fault is not None]
    return Result(objects=({"home": str(cache.home()), "resources": rows},), lines=lines, problems=faults)


@contextmanager
def _bars(progress: Progress) -> Iterator[Callable[[str, int, int | None], None]]:
    """Shows the downloads of one command: name, done and total (bytes; articles for `articles`)."""
    bars: dict[str, tuple[AbstractContextManager[Bar], Bar]] = {}

    def close(name: str) -> None:
        manager, _ = bars.pop(name)
        manager.__exit__(None, None, None)

    def show(name: str, done: int, total: int | None) -> None:
        if name not in bars:
            manager = progress.bar(total)
            bars[name] = manager, manager.__enter__()
        divisor, unit = (1.0, "") if name == _ARTICLES else (_MEGABYTE, " MB")
        of_total = f" of {total / divisor:.0f}" if total else ""
        bars[name][1].show(done, f"{name}: {done / divisor:.0f}{of_total}{unit}")
        if done == total:
            close(name)

    try:
        yield show
    finally:
        for name in list(bars):
            close(name)


FETCH = Command("fetch", FetchOptions, fetch, Call({"name": "mesh", "year": 2024}))
