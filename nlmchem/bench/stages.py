"""Rates of each stage, reader and writer, in one process and on one thread."""

from __future__ import annotations

import copy
import os
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.commands.options import check, with_flags
from corpora.errors import Argument, ArticleError, ConfigurationError, NlmchemError, ResourceError
from corpora.formats import registry
from corpora.formats.format import Header, Joined
from corpora.model.passages import passage_text
from corpora.reporting import aligned
from corpora.words.quantities import quantity
from nlmchem.api.pipeline import Pipeline, build_pipeline
from nlmchem.bench.commands import BenchOptions
from nlmchem.engine.executors import Death, LocalExecutor
from nlmchem.engine.tasks import Block, Setup, Task
from nlmchem.run.options import default_workers
from nlmchem.run.plan import Configuration, Plan, environment
from nlmchem.steps import tag
from nlmchem.steps.shared import CPU
from nlmchem.tagging.inference.scoring import BUDGET, Coverage, TokenClassifier
from nlmchem.tagging.kernel.arithmetic import AUTO, FLOAT32, INT8, chosen, path_of_kernel, why_auto
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
        # Both are measured, so the share may come out above 1.
        return min(1.0, self.rates[f"tag {INT8}"].pieces_per_second / self.products.pieces_per_second)

    @contextmanager
    def timed(self, name: str) -> Iterator[Rate]:
        """Time the block as the work on one article, and add it to a rate."""
        rate = self.rates.get(name, Rate())
        begun = time.perf_counter()
        yield rate
        rate.seconds += time.perf_counter() - begun
        rate.articles += 1
        self.rates[name] = rate


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
        try:
            with rates.timed(f"write {format.name}"):
                format.writer.write([format.writer.dumps(document, _ignored)], Header(), file)
        except ArticleError as error:
            # A format can need what an article lacks, such as a PMID.
            rates.unavailable.setdefault(f"write {format.name}", str(error))
            continue
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


PASSAGES = 60
_SECTIONS = ("ABSTRACT", "INTRO", "METHODS", "RESULTS", "DISCUSS")
_CHEMICALS = (
    "glucose", "ethanol", "5-fluorouracil", "NaCl", "2,4-dinitrophenol", "Ca2+", "acetylcholine", "aspirin", "cadmium",
    "dimethyl sulfoxide (DMSO)", "γ-aminobutyric acid", "H2O2", "β-carotene", "ascorbic acid", "methotrexate", "ATP",
    "nitric oxide", "dopamine", "tris(hydroxymethyl)aminomethane", "KH2PO4", "lipopolysaccharide (LPS)", "DMSO", "LPS",
)  # fmt: skip
_GAP = re.compile(r"\b[CN]\b")
_SENTENCES = (
    "The animals were given C in water for N days, and their weight was measured every morning.",
    "Cells were grown in medium with C and C, washed twice, and counted under a microscope.",
    "No difference between the two groups was found (p = 0.N), although they were measured at the same time.",
    "The concentration of C rose N-fold after the treatment, whereas that of C did not change.",
    "As shown in Figure N, the response depends on the dose and on the age of the patients.",
    "Previous studies of this pathway have reported conflicting results, which may be explained by their methods.",
    "Samples were dissolved in C (N mM), filtered, and stored at -N degrees until they were analysed.",
)


