"""The pipeline: stages that run one after another over chunks of articles."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from bioc import BioCCollection, BioCDocument, BioCPassage

from corpora.reporting import Report, log
from nlmchem.configuration import RULES, Configuration
from nlmchem.existing_mentions import ExistingMentions
from nlmchem.python_errors import errors_for_python
from nlmchem.results import Article, Collection, article_of, collection_of

if TYPE_CHECKING:
    from indexing.keyphrases.ranker import KeyphraseRanker
    from indexing.terms.indexer import Indexer
    from nlmchem.tagging.inference.spans import Decide
    from nlmchem.tagging.registry import TaggerChoice
    from nlmchem.tagging.repair import Repair
    from sieves.dense.fallback import DenseFallback
    from sieves.lexicon.lexicon import Lexicon

__all__ = ["NamedStage", "Pipeline", "Stage", "StageError", "build", "prepare", "resources"]

CHUNK = 8
"""Articles that are in memory at the same time."""
LONGEST_PATH = 4096


class Stage(Protocol):
    """Adds annotations to the articles of a chunk, in place. It keeps no state between chunks."""

    def __call__(self, documents: Sequence[BioCDocument]) -> None: ...


@dataclass(frozen=True, slots=True)
class NamedStage:
    """A stage with the name under which its durations and failures are reported."""

    name: str
    stage: Stage


class StageError(Exception):
    """A stage raised an error, so its chunk cannot be used. `__cause__` is that error."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class Pipeline:
    """Annotates a text, a document, a collection, or an iterable of them.

    pipe("Rats were given glucose.").mentions
    for article in pipe(corpora.read("articles/")): ...
    """

    def __init__(self, stages: Sequence[NamedStage]) -> None:
        self.stages = tuple(stages)

    @overload
    def __call__(self, given: str | BioCDocument) -> Article: ...

    # `bioc` has no types, so mypy takes its classes for `Any`.
    @overload
    def __call__(self, given: BioCCollection) -> Collection: ...  # type: ignore[overload-cannot-match]

    @overload
    def __call__(self, given: Iterable[str | BioCDocument]) -> Iterator[Article]: ...  # type: ignore[overload-cannot-match]

    def __call__(self, given: Any) -> Any:
        """Annotate a text, or documents in place.

        Args:
            given: A text: it becomes an article with one passage. A `BioCDocument` or a `BioCCollection`: it is
                annotated and returned. An iterable of texts and documents: an iterator over the annotated articles, in
                order, with at most `CHUNK` of them in memory.

        Raises:
            TypeError: `given`, or an item of it, is something else.
            ArticleError: An article cannot be annotated.
        """
        if isinstance(given, BioCCollection):
            for _ in self._stream(given.documents):
                pass
            return collection_of(given)
        if isinstance(given, str | BioCDocument):
            return next(self._stream([given]))
        if isinstance(given, bytes | Mapping | PathLike) or not isinstance(given, Iterable):
            raise TypeError(_wanted(given))
        return self._stream(given)

    def _stream(self, items: Iterable[Any]) -> Iterator[BioCDocument]:
        source = map(_document, items)
        while chunk := list(islice(source, CHUNK)):
            for named in self.stages:
                with errors_for_python():
                    named.stage(chunk)
            yield from map(article_of, chunk)

    def annotate(self, chunk: Sequence[BioCDocument]) -> dict[str, float]:
        """Annotate one chunk in place. Returns the seconds that each stage took.

        Raises `StageError` if a stage raises an error. The chunk cannot be used then.
        """
        seconds: dict[str, float] = {}
        for named in self.stages:
            begun = time.perf_counter()
            try:
                named.stage(chunk)
            except Exception as error:
                raise StageError(named.name) from error
            seconds[named.name] = time.perf_counter() - begun
        return seconds


def _document(item: Any) -> BioCDocument:
    if isinstance(item, BioCDocument):
        return item
    if not isinstance(item, str):
        raise TypeError(_wanted(item))
    if ("/" in item or "." in item) and len(item) < LONGEST_PATH and os.path.exists(item):  # noqa: PTH110
        raise TypeError(f"{item!r} is the name of a file, not a text; read it first: pipe(corpora.read({item!r}))")
    document = BioCDocument()
    document.id = "text"
    document.passages = [BioCPassage.of_text(item)]
    return document


def _wanted(given: Any) -> str:
    what = "a pipeline takes text, a BioCDocument, a BioCCollection, or an iterable of texts and documents"
    remedy = ""
    if isinstance(given, bytes):
        remedy = "; decode it first"
    elif isinstance(given, PathLike):
        remedy = f"; read it first: pipe(corpora.read({str(given)!r}))"
    elif isinstance(given, BioCPassage):
        remedy = "; put it into a BioCDocument"
    return f"{what}, not {type(given).__name__}{remedy}"


