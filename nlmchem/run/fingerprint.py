"""The fingerprint of a run: the values that decide about its output, and their hash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from corpora.commands.options import options_of

SHA256 = "sha256"
WHOLE = ("plugins",)
"""Values that are named as one where they differ."""
RESOURCES = "resources"
_LEXICON = "lexicon"
_LEXICON_OR_NAMES = "lexicon or names"
"""The names of the user are part of the version of a lexicon."""
_NUMBER = re.compile(r" \d+$")


def compared_options(options: Any) -> dict[str, Any]:
    """The options of a step by name, without files and models: these are compared by their content."""
    return {option.name: getattr(options, option.name) for option in options_of(type(options)) if not option.by_content}


def sealed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with their hash, as JSON has them: they are compared with those that another run has written."""
    text = json.dumps(values, sort_keys=True)
    return {**json.loads(text), SHA256: hashlib.sha256(text.encode()).hexdigest()}


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What two fingerprints differ in, sorted: values of the run, options of steps, models by their kind, `steps`."""
    return sorted(set(_differing(before, now)) - {SHA256})


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        other = before.get(name)
        if name == RESOURCES and isinstance(value, dict) and isinstance(other, dict):
            yield from _models(other, value)
            continue
        if name not in WHOLE and isinstance(value, dict) and isinstance(other, dict) and value.keys() == other.keys():
            yield from _differing(other, value)
        elif other != value:
            yield name


def _models(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """The kinds of the models that differ: `tagger`, `decision`, `indexer` ..."""
    for name in {*before, *now}:
        if before.get(name) != now.get(name):
            yield _LEXICON_OR_NAMES if name == _LEXICON else _NUMBER.sub("", name)
