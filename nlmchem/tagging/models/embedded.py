"""The embedded model: the tagger that is installed with the package."""

from __future__ import annotations

from pathlib import Path

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.tagging.models.quantization import FILE

__all__ = ["DEFAULT", "FOLDER", "LEXICON", "folder_of"]

LEXICON = "lexicon"
"""The tagger that needs no model."""
DEFAULT = "default"
"""The embedded model."""
FOLDER = Path(__file__).with_name("default")


def folder_of(name: str) -> Path:
    """The folder of a model: the given path, or the folder of the embedded model for `default`.

    Raises `ConfigurationError` if the path is no folder, `ResourceError` if the embedded model is missing.
    """
    if name == DEFAULT:
        if not (FOLDER / FILE).is_file():
            raise ResourceError(
                f"the embedded model is missing: {FOLDER} has no {FILE}; install nlmchem again, or choose the tagger "
                f"{LEXICON} or the folder of a model"
            )
        return FOLDER
    folder = Path(name)
    if not folder.is_dir():
        raise ConfigurationError(f"no tagger {name!r}; choose {LEXICON}, {DEFAULT}, or the folder of a model")
    return folder
