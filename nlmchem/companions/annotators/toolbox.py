"""Tools for agents: functions of plain values, with small answers and their reasons.

The models are loaded once, at the first call that needs them. `serving` offers the tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.errors import ConfigurationError, command, shortened
from corpora.storage.inputs import expand
from corpora.storage.members import members
from corpora.storage.packed_streams import READ_FAULTS
from corpora.storage.pmc_files import metadata_files
from corpora.storage.standoff import annotations_of, text_of
from corpora.words.quantities import quantity

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.api.pipeline import Pipeline
    from nlmchem.companions.annotators.verifying import Verifier


MAX_TEXT = 200_000
"""Characters of a text."""
MAX_ITEMS = 200
"""Items of an answer; the rest is counted. An agent reads all of an answer at each of its steps."""
MAX_SYNONYMS = 20
MAX_FILE = 20 << 20
"""Bytes of a file, of a packed one those that come out."""

Answer = dict[str, Any]


@dataclass
class Toolbox:
    """The tools.

    Args:
        folder: The only folder whose files are read; None: no file is read.
        lexicon: A lexicon file, or `starter`; None: the one that comes with nlmchem.
        tagger: The tagger.
    """

    folder: Path | None = None
    lexicon: str | None = None
    tagger: str = "default"

    def annotate_text(self, text: str | None = None, path: str | None = None) -> Answer:
        """The chemicals of a text or of a file, with offsets in characters, MeSH identifiers, reasons."""
        rows = [
            {
                "document": str(document.id),
                "start": mention.start,
                "end": mention.end,
                "text": mention.text,
                "identifier": mention.identifier,
                "name": mention.name,
                "probability": mention.probability,
                "identifier_probability": mention.identifier_probability,
                "sieve": mention.evidence.sieve,
                "matched_name": mention.evidence.matched_name,
            }
            for document in self._pipeline(self._documents(text, path))
            for mention in document.mentions
        ]
        return _limited("mentions", rows)

    def lookup(self, name: str) -> Answer:
        """The MeSH concepts that a name, a formula or an identifier can mean, best first."""
        import nlmchem

        rows = [
            {
                "identifier": candidate.identifier,
                "name": candidate.name,
                "kind": candidate.kind,
                "sieve": candidate.sieve,
                "matched_name": candidate.matched_name,
                "score": candidate.score,
            }
            for candidate in nlmchem.lookup(_text(name, "name"), self.lexicon)
        ]
        return _limited("concepts", rows)

    def define(self, identifier: str) -> Answer:
        """A MeSH concept: its preferred name, kind, synonyms, broader concepts and tree numbers."""
        import nlmchem

        concept = nlmchem.define(_text(identifier, "identifier"), self.lexicon)
        return {
            "identifier": concept.identifier,
            "name": concept.name,
            "kind": concept.kind,
            "synonyms": list(concept.synonyms[:MAX_SYNONYMS]),
            "synonyms_left_out": max(0, len(concept.synonyms) - MAX_SYNONYMS),
            "parents": list(concept.parents),
            "trees": list(concept.trees),
        }

    def explain(self, text: str, mention: str | None = None) -> Answer:
        """Why texts of a text are mentions or not: scores, meanings, reasons in words."""
        wanted = (mention or "").casefold()
        rows = [
            {
                "text": span.text,
                "is_mention": bool(span.stands),
                "score": round(span.score, 4),
                "identifiers": list(span.identifiers),
                "identifier_probability": span.identifier_probability,
                "why": span.why,
            }
            for span in self._pipeline.explain(_text(text, "text"))
            if wanted in span.text.casefold()
        ]
        return _limited("texts", rows)

    def verify_mentions(self, text: str, mentions: Sequence[Mapping[str, Any] | str]) -> Answer:
        """Whether mentions are in a text, and whether their identifiers are alive and theirs.

        A mention is its text, or an object with `text`, and where known `identifier`, `start`, `end`, `quote`.
        """
        from nlmchem.companions.annotators.aligning import Aligner
        from nlmchem.companions.annotators.rows import rows_of

        rows = [row for row in rows_of(list(mentions)[:MAX_ITEMS], "mentions") if not row.says_none]
        documents = list(self._documents(text, None))
        aligner = Aligner(rows, name="given")
        [document] = aligner.aligned(documents, lambda sentence: None)
        verdicts = [
            {key: value for key, value in verdict.as_row().items() if key not in ("document", "id")}
            for verdict in self._verifier.verdicts(document)
        ]
        refused = [
            {"text": outcome.row.text, "fate": str(outcome.fate), "remark": outcome.remark}
            for at in sorted(aligner.outcomes)
            for outcome in aligner.outcomes[at]
            if not outcome.fate.is_placed
        ]
        left_out = max(0, len(mentions) - MAX_ITEMS)
        return {**_limited("mentions", verdicts), "not_placed": refused, "mentions_not_read": left_out}

    def find_abbreviations(self, text: str | None = None, path: str | None = None) -> Answer:
        """The abbreviations that a text or a file defines, with their long forms and places."""
        from nlmchem.abbreviations import define

        rows = [
            {
                "document": str(document.id),
                "short_form": definition.short_form,
                "long_form": definition.long_form,
                "short_start": definition.short_span[0],
                "long_start": definition.long_span[0],
                "score": definition.score,
            }
            for document in self._documents(text, path)
            for definition in define(document).definitions
        ]
        return _limited("abbreviations", rows)

    # -- inputs ---------------------------------------------------------------------------------

    def _documents(self, text: str | None, path: str | None) -> Iterable[BioCDocument]:
        from bioc import BioCDocument, BioCPassage

        import corpora

        if (text is None) == (path is None):
            raise ConfigurationError("give either a text or a path")
        if text is None:
            return corpora.read(self._allowed(str(path)))
        document = BioCDocument()
        document.id = "text"
        document.passages = [BioCPassage.of_text(_text(text, "text"))]
        return [document]

    def _allowed(self, path: str) -> Path:
        """The real path of a file inside the folder. Raises `ConfigurationError` for any other, through links too."""
        if self.folder is None:
            raise ConfigurationError("no file is read, because the server was started without a folder; give the text")
        root = self.folder.resolve()
        try:
            real = (root / path).resolve()
        except (ValueError, OSError, RuntimeError) as error:
            raise ConfigurationError(f"{shortened(path)!r} is not the name of a file; correct it") from error
        if not real.is_relative_to(root):
            raise ConfigurationError(f"{path} is not in the folder that the server may read")
        if not real.is_file():
            raise ConfigurationError(f"{path} is no file of the folder that the server may read")
        # What is read with it: annotations of its text, or the text of its annotations, and metadata.
        beside = [*annotations_of(str(real)), Path(text_of(str(real)) or real), *metadata_files(str(real))]
        for file in beside:
            if not file.resolve().is_relative_to(root):
                raise ConfigurationError(f"{path} is read with {file.name}, which is not in the folder")
        left = MAX_FILE
        # What cannot be read any further has its sentence when it is read.
        with suppress(*READ_FAULTS):
            for one in expand([str(real)]):
                for _, stream in members(one):
                    while left >= 0 and (chunk := stream.read(1 << 20)):
                        left -= len(chunk)
        if left < 0:
            raise ConfigurationError(
                f"{path} has more than {MAX_FILE >> 20} MB; annotate it with {command('annotate')}"
            )
        return real

    @cached_property
    def _pipeline(self) -> Pipeline:
        import nlmchem

        return nlmchem.load(self.tagger, lexicon=self.lexicon, existing="replace")

    @cached_property
    def _verifier(self) -> Verifier:
        from nlmchem.companions.annotators.commands import SURE
        from nlmchem.companions.annotators.verifying import Verifier
        from sieves.lexicon.lexicon import Lexicon

        return Verifier(Lexicon.open(self.lexicon), SURE)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{name} is empty; give a text")
    if len(value) > MAX_TEXT:
        raise ConfigurationError(
            f"{name} has {quantity(len(value), 'character')}, and {MAX_TEXT} are read; give a part, or annotate a file "
            f"with {command('annotate')}"
        )
    return value


def _limited(name: str, rows: Sequence[Mapping[str, Any]]) -> Answer:
    return {name: list(rows[:MAX_ITEMS]), "total": len(rows), "left_out": max(0, len(rows) - MAX_ITEMS)}
