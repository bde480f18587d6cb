"""Small files as other programs write them, and how their reading is stated in tests.

A case is a name, the content (of several files: by their names), and the lines of what is expected:

    ID | text of a passage | text of the next one :: mention, mention (type)      an article
    ! part of a sentence                                                         what is refused
    ~ part of a sentence                                                         what is reported

A mention without a type in brackets is a Chemical. `+ 1 relation` follows the mentions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from bioc import BioCDocument

from corpora import reading
from corpora.errors import NlmchemError
from corpora.model.document import mentions
from corpora.storage import inputs

Content: TypeAlias = str | bytes | Mapping[str, str | bytes]
Case: TypeAlias = tuple[Content, Sequence[str]]


def written(folder: Path, name: str, content: Content) -> Path:
    """The file of a case, or the folder with its files."""
    files = content if isinstance(content, Mapping) else {name: content}
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder if isinstance(content, Mapping) else folder / name


def lines_of(path: Path) -> list[str]:
    """What reading a file gives: articles, `! ` faults and `~ ` reports."""
    notes: list[str] = []
    lines: list[str] = []
    try:
        for item in reading.articles(inputs.expand([str(path)]), notes.append):
            lines.append(f"! {item}" if isinstance(item, reading.Fault) else article_line(item.document))
    except NlmchemError as error:
        lines.append(f"! {error}")
    return [*lines, *(f"~ {note}" for note in notes)]


def article_line(document: BioCDocument) -> str:
    """An article in one line."""
    marks = [
        mention.text if mention.type == "Chemical" else f"{mention.text} ({mention.type})"
        for mention in mentions(document, None)
    ]
    number = sum(len(holder.relations) for holder in (document, *document.passages))
    end = f" :: {', '.join(marks)}" if marks else ""
    texts = " | ".join((document.id, *(passage.text or "" for passage in document.passages)))
    return f"{texts}{end}{f' + {number} relation' if number else ''}"


def check(folder: Path, name: str, case: Case) -> None:
    """A case gives the expected lines, and nothing else."""
    content, expected = case
    lines = lines_of(written(folder, name, content))
    assert len(lines) == len(expected), lines
    for line, wanted in zip(lines, expected, strict=True):
        if wanted.startswith(("! ", "~ ")):
            assert line[:2] == wanted[:2], line
            assert wanted[2:] in line
            assert "unexpected" not in line
        else:
            assert line == wanted


def collection(*documents: str) -> str:
    return f'<?xml version="1.0"?><collection><source>s</source>{"".join(documents)}</collection>'


def document(id: str, *passages: str) -> str:
    return f"<document><id>{id}</id>{''.join(passages)}</document>"


def passage(offset: int, text: str, *annotations: str) -> str:
    return f"<passage><offset>{offset}</offset><text>{text}</text>{''.join(annotations)}</passage>"


def annotation(id: str, offset: int, length: int, text: str) -> str:
    place = f'<location offset="{offset}" length="{length}"/>'
    return f'<annotation id="{id}"><infon key="type">Chemical</infon>{place}<text>{text}</text></annotation>'


def rows(rows: list[str]) -> str:
    return "\n".join(["11|t|Zinc.", "11|a|We gave lead acetate.", *rows]) + "\n\n"


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
