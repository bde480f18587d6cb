"""The licence of an article, as its file and the metadata beside it state it.

| infon | of | value |
|---|---|---|
| `license` | the document | the code of PMC's metadata, such as `CC BY-NC` |
| `license` | the document or its first passage | a code, or the text of the licence, in BioC and JATS |
| `license-url` | the first passage | the address of the licence, in JATS |
"""

from __future__ import annotations

from collections.abc import Iterator

from bioc import BioCDocument

from corpora.words.licences import OTHER, UNKNOWN, Licence, licences_in, strictest


def licence_of(document: BioCDocument) -> Licence:
    """The licence of an article. Where its statements differ, the strictest one holds."""
    stated = [text for text in _statements(document) if text.strip()]
    if not stated:
        return Licence(UNKNOWN)
    licences = [licence for text in stated for licence in licences_in(text)]
    return strictest(licences) if licences else Licence(OTHER)


def _statements(document: BioCDocument) -> Iterator[str]:
    for holder in (document, *document.passages[:1]):
        for key in ("license", "license-url"):
            if holder.infons.get(key):
                yield str(holder.infons[key])
