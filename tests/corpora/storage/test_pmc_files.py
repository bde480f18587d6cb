"""Names of PMC's files: which are one article, and which of them is read."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from corpora.storage import pmc_files
from corpora.storage.inputs import expand
from corpora.storage.pmc_files import Beside, choose, form_of, places_of_metadata, without_versions


def chosen(*names: str, metadata: tuple[str, ...] = (), all_versions: bool = False) -> dict[str, Beside]:
    found = choose(map(PurePosixPath, names), lambda path: str(path) in metadata, all_versions)
    return {str(path): beside for path, beside in found.items() if beside is not None}


@pytest.mark.parametrize(
    ("names", "read"),
    [
        (("PMC1.1/PMC1.1.txt", "PMC1.1/PMC1.1.xml"), "PMC1.1/PMC1.1.xml"),
        (("PMC1.1/PMC1.1.txt", "PMC1.1/PMC1.1.pdf"), "PMC1.1/PMC1.1.txt"),
        (("PMC1.9/PMC1.9.xml", "PMC1.10/PMC1.10.txt"), "PMC1.10/PMC1.10.txt"),
        (("PMC1.xml", "PMC1.nxml", "PMC1.pdf"), "PMC1.xml"),
        (("PMC1/a.nxml", "PMC1/a.pdf"), "PMC1/a.nxml"),
        (("PMC1.1.xml.gz", "PMC1.1.txt"), "PMC1.1.xml.gz"),
        (("PMC1.json", "PMC1.txt"), "PMC1.json"),
    ],
)
def test_the_best_form_of_the_newest_version_is_read(names: tuple[str, ...], read: str) -> None:
    assert list(chosen(*names)) == [read]


def test_metadata_are_no_article() -> None:
    names = ("PMC1.1/PMC1.1.json", "PMC1.1/PMC1.1.txt")
    assert chosen(*names, metadata=names[:1]) == {names[1]: Beside(0, 0, 1)}
    assert chosen(*names[:1], metadata=names[:1]) == {}
    assert chosen("metadata/PMC1.1.json", "PMC1.1/PMC1.1.xml") == {"PMC1.1/PMC1.1.xml": Beside()}


def test_what_is_beside_an_article_is_counted() -> None:
    names = [f"PMC1.{version}/{name}" for version in (1, 2) for name in (f"PMC1.{version}.xml", "a.jpg", "b.txt")]
    assert chosen(*names) == {"PMC1.2/PMC1.2.xml": Beside(forms=2, versions=1)}
    assert len(chosen(*names, all_versions=True)) == 2


@pytest.mark.parametrize("name", ["a.xml", "PMC.xml", "PMC01.xml", "PMC1x.xml", "PMC000xxxxxx/a.xml", "pmc1.xml"])
def test_other_names_are_no_articles_of_pmc(name: str) -> None:
    assert form_of(PurePosixPath(name)) is None


def test_a_package_with_several_nxml_has_several_articles() -> None:
    assert chosen("PMC1/a.nxml", "PMC1/b.nxml") == {}


def test_names_of_outputs_have_no_version() -> None:
    assert str(without_versions(PurePosixPath("a/PMC1.2/PMC1.2.xml"))) == "a/PMC1/PMC1.xml"
    assert str(without_versions(PurePosixPath("v1.2/PMC1.x"))) == "v1.2/PMC1.x"


def test_metadata_stand_beside_the_article_or_in_a_folder() -> None:
    places = [str(place) for place in places_of_metadata(PurePosixPath("a/PMC1.2/PMC1.2.xml"))]
    assert places == ["a/PMC1.2/PMC1.2.json", "a/metadata/PMC1.2.json"]


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"pmcid": ""}', b'{"pmcid": "PMC1", "passages": []}', b'{"version": 1}', b"<a/>"]
)
def test_other_json_is_no_metadata(raw: bytes) -> None:
    assert pmc_files.parse_metadata(raw) is None


def test_odd_values_of_metadata_are_not_stated() -> None:
    metadata = pmc_files.parse_metadata(
        b'{"pmcid": "PMC1", "version": "x", "pmid": null, "license_code": [], "is_retracted": 1}'
    )
    assert metadata == pmc_files.ArticleMetadata("PMC1", is_retracted=True)


def test_a_link_to_a_folder_that_is_walked_anyway_is_not_followed(tmp_path: Path) -> None:
    for name in ("real/a.xml", ".hidden/b.xml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "shown").symlink_to(tmp_path / ".hidden")
    assert [str(file.relative) for file in expand([str(tmp_path)])] == ["real/a.xml", "shown/b.xml"]
