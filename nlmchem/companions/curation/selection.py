"""Chooses passages for curators: those with the most points, not fifty times one compound; hands them to an editor.

The points of a passage are the sum over its signals. A text that was already chosen counts less: its points are divided
by one more than the number of chosen passages that contain it. The passage with the most points is chosen, then the
next one by the points that are left. The reasons why a curator should look at a mention have points from 0 to 1:

| reason | points |
|---|---|
| `threshold` | 1 for a score at the threshold of the decision, falling to 0 at the scores 0 and 1 |
| `no-concept` | 1 for a mention that was linked without a result |
| `sieve` | 1 less the probability that the concepts are right (`nlmchem.deciding.linking`); for sieves without one, the measured share of their wrong answers |
| `disagreement` | 4 p (1 - p), where p is the share of the runs that have the mention |
| `frequent` | the mean of the other points of this text, times log(1 + n) / log(1 + N), where n is its number of mentions and N that of the most frequent text |
"""  # noqa: E501

from __future__ import annotations

import heapq
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import log
from pathlib import Path, PurePosixPath
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.errors import DAMAGE, Argument, ConfigurationError, InputError, OptionError, command
from corpora.formats import registry
from corpora.formats.format import Folder, Header, Joined
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, add_mention, fresh_ids, mentions, mentions_of, set_identifiers
from corpora.model.mention_infons import set_candidates
from corpora.model.passages import passage_text, section_type, set_section_type
from corpora.reading import read
from corpora.reporting import Report, ignore
from corpora.storage import owned_files
from corpora.storage.inputs import MANIFEST, is_pipe
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from corpora.words.short_texts import cached
from corpora.writing import check_target, refuse_documents, write_articles
from ensemble.runs import open_poll
from ensemble.tally import tally
from ensemble.votes import text_digest
from nlmchem.companions.curation import chosen_for, set_chosen_for
from nlmchem.deciding.linking import ConceptLink, link_of, probabilities_of
from sieves.registry import facts

ARTICLES = PurePosixPath("articles.xml")
MADE_BY = "nlmchem curate select"
SHOWN = 5
"""Signals that are listed for each passage."""
UNMEASURED = 0.5
"""The share of wrong answers of a sieve that was not measured."""


# -- the reasons --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signal:
    """A reason to look at a mention. `surface`: its text. `points`: 0 to 1."""

    surface: str
    reason: str
    points: float


@dataclass(slots=True)
class PassageCandidate:
    document: str
    offset: int
    mentions: tuple[str, ...]
    """The texts of its mentions, each as often as it occurs."""
    signals: list[Signal]
    probability: float | None
    """The lowest of its mentions; None if none states one."""


def signals_of(mention: Mention, threshold: float, right: float | None) -> Iterator[Signal]:
    """The reasons that the mention itself gives. `threshold`: that of the decision, between 0 and 1.

    `right`: the probability that its concepts are right; None if it is unknown.
    """
    evidence = mention.evidence
    if evidence.score is not None:
        yield from _signal(mention.text, "threshold", nearness(evidence.score, threshold))
    if mention.sought and not mention.identifiers:
        yield Signal(mention.text, "no-concept", 1.0)
    if evidence.sieve is not None and mention.identifiers:
        right = facts(evidence.sieve).precision if right is None else right
        yield from _signal(mention.text, "sieve", UNMEASURED if right is None else 1 - right)


def nearness(score: float, threshold: float) -> float:
    """1 for a score at the threshold, falling to 0 at the scores 0 and 1."""
    return 1 - abs(score - threshold) / (threshold if score < threshold else 1 - threshold)


def _signal(surface: str, reason: str, points: float) -> Iterator[Signal]:
    if points > 0:
        yield Signal(surface, reason, round(points, 4))