def generated_article(number: int) -> BioCDocument:
    """Article `number`, always the same one: about 4,500 words in 60 passages."""
    chance = random.Random(number)

    def filled(gap: re.Match[str]) -> str:
        # `C` alone stands for a chemical and `N` alone for a number.
        return chance.choice(_CHEMICALS) if gap[0] == "C" else str(chance.randint(2, 90))

    document, offset = BioCDocument(), 0
    document.id = f"generated-{number}"
    # One format is for articles of PubMed only.
    document.infons["article-id_pmid"] = str(number)
    for position in range(PASSAGES):
        passage = BioCPassage()
        number_of_sentences = chance.randint(2, 8) if position else 1
        passage.text = " ".join(_GAP.sub(filled, chance.choice(_SENTENCES)) for _ in range(number_of_sentences))
        passage.offset = offset
        passage.infons["section_type"] = _SECTIONS[position * len(_SECTIONS) // PASSAGES] if position else "TITLE"
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


ROUND = 2
"""Articles for each worker that are dispatched together."""


@dataclass(frozen=True, slots=True)
class WorkerRate:
    workers: int
    start: float
    """Seconds until all workers have loaded the models."""
    articles: int
    seconds: float
    memory: int
    """Peak bytes of the largest worker."""

    @property
    def articles_per_second(self) -> float:
        """Of all workers together."""
        return self.articles / self.seconds


def measure_workers(articles: Sequence[BioCDocument], plan: Plan, workers: int, seconds: float) -> WorkerRate:
    """Annotate the articles in turn for about `seconds`, as a run does. Raises `ResourceError` if a worker dies."""
    setup = Setup(plan, plan.fingerprint()["sha256"])
    writer = registry.writable("biocjson")
    raw = [writer.dumps(bare(article), _ignored) for article in articles]
    tasks = cycle(Task(0, number, "", "biocjson", content, "") for number, content in enumerate(raw))
    with LocalExecutor(workers) as executor:
        begun = time.monotonic()
        _run(executor, setup, [()] * workers)
        start = time.monotonic() - begun
        _run(executor, setup, [(task,) for task in islice(tasks, workers)])
        begun, done = time.monotonic(), 0
        while (spent := time.monotonic() - begun) < seconds or not done:
            blocks = [(task,) for task in islice(tasks, ROUND * workers)]
            _run(executor, setup, blocks)
            done += len(blocks)
        # The processes that this one has started. One that has ended has no status.
        memory = 0
        for file in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
            for process in file.read_text().split():
                with suppress(OSError):
                    lines = Path(f"/proc/{process}/status").read_text().splitlines()
                    peak = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
                    memory = max(memory, peak)
    return WorkerRate(workers, start, done, spent, memory)


def _run(executor: LocalExecutor, setup: Setup, blocks: Sequence[Block]) -> None:
    for outcome in executor.run(setup, blocks):
        if isinstance(outcome, Death):
            raise ResourceError(f"a worker died ({outcome}); use fewer ", Argument("workers"))
        for result in outcome:
            if result.failure is not None:
                raise ResourceError(f"article {result.document!r} failed: {result.failure.message}")


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
    source = islice(corpora.read(inputs), ARTICLES) if inputs else map(generated_article, range(GENERATED))
    articles = list(source)
    if not articles:
        raise ConfigurationError(f"there are no articles in {', '.join(inputs)}; name other inputs, or none")
    stages = measure_stages(articles, configuration, SHARE_OF_STAGES * options.seconds)
    run = measure_workers(articles, plan, options.number_of_workers, (1 - SHARE_OF_STAGES) * options.seconds)
    characters = sum(len(passage_text(passage)) for article in articles for passage in article.passages)
    name = ", ".join(inputs) or "generated"
    return Figures(plan, name, len(articles), characters // len(articles), stages, run)


MILLION = 1_000_000
CLUSTERS = (8, 64, 512)
"""Numbers of workers for which the time of a large run is estimated."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured. `source`: where the articles came from; `characters`: of one article on average."""

    plan: Plan
    source: str
    articles: int
    characters: int
    stages: StageRates
    workers: WorkerRate

    def million_hours(self) -> dict[int, float]:
        """Hours for a million such articles by number of workers: measured here, and in proportion for more."""
        each = self.workers.articles_per_second / self.workers.workers
        numbers = (self.workers.workers, *(number for number in CLUSTERS if number > self.workers.workers))
        return {number: MILLION / (each * number) / 3600 for number in numbers}

    def as_json(self) -> dict[str, Any]:
        """The figures for programs; rates are per second of wall-clock time, memory is in bytes."""
        facts, run, share = environment(), self.workers, self.stages.share_of_limit
        return {
            "machine": {
                "processors": default_workers(),
                "kernel": path_of_kernel(),
                "platform": facts["platform"],
                "packages": {name: facts["packages"][name] for name in ("nlmchem", "torch", "numpy")},
            },
            "articles": {"source": self.source, "number": self.articles, "characters_each": self.characters},
            "tagger": tag_options(self.plan).tagger,
            "arithmetic": tag_options(self.plan).arithmetic,
            "stages": {
                name: {"articles_per_second": round(rate.articles_per_second, 3)}
                | ({"pieces_per_second": round(rate.pieces_per_second)} if rate.pieces else {})
                for name, rate in sorted(self.stages.rates.items())
            },
            "share_of_limit": None if share is None else round(share, 3),
            "not_measured": self.stages.unavailable,
            "workers": {
                "number": run.workers,
                "start_seconds": round(run.start, 2),
                "articles_per_second": round(run.articles_per_second, 3),
                "peak_memory_each": run.memory,
            },
            "million_articles_hours": {str(number): round(value, 1) for number, value in self.million_hours().items()},
        }

    def lines(self) -> Iterator[str]:
        run, rates = self.workers, self.stages.rates
        processors, used = default_workers(), tag_options(self.plan).arithmetic
        yield f"{processors} processors; arithmetic: {used}; {AUTO} is {chosen(AUTO, 'cpu')} here ({why_auto()})"
        yield f"{quantity(self.articles, 'article')} ({self.source}), {self.characters:,} characters each"
        yield ""
        rows = [("one process, one thread", "articles/s", "word pieces/s")]
        for name, rate in sorted(rates.items()):
            pieces = f"{rate.pieces_per_second:,.0f}" if rate.pieces else ""
            rows.append((name, _short(rate.articles_per_second), pieces))
        yield from aligned(rows)
        if (share := self.stages.share_of_limit) is not None:
            yield (
                f"tag {INT8}: about {share:.0%} of its time goes into products of matrices in {INT8}, which cannot "
                "be done faster; the rest is other arithmetic"
            )
        for name, reason in self.stages.unavailable.items():
            yield f"{name}: not measured: {reason}"
        yield ""
        memory = f"{run.memory / 1e6:.0f} MB" if run.memory else "not known"
        row = (str(run.workers), _short(run.articles_per_second), f"{run.start:.1f} s", memory)
        yield from aligned([("workers", "articles/s", "start", "peak memory each"), row])
        yield ""
        times = [("a million such articles", "time")]
        for number, hours in self.million_hours().items():
            here = " (this machine)" if number == run.workers else ""
            needed = f"{hours / 24:.1f} days" if hours >= 72 else f"{hours:.1f} hours"
            times.append((f"on {quantity(number, 'worker')}{here}", needed))
        yield from aligned(times)


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2f}"
