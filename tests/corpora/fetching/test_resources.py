"""What can be fetched, and the cache of what was fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from loopback_site import BODY, Site, thing, whole

from corpora.errors import ConfigurationError
from corpora.fetching.resources import Settings, fetch, resource, resources
from corpora.storage import cache


def test_every_resource_has_a_licence_and_one_kind_of_address() -> None:
    for one in resources().values():
        assert one.licence
        assert one.terms.startswith("https://")
        assert [bool(one.files), one.articles is not None, one.model is not None].count(True) == 1
        for url in (url for file in one.files for url in file.urls):
            assert url.startswith("https://")


def test_mesh_needs_a_year() -> None:
    names = [file.name for file in resource("mesh", 2021).files]
    assert names == ["desc2021.gz", "supp2021.gz"]
    assert all("2021" in file.urls[0] for file in resource("mesh", 2021).files)
    with pytest.raises(ConfigurationError, match="--year 2024"):
        resource("mesh")
    with pytest.raises(ConfigurationError, match="choose one of mesh, nlmchem"):
        resource("nlmchemm")


def test_the_cache_lists_its_contents_and_can_be_emptied(site: Site, settings: Settings, home: Path) -> None:
    site.behave = whole
    fetch(thing(site), settings)
    stranger = home / "notes"
    stranger.mkdir()
    (stranger / "mine.txt").write_text("not fetched")
    [kept] = [one for one in cache.contents() if one.files]
    assert (kept.name, kept.files["thing.bin"].bytes) == ("thing", len(BODY))
    assert cache.empty()[0] >= len(BODY)
    assert not (home / "thing").exists()
    assert (stranger / "mine.txt").exists(), "what was not fetched is not removed"


def test_a_folder_of_the_user_is_not_emptied_whatever_it_contains(site: Site, settings: Settings, home: Path) -> None:
    """`NLMCHEM_HOME` may be a folder with other things, by mistake or on purpose."""
    site.behave = whole
    fetch(thing(site), settings)
    theirs = {
        "thesis/chapter.tex": "years of work", "thesis/films/film.part": "half", "mine/record.json": '{"my": "record"}',
        "mine/notes.txt": "notes", "thing/notes.txt": "notes", "thing/more/film.part": "half", "list/record.json": "[]",
    }  # fmt: skip
    for name, content in theirs.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
    kept = cache.empty()[1]
    assert {name: (home / name).read_text() for name in theirs} == theirs
    assert not (home / "thing" / "thing.bin").exists()
    assert any("2 files in " in sentence and "kept (the first is more)" in sentence for sentence in kept), kept
    assert sum("record.json is not a valid record" in sentence for sentence in kept) == 2


def test_a_fetched_file_that_was_changed_is_not_deleted(site: Site, settings: Settings) -> None:
    site.behave = whole
    [path] = fetch(thing(site), settings)
    path.write_text("corrected by hand")
    [sentence] = cache.empty()[1]
    assert "1 file in " in sentence
    assert "changed since: kept (the first is thing.bin)" in sentence
    assert path.read_text() == "corrected by hand"


@pytest.mark.parametrize("again", [False, True])
def test_a_file_of_the_user_in_the_cache_is_not_replaced(
    again: bool, site: Site, settings: Settings, home: Path
) -> None:
    site.behave = whole
    (home / "thing").mkdir(parents=True)
    (home / "thing" / "thing.bin").write_text("got by hand")
    with pytest.raises(ConfigurationError, match=r"thing\.bin was not fetched by nlmchem; move it away"):
        fetch(thing(site), settings, again=again)
    assert (home / "thing" / "thing.bin").read_text() == "got by hand"
    assert site.requests == []


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache.home() == tmp_path / "home"
    monkeypatch.delenv("NLMCHEM_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.home() == tmp_path / "xdg" / "nlmchem"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/invalid")
    assert cache.home() == Path.home() / ".cache" / "nlmchem"
