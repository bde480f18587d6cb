"""The model that is installed with the package: where it lies, and whether it is there."""

from __future__ import annotations

from pathlib import Path

from corpora.errors import ConfigurationError
from nlmchem.tagging.models.quantization import FILE

__all__ = ["DEFAULT", "FOLDER", "LEXICON", "available", "default_tagger", "folder_of"]

LEXICON = "lexicon"
"""The tagger that needs no model."""
DEFAULT = "default"
"""The embedded model."""
FOLDER = Path(__file__).with_name("default")


def available() -> bool:
    """Whether this installation has an embedded model."""
    return (FOLDER / FILE).is_file()


def default_tagger() -> str:
    """What `nlmchem annotate` tags with when nothing else is said."""
    return DEFAULT if available() else LEXICON


def folder_of(name: str) -> Path:
    """The folder of a model, by its path or as `default`. Raises `ConfigurationError` where there is none."""
    if name == DEFAULT:
        if not available():
            raise ConfigurationError(
                "this installation has no embedded model; say --tagger lexicon, or give a model's path"
            )
        return FOLDER
    folder = Path(name)
    if not folder.is_dir():
        raise ConfigurationError(f"no tagger {name!r}: say {LEXICON}, {DEFAULT}, or the path of a model's folder")
    return folder
