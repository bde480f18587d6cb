"""All of `nlmchem bench`: articles, rates of the stages, workers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import corpora
from corpora.errors import ConfigurationError
from corpora.model.document import passage_text
from nlmchem.bench.generated import generated_article
from nlmchem.bench.report import Figures
from nlmchem.bench.stages import measure_stages
from nlmchem.bench.workers import measure_workers
from nlmchem.configuration import Configuration
from nlmchem.tagging.tagger import set_threads

__all__ = ["measure"]

ARTICLES = 24
"""Articles that are held in memory; more inputs than this are not read."""
SHARE_OF_STAGES = 0.6
"""Share of the time in which the stages are measured; the rest is for the workers."""


def measure(inputs: Sequence[str], lexicon: str | None, tagger: str, workers: int, seconds: float) -> Figures:
    """Measure for about `seconds` with the first articles of `inputs` (none: generated ones).

    Raises `ConfigurationError` and `ResourceError` as a run does.
    """
    set_threads(1)
    configuration = Configuration(lexicon=lexicon, tagger=tagger, existing="replace").checked()
    articles = list(islice(corpora.read(inputs), ARTICLES)) if inputs else list(map(generated_article, range(8)))
    if not articles:
        raise ConfigurationError(f"there are no articles in {', '.join(inputs)}; name other inputs, or none")
    stages = measure_stages(articles, configuration, SHARE_OF_STAGES * seconds)
    run = measure_workers(articles, configuration, workers, (1 - SHARE_OF_STAGES) * seconds)
    characters = sum(len(passage_text(passage)) for article in articles for passage in article.passages)
    source = ", ".join(inputs) if inputs else "generated"
    return Figures(configuration, source, len(articles), characters // len(articles), stages, run)
