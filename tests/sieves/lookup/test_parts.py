"""The sieve of systematic names finds names with the same parts, and no other chemicals."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.errors import ConfigurationError, ResourceError
from corpora.storage import cache
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.parts_index import CACHE
from sieves.registry import DEFAULT_ORDER, checked_order

NAMES = (
    "2-chloro-4-methyl-6-nitropyridine", "N,N-dimethylformamide", "1,2-dichlorobenzene", "1,4-dichlorobenzene",
    "4-hydroxybenzoic acid",
)  # fmt: skip


@pytest.fixture
def cascade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cascade:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    path = tmp_path / "names.tsv"
    path.write_text("".join(f"MESH:D{n:06}\t{name}\t\n" for n, name in enumerate(NAMES, 1)), "utf-8")
    return Cascade(Lexicon.open(path), "parts")


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("6-nitro-4-methyl-2-chloropyridine", "MESH:D000001"),
        ("dimethylformamide", "MESH:D000002"),
        ("p-hydroxybenzoic acid", "MESH:D000005"),
        ("6-nitro-2-methyl-4-chloropyridine", None),
        # Two concepts have these parts.
        ("dichlorobenzene", None),
        ("1,3-dichlorobenzene", None),
        ("water", None),
    ],
)
def test_a_name_with_the_same_parts_is_found(cascade: Cascade, text: str, identifier: str | None) -> None:
    found = cascade.resolve(text)
    assert (found and found.identifiers[0]) == identifier


def test_the_evidence_has_the_name_and_the_similarity(cascade: Cascade) -> None:
    found = cascade.resolve("dimethylformamide")
    assert found is not None
    assert (found.sieve, found.matched_name, found.score) == ("parts", "N,N-dimethylformamide", 0.9)


def test_the_parts_of_a_lexicon_are_stored_once_and_listed_in_the_cache(cascade: Cascade) -> None:
    cascade.resolve("dimethylformamide")
    (kept,) = [one for one in cache.contents() if one.name == CACHE]
    (file,) = kept.files
    written = (kept.folder / file).stat().st_mtime_ns
    Cascade(cascade.sieves[0].lexicon, "parts").resolve("dimethylformamide")  # type: ignore[attr-defined]
    assert (kept.folder / file).stat().st_mtime_ns == written


def test_nothing_is_stored_for_texts_without_parts(cascade: Cascade) -> None:
    cascade.resolve("water")
    assert not cache.folder(CACHE).exists()


def test_a_cache_that_cannot_be_written_and_a_damaged_file_give_one_sentence(
    cascade: Cascade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "file"))
    with pytest.raises(ResourceError, match=r"^cannot write the parts of names to .*; set NLMCHEM_HOME to a writable"):
        cascade.resolve("dimethylformamide")
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    lexicon = cascade.sieves[0].lexicon  # type: ignore[attr-defined]
    damaged = cache.folder(CACHE) / f"{lexicon.database.content()[:32]}-2.sqlite"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"no database, but long enough to be read as one" * 100)
    with pytest.raises(ResourceError, match=r"^the parts of names at .* are damaged .*; remove the file$"):
        cascade.resolve("dimethylformamide")


def test_an_order_can_leave_sieves_out() -> None:
    others = tuple(name for name in DEFAULT_ORDER if name != "edit")
    assert checked_order("default,-edit,parts,edit") == (*others, "parts", "edit")
    with pytest.raises(ConfigurationError, match=r"^the order of sieves removes 'edit', which is not before it; write"):
        checked_order("-edit,default")
