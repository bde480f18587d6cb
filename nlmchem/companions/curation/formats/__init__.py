"""The formats of annotation editors: their entries, which pyproject.toml registers as `nlmchem.formats`."""

from __future__ import annotations

from corpora.formats.format import Format

_ROOM = __name__

LABEL_STUDIO = Format(
    "label-studio", "Label Studio", (".label-studio.json",), f"{_ROOM}.label_studio:READER",
    f"{_ROOM}.label_studio:WRITER", tried_first=True, after="hf", editor=True, beside=f"{_ROOM}.label_studio:beside",
)  # fmt: skip
DOCCANO = Format(
    "doccano", "doccano", (".doccano.jsonl",), f"{_ROOM}.json_lines:DOCCANO_READER",
    f"{_ROOM}.json_lines:DOCCANO_WRITER", tried_first=True,
    after="label-studio", editor=True, beside=f"{_ROOM}.json_lines:beside_doccano",
)  # fmt: skip
PRODIGY = Format(
    "prodigy", "Prodigy", (".prodigy.jsonl",), f"{_ROOM}.json_lines:PRODIGY_READER",
    f"{_ROOM}.json_lines:PRODIGY_WRITER", tried_first=True,
    after="doccano", editor=True,
)  # fmt: skip
INCEPTION = Format(
    "inception", "INCEpTION", (".inception", ".json"), f"{_ROOM}.inception:READER", f"{_ROOM}.inception:WRITER",
    tried_first=True, after="prodigy", editor=True, beside=f"{_ROOM}.inception:beside", package="cassis",
    extra="inception",
)  # fmt: skip