def _add_frequent(passages: Sequence[PassageCandidate]) -> None:
    """Add the reason `frequent` to the passages: once for each text that is uncertain somewhere and occurs twice."""
    numbers: defaultdict[str, int] = defaultdict(int)
    points: defaultdict[str, float] = defaultdict(float)
    for passage in passages:
        for text in passage.mentions:
            numbers[text.casefold()] += 1
        for signal in passage.signals:
            points[signal.surface.casefold()] += signal.points
    most = max(numbers.values(), default=0)
    for passage in passages:
        for key, surface in {signal.surface.casefold(): signal.surface for signal in passage.signals}.items():
            if (number := numbers[key]) > 1:
                mean = min(1.0, points[key] / number)
                passage.signals += _signal(surface, "frequent", mean * log(1 + number) / log(1 + most))


def _probability(mention: Mention) -> float | None:
    evidence = mention.evidence
    return evidence.score if evidence.probability is None else evidence.probability


# -- the choice ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChosenPassage:
    """A passage that was chosen, with its points at that time, its strongest signals, and all reasons that it has."""

    document: str
    offset: int
    points: float
    signals: tuple[Signal, ...] = ()
    reasons: frozenset[str] = frozenset()

    @property
    def why(self) -> str:
        """The reasons in words."""
        return "; ".join(f"{one.reason}: {one.surface} ({one.points:.2f})" for one in self.signals) or "random"


@dataclass(frozen=True, slots=True)
class Choice:
    """How passages are chosen."""

    number: int = 50
    threshold: float = 0.5
    """The score at which a mention is decided."""
    seed: int | None = None
    """That of a random choice; None for a choice by reasons."""
    missing: str = "error"
    """As in `ensemble.runs.open_poll`."""
    below: float | None = None
    """Choose all passages that have a mention with a lower probability, in place of a number of them."""

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise OptionError("threshold", f"is {self.threshold}; use a score between 0 and 1")
        if self.number < 1:
            raise OptionError("number", f"is {self.number}; choose at least one passage")


def select(runs: Sequence[str], choice: Choice, report: Report) -> tuple[list[ChosenPassage], int]:
    """The chosen passages of the first run, best first, and the number of passages with text.

    The other runs are compared with it. Raises the errors of `open_poll` and of reading.
    """
    if is_pipe(runs[0]):
        raise ConfigurationError(f"{runs[0]} can be read only once, but runs are read twice; save it as a file")
    contested = _contested(runs, choice, report) if len(runs) > 1 and choice.seed is None else {}
    passages: list[PassageCandidate] = []
    seen: set[str] = set()
    for document in read(runs[0], report=ignore if contested else report):
        if document.id in seen:
            raise InputError(f"{runs[0]} has the document {document.id!r} twice; remove one, or give it another id")
        seen.add(document.id)
        if (offset := repeated_offset(document)) is not None:
            report(
                f"document {document.id!r} was left out: it has several passages at offset {offset}, and corrections "
                "are assigned to passages by offset; correct the offsets"
            )
            continue
        passages += _candidates(document, choice, contested.get(text_digest(document), {}))
    if not passages:
        raise ConfigurationError(f"{runs[0]} has no passage with text; name the outputs of a run")
    if choice.seed is not None:
        taken = random.Random(choice.seed).sample(passages, min(choice.number, len(passages)))
        return [ChosenPassage(candidate.document, candidate.offset, 0.0) for candidate in taken], len(passages)
    _add_frequent(passages)
    if choice.below is not None:
        doubted = [(p, p.probability) for p in passages if p.probability is not None and p.probability < choice.below]
        if not doubted:
            raise ConfigurationError(
                f"no passage of {runs[0]} has a mention with a probability below {choice.below:g}; raise it"
            )
        return [ChosenPassage(p.document, p.offset, round(1 - lowest, 4)) for p, lowest in doubted], len(passages)
    chosen = list(_best(passages, choice.number))
    if not chosen:
        raise ConfigurationError(
            f"no passage of {runs[0]} has anything uncertain; give a second run, or add ", Argument("random", True)
        )
    if len(chosen) < choice.number:
        uncertain = f"{len(chosen)} of {quantity(len(passages), 'passage')} {'has' if len(chosen) == 1 else 'have'}"
        report(f"only {uncertain} anything uncertain; the others were not chosen")
    return chosen, len(passages)