def build(configuration: Configuration, report: Report = log) -> Pipeline:
    """The pipeline of a configuration.

    Raises `ConfigurationError` for wrong options, `ResourceError` for a lexicon or model that cannot be opened.
    """
    configuration = configuration.checked()
    if not configuration.steps:
        return Pipeline([])

    from sieves.cascade import DEFAULT_ORDER
    from sieves.lexicon.lexicon import Lexicon
    from sieves.normalizer import Normalizer

    steps, stages = configuration.steps, list[NamedStage]()
    if "abbreviate" in steps:
        from nlmchem.abbreviations import AbbreviationStage

        stages.append(NamedStage("abbreviate", AbbreviationStage()))
    if "expand" in steps:
        stages.append(NamedStage("expand", _expander(configuration, report)))
    lexicon = Lexicon.open(configuration.lexicon, configuration.as_of)
    if "repair" in steps:
        stages.append(NamedStage("repair", _repair(configuration, lexicon)))
    existing = ExistingMentions(configuration.existing_mentions, tagging="tag" in steps)
    if "tag" in steps or "normalize" in steps:
        stages.append(NamedStage("existing", existing.prepare))
    if "tag" in steps:
        tagger = _taggers(configuration).stage(lexicon, _decision(configuration, lexicon))
        stages += [NamedStage("tag", tagger), NamedStage("overlaps", existing.settle)]
    if "normalize" in steps:
        order = configuration.sieves or DEFAULT_ORDER
        normalizer = Normalizer(lexicon, order, dense=_dense(configuration, lexicon, report))
        stages.append(NamedStage("normalize", normalizer))
    if "index" in steps:
        from indexing.terms.stage import IndexStage

        stages.append(NamedStage("index", IndexStage(_indexer(configuration, lexicon), configuration.existing_terms)))
    if "keyphrases" in steps:
        from indexing.keyphrases.stage import KeyphraseStage

        stages.append(NamedStage("keyphrases", KeyphraseStage(_ranker(configuration), configuration.existing_terms)))
    return Pipeline(stages)


def prepare(configuration: Configuration, report: Report = log) -> None:
    """Make the name vectors of the dense fallback, so that workers do not each make them. Raises `ResourceError`."""
    configuration = configuration.checked()
    if configuration.dense is None:
        return
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(configuration.lexicon) as lexicon:
        _dense(configuration, lexicon, report)


def resources(configuration: Configuration) -> dict[str, str]:
    """Names and hashes of the lexicons and models of a configuration. Raises `ResourceError`."""
    from sieves.lexicon.lexicon import Lexicon

    configuration = configuration.checked()
    if not configuration.steps:
        return {}
    found = {"lexicon": Lexicon.open(configuration.lexicon).version}
    if "expand" in configuration.steps:
        from nlmchem.abbreviations.senses.resolver import open_resolver

        found["dictionary"] = open_resolver(configuration.dictionary).version
    if "tag" in configuration.steps:
        found |= _taggers(configuration).versions()
    if "tag" in configuration.steps or "repair" in configuration.steps:
        found["decision"] = _decision_version(configuration)
    if configuration.dense is not None:
        from sieves.dense.encoders import encoder_version

        found["dense encoder"] = encoder_version(configuration.dense)
    if "index" in configuration.steps:
        indexer = _indexer(configuration, None)
        found["indexer"] = f"{indexer.name} {indexer.version}"
    if "keyphrases" in configuration.steps:
        found["keyphrases"] = _ranker(configuration).version
    return found


def _expander(configuration: Configuration, report: Report) -> Stage:
    from nlmchem.abbreviations.senses.resolver import THRESHOLD, open_resolver
    from nlmchem.abbreviations.senses.stage import ExpandStage

    threshold = THRESHOLD if configuration.expand_threshold is None else configuration.expand_threshold
    return ExpandStage(open_resolver(configuration.dictionary, report), threshold, report)


def _dense(configuration: Configuration, lexicon: Lexicon, report: Report) -> DenseFallback | None:
    if configuration.dense is None:
        return None
    from sieves.dense.fallback import open_fallback

    path = None if configuration.lexicon is None else Path(configuration.lexicon)
    return open_fallback(
        lexicon, path, configuration.dense, configuration.dense_threshold, configuration.device, report
    )


def _repair(configuration: Configuration, lexicon: Lexicon) -> Repair:
    from nlmchem.tagging.repair import Repair
    from nlmchem.tagging.rules.post_processing import PostProcessing

    return Repair(
        lexicon.version,
        PostProcessing.parse(configuration.rules),
        _decision(configuration, lexicon),
        types=configuration.repair_types,
        skip_sections=configuration.skip_sections,
    )


def _decision(configuration: Configuration, lexicon: Lexicon) -> Decide | None:
    if configuration.chosen_decision == RULES:
        return None
    from nlmchem.deciding.registry import open_decision

    return open_decision(configuration.chosen_decision, lexicon, configuration.explain)


def _decision_version(configuration: Configuration) -> str:
    if configuration.chosen_decision == RULES:
        return RULES
    from nlmchem.deciding.registry import version_of

    return version_of(configuration.chosen_decision)


def _indexer(configuration: Configuration, lexicon: Lexicon | None) -> Indexer:
    from indexing.terms.registry import open_indexer

    return open_indexer(configuration.indexer, lexicon, configuration.index_threshold)


def _ranker(configuration: Configuration) -> KeyphraseRanker:
    from indexing.keyphrases.ranker import open_ranker

    return open_ranker(configuration.keyphrase_model, configuration.keyphrase_threshold)


def _taggers(configuration: Configuration) -> TaggerChoice:
    from nlmchem.tagging.registry import TaggerChoice, split_names

    return TaggerChoice(
        split_names(configuration.tagger),
        configuration.min_score,
        configuration.rules,
        skip_sections=frozenset(configuration.skip_sections),
        device=configuration.device,
        arithmetic=configuration.arithmetic,
        guidelines=configuration.guidelines,
    )
