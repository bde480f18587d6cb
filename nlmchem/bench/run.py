"""All of `nlmchem bench`: articles, rates of the stages, workers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import corpora
from corpora.commands.options import check
from corpora.errors import ConfigurationError
from corpora.model.passages import passage_text
from nlmchem.bench.generated import generated_article
from nlmchem.bench.options import BenchOptions
from nlmchem.bench.report import Figures
from nlmchem.bench.stages import measure_stages
from nlmchem.bench.workers import measure_workers
from nlmchem.run.plan import Configuration

ARTICLES = 24
"""Articles that are in memory; further inputs are not read."""
GENERATED = 8
SHARE_OF_STAGES = 0.6
"""Share of the time in which the stages are measured; the rest is for the workers."""


def measure(inputs: Sequence[str], options: BenchOptions) -> Figures:
    """Measure with the first articles of `inputs` (none: generated articles).

    Raises `ConfigurationError` and `ResourceError` as a run does.
    """
    check(options)
    configuration = Configuration.of(lexicon=options.lexicon, tagger=options.tagger, existing="replace")
    plan = configuration.parse()
    articles = (
        list(islice(corpora.read(inputs), ARTICLES)) if inputs else list(map(generated_article, range(GENERATED)))
    )
    if not articles:
        raise ConfigurationError(f"there are no articles in {', '.join(inputs)}; name other inputs, or none")
    stages = measure_stages(articles, configuration, SHARE_OF_STAGES * options.seconds)
    run = measure_workers(articles, plan, options.number_of_workers, (1 - SHARE_OF_STAGES) * options.seconds)
    characters = sum(len(passage_text(passage)) for article in articles for passage in article.passages)
    source = ", ".join(inputs) if inputs else "generated"
    return Figures(plan, source, len(articles), characters // len(articles), stages, run)