def _contested(runs: Sequence[str], choice: Choice, report: Report) -> dict[str, dict[int, list[Signal]]]:
    """What not all runs have: by the digest of the texts of a document, the signals of each passage by its position."""
    by_digest: dict[str, dict[int, list[Signal]]] = {}
    with open_poll(runs, missing=choice.missing, report=report) as poll:
        for ballot in poll.ballots():
            signals = by_digest[text_digest(ballot.document)] = defaultdict(list)
            for span in tally(ballot):
                text = ballot.text(span.passage, span.spans)
                signals[span.passage] += _signal(text, "disagreement", 4 * span.score * (1 - span.score))
    return by_digest


def _candidates(
    document: BioCDocument, choice: Choice, contested: dict[int, list[Signal]]
) -> Iterator[PassageCandidate]:
    linked: defaultdict[int, list[tuple[Mention, ConceptLink | None]]] = defaultdict(list)
    for mention in mentions(document):
        link = link_of(mention.text, mention.identifiers, mention.evidence)
        linked[id(mention.passage)].append((mention, link))
    right = probabilities_of(link for here in linked.values() for _, link in here)
    for position, passage in enumerate(document.passages):
        if not passage_text(passage).strip():
            continue
        here = linked[id(passage)]
        signals = [
            signal for mention, link in here for signal in signals_of(mention, choice.threshold, right.get(link))
        ]
        signals += contested.get(position, [])
        stated = [value for mention in mentions_of(passage) if (value := _probability(mention)) is not None]
        texts = tuple(mention.text for mention, _ in here)
        yield PassageCandidate(document.id, passage.offset, texts, signals, min(stated, default=None))


def _best(passages: Sequence[PassageCandidate], number: int) -> Iterator[ChosenPassage]:
    """The passages with the most points. Points only fall, so a passage is counted again when it is the first."""
    taken: Counter[str] = Counter()

    def points(passage: PassageCandidate) -> float:
        return sum(signal.points / (1 + taken[signal.surface.casefold()]) for signal in passage.signals)

    heap = [(-points(passage), at) for at, passage in enumerate(passages)]
    heapq.heapify(heap)
    while heap and number:
        _, at = heapq.heappop(heap)
        now = points(passages[at])
        if heap and (-now, at) > heap[0]:
            heapq.heappush(heap, (-now, at))
            continue
        if not now:
            return
        number -= 1
        strongest = sorted(passages[at].signals, key=lambda signal: (-signal.points, signal.surface, signal.reason))
        shown = tuple(dict.fromkeys(strongest))[:SHOWN]
        reasons = frozenset(signal.reason for signal in strongest)
        yield ChosenPassage(passages[at].document, passages[at].offset, round(now, 4), shown, reasons)
        taken.update({signal.surface.casefold() for signal in passages[at].signals})


# -- the folder ---------------------------------------------------------------------------------


def write_selection(
    out: Path, runs: Sequence[str], choice: Choice, report: Report, route: Path | None = None
) -> dict[str, Any]:
    """Choose passages and write them into a folder: `articles.xml` and the account `manifest.json`, which is returned.

    An article has only its chosen passages, with their offsets. `route`: a file that gets the passages as questions for
    another annotator. Raises as `select` and `OwnedFolder` do.
    """
    folder = OwnedFolder(out)
    chosen, passages = select(runs, choice, report)
    write_collection(folder, ARTICLES, _parts(runs[0], chosen))
    if route is not None:
        owned_files.write_text(route, "".join(map(_questions, _parts(runs[0], chosen))))
    account = {
        "made_by": MADE_BY,
        "runs": list(runs),
        "choice": "reasons" if choice.seed is None else "random",
        "threshold": choice.threshold,
        "seed": choice.seed,
        "articles": len({passage.document for passage in chosen}),
        "passages_with_text": passages,
        "reasons": dict(sorted(Counter(reason for passage in chosen for reason in passage.reasons).items())),
        "passages": [
            {
                "document": passage.document,
                "offset": passage.offset,
                "points": passage.points,
                "reasons": [{"reason": s.reason, "text": s.surface, "points": s.points} for s in passage.signals],
            }
            for passage in chosen
        ],
    }
    write_account(folder, account)
    return account


