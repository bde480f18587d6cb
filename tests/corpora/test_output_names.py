from __future__ import annotations

from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from corpora.output_names import run_names


def test_a_name_is_as_much_of_the_path_as_makes_it_unique() -> None:
    assert run_names(["x/one.xml", "x/two.json.gz"]) == ["one", "two"]
    assert run_names(["fold1/out.xml", "fold2/out.xml"]) == ["fold1/out", "fold2/out"]


def test_only_suffixes_of_formats_and_archives_are_removed() -> None:
    assert run_names(["v1.2", "v1.3"]) == ["v1.2", "v1.3"]
    assert run_names(["one/a.BioC.XML.gz", "b/"]) == ["a", "b"]
    assert run_names(["runs.tar.xz", ".xml"]) == ["runs", ".xml"]


def test_names_do_not_depend_on_the_order_of_the_paths() -> None:
    assert run_names(["b/x", "a/x", "c/y"]) == ["b/x", "a/x", "c/y"]
    assert run_names(["c/y", "a/x", "b/x"]) == ["c/y", "a/x", "b/x"]


def test_names_have_no_character_that_separates_names_in_a_list() -> None:
    assert run_names(["a run, the first.xml"]) == ["a_run_the_first"]
    assert len(set(run_names(["x/a b.xml", "x/a,b.xml"]))) == 2


def test_names_can_be_written_into_articles() -> None:
    """A name may have any byte; XML forbids some characters."""
    assert run_names(["a\x01.xml", "a\udcff.xml"]) == ["aU+0001", "aU+DCFF"]


def test_a_run_is_named_after_the_link_that_the_user_gave(tmp_path: Path) -> None:
    (tmp_path / "run-7.xml").write_text("")
    (tmp_path / "best.xml").symlink_to("run-7.xml")
    assert run_names([str(tmp_path / "best.xml")]) == ["best"]
    with pytest.raises(ConfigurationError, match="given twice"):
        run_names([str(tmp_path / "best.xml"), str(tmp_path / "run-7.xml")])


def test_a_run_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"runs/\./a is given twice"):
        run_names(["runs/a", "runs/./a"])
