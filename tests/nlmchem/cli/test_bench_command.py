"""`nlmchem bench`: figures of every stage, outside a checkout, on generated or given articles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.document import add_mention
from nlmchem.bench.commands import BenchOptions
from nlmchem.bench.stages import Rate, StageRates, bare, generated_article, measure, measure_stages
from nlmchem.run.plan import Configuration


def test_generated_articles_are_always_the_same_full_texts() -> None:
    first, again = generated_article(3), generated_article(3)
    assert [p.text for p in first.passages] == [p.text for p in again.passages]
    assert first.passages[1].text != generated_article(4).passages[1].text
    assert 20_000 < sum(len(p.text) for p in first.passages) < 50_000


def test_rates_count_articles_and_time() -> None:
    found = StageRates()
    for _ in range(3):
        with found.timed("read biocxml") as rate:
            rate.pieces += 5
    assert found.rates["read biocxml"].articles == 3
    assert found.rates["read biocxml"].pieces == 15
    assert Rate(articles=4, seconds=2.0, pieces=10).articles_per_second == 2.0
    assert Rate(articles=4, seconds=2.0, pieces=10).pieces_per_second == 5.0


def test_both_arithmetics_are_measured_on_the_same_articles() -> None:
    short = generated_article(1)
    short.passages = short.passages[:2]
    found = measure_stages([short], Configuration.of(existing="replace"), seconds=0.0)
    if "tag int8" in found.unavailable:
        pytest.skip(found.unavailable["tag int8"])
    assert {"abbreviate", "tag float32", "tag int8", "normalize", "index", "read biocxml", "write tsv"} <= set(
        found.rates
    )
    assert found.rates["tag int8"].pieces == found.rates["tag float32"].pieces > 0
    assert {rate.articles for rate in found.rates.values()} == {2}
    assert found.products.pieces == found.rates["tag int8"].pieces


def test_the_share_of_the_limit_compares_rates_of_pieces() -> None:
    found = StageRates({"tag int8": Rate(articles=1, seconds=4.0, pieces=100)}, Rate(seconds=3.0, pieces=100))
    assert found.share_of_limit == pytest.approx(0.75)
    assert StageRates().share_of_limit is None


def test_annotations_of_the_input_are_not_measured() -> None:
    document = generated_article(1)
    add_mention(document.passages[0], [(0, 3)], id="T1", annotator="input")
    assert not any(passage.annotations for passage in bare(document).passages)
    assert document.passages[0].annotations


def test_the_command_runs_outside_a_checkout_and_prints_json(tmp_path: Path) -> None:
    script = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
    given = ["bench", "--tagger", "lexicon", "--workers", "1", "--seconds", "1"]
    done = subprocess.run(
        [sys.executable, "-c", script, *given, "--json"], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    figures = json.loads(done.stdout)
    assert figures["articles"]["source"] == "generated"
    assert figures["stages"]["tag"]["articles_per_second"] > 0
    assert figures["workers"]["articles_per_second"] > 0
    assert list(figures["million_articles_hours"]) == ["1", "8", "64", "512"]
    assert not list(tmp_path.iterdir())


def test_inputs_without_articles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no articles in .*; name other inputs"):
        measure([str(tmp_path)], BenchOptions(tagger="lexicon", workers=1, seconds=1.0))


def test_a_format_that_cannot_store_the_articles_is_named_and_left_out() -> None:
    article = generated_article(1)
    article.passages, article.infons = article.passages[:2], {}
    found = measure_stages([article], Configuration.of(tagger="lexicon", existing="replace"), seconds=0.0)
    if "europepmc" not in registry.FORMATS.names():
        pytest.skip("the format europepmc is not installed")
    assert "has no PMID" in found.unavailable["write europepmc"]
    assert not {"write europepmc", "read europepmc"} & found.rates.keys()
    assert found.rates["write pubtator"].articles == 2