def write_account(folder: OwnedFolder, account: dict[str, Any]) -> None:
    folder.write_bytes(PurePosixPath(MANIFEST), json.dumps(account, indent=1).encode() + b"\n")


def write_collection(folder: OwnedFolder, name: PurePosixPath, documents: Iterator[BioCDocument]) -> None:
    """Write documents as BioC XML into a folder."""
    writer = registry.writable("biocxml")
    assert isinstance(writer, Joined)
    with folder.writing(name) as stream:
        writer.write((writer.dumps(document, ignore) for document in documents), Header("nlmchem curate"), stream)


def _parts(run: str, chosen: Sequence[ChosenPassage]) -> Iterator[BioCDocument]:
    """The articles of a run with their chosen passages only."""
    wanted = {(selected.document, selected.offset): selected for selected in chosen}
    for document in read(run, report=ignore):
        # A passage without text, such as an empty title, may have the offset of the next one.
        with_text = (passage for passage in document.passages if passage_text(passage).strip())
        kept = [passage for passage in with_text if (document.id, passage.offset) in wanted]
        if kept:
            part = shallow(document)
            part.passages = kept
            for passage in kept:
                set_chosen_for(passage, wanted[document.id, passage.offset].why)
            yield part


def _questions(document: BioCDocument) -> str:
    """The passages of a document for another annotator, such as a language model: JSON lines, one passage a line.

        {"document": "123", "passage": 84, "text": "Zinc was given.",
         "mentions": [{"text": "Zinc", "start": 0, "end": 4, "identifier": "MESH:D015032", "probability": 0.61}]}

    `passage` is the offset of the passage in its article; offsets of mentions count from the start of its text. The
    answer has the same `document` and `passage`, and all mentions that are right. `nlmchem align` takes it back.
    """
    lines = []
    for passage in document.passages:
        rows = [
            {
                "text": mention.text,
                "start": mention.spans[0][0] - passage.offset,
                "end": mention.spans[-1][1] - passage.offset,
                "identifier": ",".join(mention.identifiers) or None,
                "probability": None if (probability := _probability(mention)) is None else round(probability, 4),
            }
            for mention in mentions_of(passage)
        ]
        question = {"document": str(document.id), "passage": passage.offset, "text": passage_text(passage)}
        lines.append(json.dumps({**question, "mentions": rows}, ensure_ascii=False) + "\n")
    return "".join(lines)


def shallow(document: BioCDocument) -> BioCDocument:
    """A document with the id and infons of another, without its passages, annotations and relations."""
    part = BioCDocument()
    part.id, part.infons = document.id, deepcopy(document.infons)
    return part


def repeated_offset(document: BioCDocument) -> int | None:
    """An offset that several passages with text have; None if there is none."""
    offsets = Counter(passage.offset for passage in document.passages if passage_text(passage).strip())
    return next((offset for offset, number in offsets.items() if number > 1), None)


def open_selection(folder: Path) -> dict[str, BioCDocument]:
    """The articles of a selection, by id. Raises `ConfigurationError` for a folder that is none."""
    try:
        made_by = json.loads((folder / MANIFEST).read_bytes())["made_by"]
    except (OSError, *DAMAGE):
        made_by = None
    if made_by != MADE_BY:
        raise ConfigurationError(
            f"{folder} is no selection; make one with {command('curate select RUN -o SELECTION')}, or correct ",
            Argument("selection"),
        )
    documents = {document.id: document for document in read(folder / ARTICLES, report=ignore)}
    for name, document in documents.items():
        if (offset := repeated_offset(document)) is not None:
            raise ConfigurationError(
                f"{folder / ARTICLES}: document {name!r} has several passages at offset {offset}, and corrections are "
                "assigned to passages by offset; correct the offsets in the run, and select again"
            )
    return documents


