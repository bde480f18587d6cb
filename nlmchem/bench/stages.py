"""Rates of each stage, reader and writer, in one process and on one thread."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import cycle

from bioc import BioCDocument

from corpora.commands.options import with_flags
from corpora.errors import NlmchemError
from corpora.formats import registry
from corpora.formats.format import Header, Joined
from nlmchem.api.pipeline import Pipeline, build_pipeline
from nlmchem.run.plan import Configuration, Plan
from nlmchem.steps import tag
from nlmchem.steps.shared import CPU
from nlmchem.tagging.inference.scoring import BUDGET, Coverage, TokenClassifier
from nlmchem.tagging.kernel.arithmetic import FLOAT32, INT8
from nlmchem.tagging.models.bert import IntegerBert
from nlmchem.tagging.models.folders import LEXICON
from nlmchem.tagging.tagger import NeuralTagger


@dataclass(slots=True)
class Rate:
    """Work that was done, and its wall-clock seconds. `pieces` are word pieces (of taggers only)."""

    articles: int = 0
    seconds: float = 0.0
    pieces: int = 0

    @property
    def articles_per_second(self) -> float:
        return self.articles / self.seconds if self.seconds else 0.0

    @property
    def pieces_per_second(self) -> float:
        return self.pieces / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class StageRates:
    """Rates by name (`read biocxml`, `tag int8`, `normalize` ...). `unavailable`: why something was not measured.

    `products`: the products of int8 in `tag int8` and nothing else, which limit its speed.
    """

    rates: dict[str, Rate] = field(default_factory=dict)
    products: Rate = field(default_factory=Rate)
    unavailable: dict[str, str] = field(default_factory=dict)

    @property
    def share_of_limit(self) -> float | None:
        """The speed of `tag int8` as a share of that of its products (0 to 1); None if they were not measured."""
        if not self.products.seconds:
            return None
        return self.rates[f"tag {INT8}"].pieces_per_second / self.products.pieces_per_second

    @contextmanager
    def timed(self, name: str) -> Iterator[Rate]:
        """Time the block as the work on one article, and add it to a rate."""
        rate = self.rates.setdefault(name, Rate())
        begun = time.perf_counter()
        yield rate
        rate.seconds += time.perf_counter() - begun
        rate.articles += 1


def measure_stages(articles: Sequence[BioCDocument], configuration: Configuration, seconds: float) -> StageRates:
    """Rates over the articles in turn, for about `seconds` and at least two articles, on one thread.

    Everything is measured on each article before the next one, so a disturbance of the machine affects all of it.
    """
    rates = StageRates()
    pipelines = _pipelines(configuration, rates)
    # The first article fills caches and prepares kernels. It is not counted.
    _measure(StageRates(), pipelines, articles[0])
    end = time.monotonic() + seconds
    for number, article in enumerate(cycle(articles)):
        if number >= 2 and time.monotonic() > end:
            return rates
        _measure(rates, pipelines, article)
    return rates


def tag_options(plan: Plan) -> tag.TagOptions:
    """The options of the step that tags, which is always measured."""
    options = plan.options(tag.TagOptions)
    assert options is not None
    return options


def _pipelines(configuration: Configuration, rates: StageRates) -> dict[str, Pipeline]:
    """The pipeline of the configuration by its arithmetic; after it, a tagger alone with the other arithmetic."""
    plan = configuration.parse()
    options = tag_options(plan)
    pipelines = {options.arithmetic: build_pipeline(plan)}
    if options.tagger != LEXICON and options.device == CPU:
        other = FLOAT32 if options.arithmetic == INT8 else INT8
        try:
            pipelines[other] = build_pipeline(configuration.but(steps=(tag.STEP.name,), arithmetic=other).parse())
        except NlmchemError as error:
            rates.unavailable[f"tag {other}"] = with_flags(error.text)
    return pipelines


def _measure(rates: StageRates, pipelines: Mapping[str, Pipeline], article: BioCDocument) -> None:
    for number, (arithmetic, pipeline) in enumerate(pipelines.items()):
        document = bare(article)
        for named in pipeline.stages:
            inner = named.stage.tagger if isinstance(named.stage, tag.TagStage) else None
            tagger = inner if isinstance(inner, NeuralTagger) else None
            before = replace(tagger.coverage) if tagger else Coverage()
            with rates.timed(f"tag {arithmetic}" if tagger else named.name) as rate:
                named.stage([document])
            if tagger:
                pieces = tagger.coverage.pieces - before.pieces
                rate.pieces += pieces
                _measure_products(rates.products, tagger, pieces, tagger.coverage.computed - before.computed)
        if number == 0:
            _measure_formats(rates, document)


def _measure_products(rate: Rate, tagger: NeuralTagger, pieces: int, computed: int) -> None:
    """Time the products alone for the pieces of an article, of which the windows have `computed`."""
    for model in tagger.models:
        if not isinstance(model, TokenClassifier) or not isinstance(model.network, IntegerBert):
            return
        begun = time.perf_counter()
        for done in range(0, computed, BUDGET):
            model.network.products(min(BUDGET, computed - done))
        rate.seconds += time.perf_counter() - begun
    rate.pieces += pieces


def _measure_formats(rates: StageRates, document: BioCDocument) -> None:
    for format in registry.formats():
        if not isinstance(format.writer, Joined) or not format.stores_mentions:
            continue
        file = BytesIO()
        with rates.timed(f"write {format.name}"):
            format.writer.write([format.writer.dumps(document, _ignored)], Header(), file)
        if format.reader is not None:
            file.seek(0)
            with rates.timed(f"read {format.name}"):
                for raw in format.reader.split(file, Header(), _ignored):
                    format.reader.parse(raw, _ignored)


def bare(article: BioCDocument) -> BioCDocument:
    """A copy of an article without annotations."""
    made = copy.deepcopy(article)
    for part in (made, *made.passages):
        part.annotations, part.relations = [], []
    return made


def _ignored(note: str) -> None:
    """Receives a format's notes on what it cannot store, which are not measured."""
