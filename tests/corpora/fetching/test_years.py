"""Which year of MeSH the server of NLM offers, asked on loopback."""

from __future__ import annotations

import pytest
from loopback_site import Request, Site

from corpora.errors import ResourceError
from corpora.fetching.resources import Settings, newest_year


def offering(*years: int, supplements: bool = True) -> object:
    """A server with the files of these years at the addresses of NLM."""
    names = {f"{kind}{year}.gz" for year in years for kind in ("desc", *(("supp",) if supplements else ()))}

    def behave(request: Request) -> None:
        folder, _, name = request.path.rpartition("/")
        is_there = name in names and folder == "/projects/mesh/MESH_FILES/xmlmesh"
        request.answer(b"x" if is_there else b"", 206 if is_there else 404)

    return behave


def test_the_newest_year_with_all_files_is_found_with_one_byte_of_each(site: Site, settings: Settings) -> None:
    site.behave = offering(2025, 2026)  # type: ignore[assignment]
    assert newest_year("mesh", 2027, _at(site, settings)) == 2026
    assert {headers["Range"] for _, headers in site.requests} == {"bytes=0-0"}
    assert site.requests[0][0] == "/projects/mesh/2027/xmlmesh/desc2027.gz"


def test_a_year_without_supplementary_records_is_not_offered_yet(site: Site, settings: Settings) -> None:
    site.behave = offering(2026, supplements=False)  # type: ignore[assignment]
    with pytest.raises(ResourceError, match="no files of mesh of the years 2023 to 2026 were found at https://"):
        newest_year("mesh", 2026, _at(site, settings))


@pytest.mark.parametrize("code", [403, 500])
def test_a_server_that_refuses_is_an_error_and_no_missing_year(site: Site, settings: Settings, code: int) -> None:
    site.behave = lambda request: request.answer(b"", code)
    with pytest.raises(ResourceError, match=f"cannot be read: the server answered {code}"):
        newest_year("mesh", 2026, _at(site, settings))


def _at(site: Site, settings: Settings) -> Settings:
    return Settings(mirror=site.address, timeout=settings.timeout, report=settings.report)
