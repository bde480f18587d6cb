"""Reads the tasks that come back from an editor, and finds their passages in the selection."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from bioc import BioCDocument, BioCPassage

from corpora.errors import Argument, ArticleError, Text, shortened
from corpora.model.alignment import DocumentLayout, text_differences
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, Span, mentions_of
from corpora.model.passages import passage_text
from corpora.parsing.safe_xml import illegal_characters
from corpora.reading import Fault, ReadArticle, claimed, sources
from corpora.reporting import Report
from corpora.storage import inputs
from corpora.storage.members import Member
from corpora.storage.standoff import TEXT
from corpora.words.quantities import quantity
from nlmchem.companions.curation import curator, is_open, set_curator
from nlmchem.companions.curation.formats.inception import ArticleStates, is_description, set_state, states_of
from nlmchem.companions.curation.selection import TASKS, chemicals

DONE, OPEN = "done", "open"
RECORDING = frozenset({"label-studio", "prodigy", "inception"})
"""The formats that record what was finished. The others contain each passage of the export, also one nobody opened."""
_OF_NOBODY = "unknown"
"""The file in an export of doccano with the texts that no user has annotated; the others have the names of users."""
PassageKey = tuple[str, int]
"""The id of a document, and the offset of one of its passages."""


@dataclass(frozen=True, slots=True)
class CuratedMention:
    """A chemical as an annotator left it. `identifiers`: None where the editor does not state them."""

    spans: tuple[Span, ...]
    identifiers: tuple[str, ...] | None

    @classmethod
    def of(cls, mention: Mention, shift: int = 0) -> CuratedMention:
        """That of a document, with its spans moved by `shift`."""
        spans = tuple(sorted((start + shift, end + shift) for start, end in mention.spans))
        return cls(spans, mention.identifiers if mention.sought else None)


@dataclass(slots=True)
class ReturnedTasks:
    """What came back, added one article of the tasks after another."""

    selection: Mapping[str, BioCDocument]
    unchanged: str = DONE
    """Whether passages without any change are `done` or `open` in formats that do not record what was finished."""
    annotated: dict[PassageKey, dict[str, list[CuratedMention]]] = field(default_factory=dict)
    """The chemicals of each passage by annotator, in the order of the files."""
    faults: list[str] = field(default_factory=list)
    """A sentence for everything that cannot be used."""
    unfinished: set[PassageKey] = field(default_factory=set)
    """Passages that came back, but were not finished by anyone."""
    duplicates: int = 0
    unstated: int = 0
    """Unchanged passages in formats that do not record what was finished."""
    _origin: dict[tuple[PassageKey, str], str] = field(default_factory=dict)

    def add(self, item: ReadArticle, member: Member) -> None:
        """Add the passages of an article. Raises `ArticleError` for one that the selection does not have like this."""
        document = item.document
        former = self.selection.get(document.id)
        # The passages of a text with annotations in a file of their own are the lines of the text.
        is_standoff = member.relative.suffix == TEXT
        if (annotator := curator(document)) is None:
            # The name of the file, or of its folder where the file has our own name.
            annotator = member.relative.name.partition(".")[0]
            if is_standoff or annotator in (TASKS, document.id):
                annotator = Path(member.file.path).resolve().parent.name
        if former is None:
            raise ArticleError(
                f"the document {document.id!r} is not in the selection; give the selection that the tasks are from"
            )
        marks_of: dict[PassageKey, list[CuratedMention]] = {}
        same: set[PassageKey] = set()
        for passage, marked in (_of_lines if is_standoff else _of_passages)(document, former):
            key = document.id, passage.offset
            if key in marks_of and not is_open(document):
                raise ArticleError(
                    f"{annotator} annotated the passage at offset {key[1]} of {key[0]!r} twice in this file; "
                    "remove one of the two, or give each annotator a name of their own"
                )
            _require_storable(annotator, marked, key)
            marks_of[key] = self._joined(marked, passage)
            if _is_unchanged(marks_of[key], passage):
                same.add(key)
        if is_open(document):
            self.unfinished.update(marks_of)
            return
        if item.format not in RECORDING:
            self.unstated += len(same)
            if self.unchanged == OPEN:
                self.unfinished |= same
                marks_of = {key: marks for key, marks in marks_of.items() if key not in same}
        for key in marks_of:
            if (before := self._origin.get((key, annotator))) is not None:
                raise ArticleError(
                    f"{annotator} annotated the passage at offset {key[1]} of {key[0]!r} also in {before}; "
                    "give each annotator a name of their own, or remove one of the two"
                )
        for key, marks in marks_of.items():
            self._origin[key, annotator] = item.place
            self.annotated.setdefault(key, {})[annotator] = marks

    def _joined(self, marks: list[CuratedMention], former: BioCPassage) -> list[CuratedMention]:
        """The marks, each once; pieces of a mention of the selection that all came back are one mention again.

        Where the selection has several mentions at one place, as many marks are kept there.
        """
        left = list(marks)
        before = [(tuple(sorted(mention.spans)), mention.identifiers) for mention in chemicals(former)]
        for spans, identifiers in before:
            if len(spans) > 1 and all(mark.spans != spans for mark in marks):
                by_piece = [[mark for mark in left if mark.spans == (span,)] for span in spans]
                if not all(by_piece):
                    continue
                # Of several marks at one place, one with the identifiers of the mention.
                pieces = [max(here, key=lambda mark: mark.identifiers == identifiers) for here in by_piece]
                for piece in pieces:
                    left.remove(piece)
                # A correction of one piece is a correction of the mention.
                stated = [piece.identifiers for piece in pieces]
                changed = [one for one in stated if one is not None and one != identifiers]
                left.append(CuratedMention(spans, changed[0] if changed else stated[0]))
        numbers = Counter(spans for spans, _ in before)
        by_spans: defaultdict[tuple[Span, ...], Counter[CuratedMention]] = defaultdict(Counter)
        for mark in left:
            by_spans[mark.spans][mark] += 1
        kept: list[CuratedMention] = []
        for spans, here in sorted(by_spans.items()):
            # Different marks go before equal ones.
            again = [mark for mark, number in here.items() for _ in range(number - 1)]
            kept += [*here, *again][: max(1, numbers[spans])]
        self.duplicates += len(left) - len(kept)
        return kept


def read_returned(
    paths: Sequence[str], selection: Mapping[str, BioCDocument], report: Report, unchanged: str = DONE
) -> ReturnedTasks:
    """The annotations in files or folders. Raises `ConfigurationError` for a path that does not exist.

    `unchanged`: as in `ReturnedTasks`.
    """
    returned = ReturnedTasks(selection, unchanged)
    states: dict[str, ArticleStates] = {}
    given = (source for source in sources(inputs.expand(paths)) if not is_description(source.member))
    for source in claimed(given, report):
        path = source.member.file.path
        if path not in states:
            states[path] = states_of(path)
        for item in source.articles(report):
            if isinstance(item, Fault):
                returned.faults.append(str(item))
                continue
            try:
                if item.format == "inception":
                    set_state(item.document, source.member, states[path], report)
                if item.format == "doccano" and source.member.relative.name.partition(".")[0] == _OF_NOBODY:
                    set_curator(item.document, None, is_open=True)
                holders = (item.document, *item.document.passages)
                if number := sum(len(holder.relations) for holder in holders):
                    relations = quantity(number, "relation was", "relations were")
                    report(
                        f"{item.place}: document {item.document.id!r}: {relations} left out: only mentions are imported"
                    )
                returned.add(item, source.member)
            except ArticleError as error:
                returned.faults.append(f"{item.place}: {error}")
    returned.unfinished -= returned.annotated.keys()
    if returned.unstated:
        start = (
            f"{quantity(returned.unstated, 'passage')} came back without any change in files that do "
            "not record what was finished; "
            f"they count as {'finished' if unchanged == DONE else 'not finished'}; for the other choice, use "
        )
        report(Text(start, Argument("unchanged", OPEN if unchanged == DONE else DONE)))
    return returned


def _require_storable(annotator: str, marks: Sequence[CuratedMention], place: PassageKey) -> None:
    """Raise `ArticleError` for characters that the gold articles, which are XML, cannot have."""
    identifiers = (("identifier", identifier) for mark in marks for identifier in mark.identifiers or ())
    for what, value in (("annotator", annotator), *identifiers):
        if bad := illegal_characters(value):
            raise ArticleError(
                f"document {place[0]!r}, passage at offset {place[1]}: the {what} {shortened(value, 60)!r} contains "
                f"{', '.join(bad[:5])}, which XML forbids; correct it in the editor"
            )


def _is_unchanged(marks: Sequence[CuratedMention], former: BioCPassage) -> bool:
    """Whether a passage has the mentions of the selection, with its identifiers where the format states them."""

    def by_piece(marks: Iterable[CuratedMention]) -> dict[Span, list[tuple[str, ...] | None]]:
        identifiers_of: dict[Span, list[tuple[str, ...] | None]] = {}
        for mark in marks:
            for span in mark.spans:
                identifiers_of.setdefault(span, []).append(mark.identifiers)
        return {span: sorted(identifiers, key=str) for span, identifiers in identifiers_of.items()}

    before, after = by_piece(map(CuratedMention.of, chemicals(former))), by_piece(marks)
    return before.keys() == after.keys() and all(
        len(before[span]) == len(stated) and (before[span] == stated or all(one is None for one in stated))
        for span, stated in after.items()
    )


# -- the passages of the selection --------------------------------------------------------------


def _of_passages(document: BioCDocument, former: BioCDocument) -> Iterator[tuple[BioCPassage, list[CuratedMention]]]:
    """Each passage of the selection that a document has, with its chemicals. Raises `ArticleError`."""
    texts = [(passage.offset, passage_text(passage)) for passage in document.passages]
    by_offset = {passage.offset: passage for passage in former.passages}
    for offset, _ in texts:
        if offset not in by_offset:
            where = f"document {document.id!r}: the passage at offset {offset}"
            raise ArticleError(f"{where} is not in the selection; give the selection that the tasks are from")
    wanted = [(offset, passage_text(by_offset[offset])) for offset, _ in texts]
    if wanted != texts:
        raise _text_difference(document.id, wanted, texts)
    for passage in document.passages:
        yield by_offset[passage.offset], list(map(CuratedMention.of, _checked(passage, document.id)))


def _of_lines(document: BioCDocument, former: BioCDocument) -> Iterator[tuple[BioCPassage, list[CuratedMention]]]:
    """As `_of_passages`, where the passages of the selection are the lines of one text."""
    texts = [(passage.offset, passage_text(passage)) for passage in document.passages]
    lines = [passage_text(passage).replace("\n", " ").replace("\r", " ") for passage in former.passages]
    # A mention can join two lines, and then they are one passage. On Windows, a line end has two characters.
    starts: list[int] = []
    given: list[str] = []
    for offset, text in texts:
        for line in text.split("\n"):
            starts.append(offset)
            given.append(line.removesuffix("\r"))
            offset += len(line) + 1
    if "\n".join(given).rstrip("\n") != "\n".join(lines).rstrip("\n"):
        offsets = accumulate((len(line) + 1 for line in lines), initial=0)
        raise _text_difference(document.id, tuple(zip(offsets, lines, strict=False)), texts)
    marks: dict[int, list[CuratedMention]] = {number: [] for number in range(len(lines))}
    for passage in document.passages:
        for mention in _checked(passage, document.id):
            number = bisect_right(starts, mention.spans[0][0]) - 1
            if any(bisect_right(starts, end - 1) - 1 != number for _, end in mention.spans):
                raise ArticleError(
                    f"document {document.id!r}: the mention {mention.text!r} joins two passages; part it"
                )
            marks[number].append(CuratedMention.of(mention, former.passages[number].offset - starts[number]))
    yield from ((former.passages[number], of_passage) for number, of_passage in marks.items())


def _text_difference(name: str, wanted: Sequence[tuple[int, str]], texts: Sequence[tuple[int, str]]) -> ArticleError:
    layouts = (DocumentLayout(name, name, tuple(wanted)), DocumentLayout(name, name, tuple(texts)))
    first = next(text_differences(*layouts, ("the selection", "the tasks")))
    return ArticleError(f"{first}; a text must not be changed: export the article again and annotate that")


def _checked(passage: BioCPassage, name: str) -> Iterator[Mention]:
    """The chemicals of a passage. Raises `ArticleError` for other labels, and for another text than at the spans."""
    text = passage_text(passage)
    unknown = Counter(mention.type for mention in mentions_of(passage) if mention.type != CHEMICAL)
    if unknown:
        labels = ", ".join(f"{type!r} ({number})" for type, number in sorted(unknown.items()))
        raise ArticleError(
            f"document {name!r}, passage at offset {passage.offset}: the tasks have only the label {CHEMICAL!r}, "
            f"but these came back: {labels}; rename or remove them"
        )
    for mention in chemicals(passage):
        there = " ".join(text[start - passage.offset : end - passage.offset] for start, end in mention.spans)
        if there != mention.text:
            raise ArticleError(
                f"document {name!r}: the mention {mention.text!r} is not the text at its offset "
                f"{mention.spans[0][0]}, {there!r}; export it again"
            )
        yield mention
