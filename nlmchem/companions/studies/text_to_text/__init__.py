"""Text-to-text models (T5, BART), which write their input with marks around chemicals."""

from __future__ import annotations

from pathlib import Path

from nlmchem.tagging.inference.scoring import Model
from nlmchem.tagging.models.folders import Architecture


def _open(folder: Path, device: str) -> Model:
    from nlmchem.companions.studies.text_to_text.loading import load_text_to_text

    return load_text_to_text(folder, device)


ARCHITECTURE = Architecture("a text-to-text model", ("t5", "mt5", "umt5", "bart"), _open)
