"""What curators should look at, how they get it, and what comes back; here: what is written for them and of them.

The only file that contains the keys of these infons:

| infon | of | value |
|---|---|---|
| `chosen_for` | passage | why the passage was chosen for curators, in words |
| `change` | mention | what a curator did with it: `kept`, `relinked`, `moved` or `added` |
| `before` | mention | its spans, identifiers and annotator before that, as far as they differ |
| `curator` | document | the name of the person whose annotations these are |
| `curation` | document | `open` if nobody has finished its passages |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bioc import BioCDocument, BioCPassage

    from corpora.model.document import Mention

_OPEN = "open"


def set_chosen_for(passage: BioCPassage, reasons: str) -> None:
    """Write why a passage was chosen; empty removes it."""
    passage.infons.pop("chosen_for", None)
    if reasons:
        passage.infons["chosen_for"] = reasons


def chosen_for(passage: BioCPassage) -> str:
    """Why a passage was chosen; empty where it is not stated."""
    return str(passage.infons.get("chosen_for") or "")


def set_change(mention: Mention, change: str, before: str = "") -> None:
    """Write what a curator did with a mention, and what it was before."""
    mention.annotation.infons["change"] = change
    if before:
        mention.annotation.infons["before"] = before


def set_curator(document: BioCDocument, name: str | None, *, is_open: bool = False) -> None:
    """Write whose annotations a document has (None: not stated), or that nobody has finished them."""
    if name is not None:
        document.infons["curator"] = name
    if is_open:
        document.infons["curation"] = _OPEN


def curator(document: BioCDocument) -> str | None:
    """Whose annotations a document has; None where it is not stated."""
    name: str | None = document.infons.get("curator")
    return name


def is_open(document: BioCDocument) -> bool:
    """Whether nobody has finished the passages of a document."""
    return bool(document.infons.get("curation") == _OPEN)
