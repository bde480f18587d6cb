"""The features of candidates, the table of phrases and the prior."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from corpora.errors import ResourceError
from nlmchem.companions.keyphrases import frequencies
from nlmchem.companions.keyphrases.candidates import Candidates
from nlmchem.companions.keyphrases.features import FEATURES, SECOND, best, matrix, relations
from nlmchem.companions.keyphrases.frequencies import NO_PRIOR, Frequencies, count_articles

Make = Callable[..., Candidates]


def value(found: Candidates, stem: str, feature: str, table: Frequencies | None = None) -> float:
    number = next(number for number in range(len(found)) if found.stem(number) == stem)
    return float(matrix(found, table or count_articles([]), NO_PRIOR, [feature])[number, 0])


@pytest.fixture
def found(candidates: Make) -> Candidates:
    return candidates(
        [
            ("TITLE", "Zinc uptake of plants"),
            ("ABSTRACT", "We measured zinc uptake (ZU). Plants need zinc."),
            ("RESULTS", "The zinc uptake rate was low."),
        ]
    )


def test_every_feature_is_finite(found: Candidates) -> None:
    values = matrix(found, count_articles([]), NO_PRIOR)
    assert values.shape == (len(found), len(FEATURES))
    assert np.isfinite(values).all()
    assert matrix(found, frequencies.read(), NO_PRIOR).shape == values.shape


def test_counts_and_positions(found: Candidates) -> None:
    assert value(found, "zinc", "log") == pytest.approx(np.log(4))
    assert value(found, "zinc", "log:abstract") == pytest.approx(np.log1p(2))
    assert value(found, "zinc uptak", "first") == 0
    assert value(found, "zinc uptak", "log-passages") == pytest.approx(np.log1p(3))
    assert value(found, "zinc uptak", "title-and-abstract") == 1
    assert value(found, "zinc uptak", "bracket-behind") == pytest.approx(1 / 3)


def test_free_edges_and_nesting(found: Candidates) -> None:
    # Before: start, `measured` (a content word), `the`. Behind: `of`, `(`, `rate`.
    assert value(found, "zinc uptak", "left-free") == pytest.approx(2 / 3)
    assert value(found, "zinc uptak", "right-free") == pytest.approx(2 / 3)
    assert value(found, "zinc", "inside-longer") == pytest.approx(3 / 4)
    assert value(found, "zinc uptak", "of-inner") == pytest.approx(np.log(4 / 3))


def test_an_unknown_feature_is_a_key_error(found: Candidates) -> None:
    with pytest.raises(KeyError, match="nothing"):
        matrix(found, count_articles([]), NO_PRIOR, ["nothing"])


def test_the_table_counts_articles_titles_and_edges(candidates: Make) -> None:
    one = candidates([("TITLE", "Zinc"), ("ABSTRACT", "zinc and zinc uptake")]).words
    two = candidates([("TITLE", "Plants"), ("ABSTRACT", "need zinc uptake")]).words
    table = count_articles([one, two], fewest=1)
    found = candidates([("TITLE", "zinc uptake copper")])
    rows = table.rows(found.hashes)
    stems = [found.stem(number) for number in range(len(found))]
    zinc, uptake, copper = (stems.index(stem) for stem in ("zinc", "zinc uptak", "copper"))
    assert table.articles == 2
    assert rows.known[[zinc, uptake, copper]].tolist() == [1, 1, 0]
    # Counts are rounded to eighths of a power of two.
    assert rows.rarity[zinc] == pytest.approx(np.log(3 / 3), abs=0.05)
    assert rows.rarity[copper] == pytest.approx(np.log(3))
    assert rows.titled[zinc] > rows.titled[uptake]
    assert rows.right[uptake] > rows.right[zinc]


def test_rare_phrases_are_left_out_of_the_table(candidates: Make) -> None:
    words = candidates([("TITLE", "Zinc")]).words
    assert len(count_articles([words] * 4, fewest=5)) == 0
    assert len(count_articles([words] * 5, fewest=5)) == 1


def test_a_table_is_written_and_read(candidates: Make, tmp_path: Path) -> None:
    table = count_articles([candidates([("TITLE", "Zinc uptake")]).words], fewest=1, notes={"licence": "mine"})
    frequencies.write(tmp_path / "a", table)
    frequencies.write(tmp_path / "b", table)
    again = frequencies.read(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert again.keys.tolist() == table.keys.tolist()
    assert again.counts.tolist() == table.counts.tolist()
    assert again.notes["licence"] == "mine"


@pytest.mark.parametrize("content", [b"", b"nothing", b"{}"])
def test_a_broken_table_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(content)
    with pytest.raises(ResourceError, match="table of phrases"):
        frequencies.read(tmp_path / "broken")


def test_the_prior_prefers_what_was_a_keyword() -> None:
    kinds = ("phrases", "words", "first", "last")
    chosen = dict.fromkeys(kinds, frozenset({1, 2})), dict.fromkeys(kinds, frozenset({1}))
    prior = frequencies.learn_prior([chosen] * 10)
    values = prior.of("phrases", np.array([1, 2, 3], dtype=np.uint64))
    assert values[0] > 0 > values[1]
    assert values[2] == 0
    assert frequencies.prior_of(frequencies.plain_prior(prior)).of("words", np.array([1], dtype=np.uint64))[
        0
    ] == pytest.approx(values[0], abs=0.001)


def test_relations_find_what_better_candidates_cover(candidates: Make) -> None:
    found = candidates([("TITLE", "Zinc uptake rate")])
    stems = [found.stem(number) for number in range(len(found))]
    log_odds = np.array([{"zinc uptak rate": 3.0, "zinc uptak": 2.0}.get(stem, 0.0) for stem in stems])
    order = best(log_odds)
    values = relations(found, order, log_odds)
    second = {name: column[1] for name, column in values.items()}
    assert [stems[number] for number in order[:2]] == ["zinc uptak rate", "zinc uptak"]
    assert second["covered"] == 1
    assert second["longer-lead"] == 1
    assert second["inner-lead"] == -2
    assert second["likeness-above"] == pytest.approx(2 / 3)
    assert values["covered"][0] == 0
    assert tuple(values) == SECOND


def test_no_candidates_have_no_relations(candidates: Make) -> None:
    found = candidates([])
    nothing = np.zeros(0)
    assert {name: len(column) for name, column in relations(found, best(nothing), nothing).items()} == dict.fromkeys(
        SECOND, 0
    )
