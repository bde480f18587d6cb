"""Which year of a resource its publisher offers, such as of MeSH."""

from __future__ import annotations

import urllib.error

from corpora.errors import Argument, ResourceError, command
from corpora.fetching.download import FAULTS, Settings, mirrored, open_url
from corpora.fetching.resources import Resource, resource

YEARS = 4
"""Years that are tried: NLM publishes MeSH of a year in the autumn before, and moves old ones."""


def newest_year(name: str, latest: int, settings: Settings) -> int:
    """The newest year, of `latest` and the years before it, of which all files of a resource are offered.

    One byte of each file is requested. Raises `ResourceError` if the server does not answer, or has none of the years.
    """
    for year in range(latest, latest - YEARS, -1):
        if _is_offered(resource(name, year), settings):
            return year
    raise ResourceError(
        f"no files of {name} of the years {latest - YEARS + 1} to {latest} were found at {_place(name, latest)}; "
        "name another server with ",
        Argument("mirror"),
    )


def _is_offered(wanted: Resource, settings: Settings) -> bool:
    return all(any(_has(wanted.name, url, settings) for url in file.urls) for file in wanted.files)


def _has(name: str, url: str, settings: Settings) -> bool:
    address = mirrored(url, settings.mirror)
    try:
        with open_url(address, {"Range": "bytes=0-0"}, settings):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (404, 410):
            return False
        raise ResourceError(f"{address} cannot be read: the server answered {error.code} {error.reason}") from error
    except FAULTS as error:
        year = command("fetch", name, year=2024)
        why = f"{address} cannot be read ({error}); name a year, as in {year}, try again later, or use "
        raise ResourceError(why, Argument("mirror")) from error


def _place(name: str, year: int) -> str:
    return resource(name, year).files[0].urls[0].rpartition("/")[0]