# -- the tasks of an editor ---------------------------------------------------------------------

TASKS = "tasks"
EDITOR = PurePosixPath("editor")
"""The folder for what is given to the editor and is no task."""
CANDIDATES = 5
"""Concepts that are listed for each mention."""

Concept = tuple[str, str | None, float | None]
"""Identifier, preferred name, score 0 to 1."""


def export(selection: Path, format: str, out: Path, lexicon: str | Path | None, report: Report) -> tuple[int, int]:
    """Write the tasks of a selection for an editor, and what it needs beside them. Returns articles and passages.

    Only the chemicals of a passage are in a task; the rest of the selection is added again when the tasks come back.
    Raises `OptionError` for a format without an editor, and `ConfigurationError` for a folder that has other files.
    """
    from nlmchem.api.concepts import lookup

    name = registry.canonical(format)
    if name not in registry.editor_names():
        names = ", ".join(registry.editor_names())
        raise OptionError("to", f"is {format!r}, which no editor reads; use one of {names}")
    documents = open_selection(selection)
    writer = registry.writable(name)
    refuse_documents(out)
    losses: list[str] = []

    @cached(4096)
    def concepts(text: str) -> list[Concept]:
        return [(",".join(found.identifiers), found.name, found.score) for found in lookup(text, lexicon)[:CANDIDATES]]

    articles = (writer.dumps(task_document(document, concepts), losses.append) for document in documents.values())
    if isinstance(writer, Folder):
        check_target(writer, out)
        write_articles(writer, articles, Header(), out)
        folder = OwnedFolder(out)
    else:
        folder = OwnedFolder(out)
        with folder.writing(PurePosixPath(TASKS + registry.suffix_of(name))) as stream:
            writer.write(articles, Header("nlmchem curate"), stream)
    for file, content in registry.named(name).files_beside([CHEMICAL]).items():
        # brat reads its configuration beside the articles.
        folder.write_bytes(PurePosixPath(file) if isinstance(writer, Folder) else EDITOR / file, content)
    passages = sum(len(document.passages) for document in documents.values())
    write_account(
        folder, {"made_by": "nlmchem curate export", "format": name, "articles": len(documents), "passages": passages}
    )
    if losses:
        more = f" (not shown: {quantity(len(losses) - 1, 'more sentence')} like this)" if len(losses) > 1 else ""
        report(f"{losses[0]}{more}; {command('curate import')} takes what did not change from the selection")
    return len(documents), passages


def task_document(document: BioCDocument, concepts: Callable[[str], list[Concept]]) -> BioCDocument:
    """A document with what a curator needs of each passage: text, section, reasons, and chemicals with candidates."""
    task = BioCDocument()
    task.id = document.id
    ids = fresh_ids(task, "T")
    for passage in document.passages:
        copy = BioCPassage()
        copy.offset, copy.text = passage.offset, passage_text(passage)
        if section := section_type(passage):
            set_section_type(copy, section)
        if reasons := chosen_for(passage):
            set_chosen_for(copy, reasons)
        task.add_passage(copy)
        for mention in chemicals(passage):
            score = mention.evidence.score
            added = add_mention(copy, mention.spans, id=next(ids), annotator=None, score=score)
            if mention.sought:
                set_identifiers(added, mention.identifiers)
            set_candidates(added, concepts(mention.text))
    return task


def chemicals(passage: BioCPassage) -> Iterator[Mention]:
    """The mentions that curators correct."""
    return (mention for mention in mentions_of(passage) if mention.type == CHEMICAL)
