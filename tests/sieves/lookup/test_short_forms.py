"""The sieve of inferred long forms: short forms that only a dictionary explains, where several articles define them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets.articles import article
from corpora.model.document import add_mention, mentions
from corpora.model.short_forms import Inferred, add_inferred, inferred_long_forms
from sieves.article import article_of
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lookup.short_forms import FEWEST_ARTICLES
from sieves.normalizer import Normalizer
from sieves.sieve import ArticleContext

INFERRED = ArticleContext(inferred={"DXQA": ("docosahexaenoic acid", 0.9), "XQZ": ("another thing", 0.9)})


@pytest.fixture
def lexicon(tmp_path: Path) -> Lexicon:
    path = tmp_path / "names.tsv"
    path.write_text("MESH:D004281\tdocosahexaenoic acid\t\nMESH:D000001\tWater\tH2O\n", "utf-8")
    return Lexicon.open(path)


def document(articles: int) -> BioCDocument:
    """An article with the mention DXQAs, and an inferred long form that so many articles define."""
    made = article("1", [("The DXQA and DXQAs rose.", None, "paragraph")])
    [passage] = made.passages
    for span in ((4, 8), (13, 17)):
        add_inferred(passage, Inferred("DXQA", "docosahexaenoic acid", span, 0.9, (), articles), f"E{span[0]}")
    add_mention(passage, [(13, 18)], id="1", annotator=None)
    return made


def test_a_short_form_has_the_concept_of_its_inferred_long_form(lexicon: Lexicon) -> None:
    assert Cascade(lexicon).resolve("DXQA", ArticleContext()) is None
    found = Cascade(lexicon).resolve("DXQA", INFERRED)
    assert found is not None
    assert (found.identifiers, found.sieve, found.via, found.score) == (
        ("MESH:D004281",), "inferred", "docosahexaenoic acid", 0.9,
    )  # fmt: skip


def test_other_sieves_and_definitions_come_first(lexicon: Lexicon) -> None:
    cascade = Cascade(lexicon)
    known = ArticleContext(inferred={"H2O": ("docosahexaenoic acid", 0.9)})
    found = cascade.resolve("H2O", known)
    assert found is not None
    assert found.identifiers == ("MESH:D000001",)
    assert cascade.resolve("DXQA", ArticleContext({"DXQA": ("unknown thing",)}, inferred=INFERRED.inferred)) is None


def test_a_long_form_that_the_lexicon_lacks_gives_no_answer(lexicon: Lexicon) -> None:
    assert Cascade(lexicon).resolve("XQZ", INFERRED) is None


@pytest.mark.parametrize(("articles", "found"), [(FEWEST_ARTICLES, ["MESH:D004281"]), (FEWEST_ARTICLES - 1, [])])
def test_several_articles_must_define_the_long_form(lexicon: Lexicon, articles: int, found: list[str]) -> None:
    made = document(articles)
    assert bool(article_of(made).inferred) == bool(found)
    Normalizer(lexicon)([made])
    assert [one for mention in mentions(made) for one in mention.identifiers] == found


def test_the_file_states_how_many_articles_define_a_long_form() -> None:
    assert [one.articles for one in inferred_long_forms(document(7))] == [7, 7]
    assert [one.articles for one in inferred_long_forms(document(0))] == [0, 0]
