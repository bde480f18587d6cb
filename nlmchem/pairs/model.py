"""The logistic model of the solver: a JSON file that numpy computes with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes
from nlmchem.pairs.evidence import FEATURES, Floats

__all__ = ["FORMAT", "PairModel", "read_model", "write_model"]

FORMAT = "nlmchem pairs 1"
"""The format of model files. The number changes when the format changes."""
_WAY_OUT = Text(f"train one with {command('train pairs')}, or leave ", Argument("model"), " out")


@dataclass(frozen=True, slots=True)
class PairModel:
    """Log-odds of "same": intercept + sum of weight * (value - mean) / scale, in the order of `features`."""

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    provenance: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds; of the shape of `values`, (..., features)."""
        product: Floats = (values - np.array(self.means)) / np.array(self.scales) * np.array(self.weights)
        return product

    def probabilities(self, values: Floats) -> Floats:
        """The probability of "same" of each row of `values` (pairs x features)."""
        log_odds = self.contributions(values).sum(axis=-1) + self.intercept
        # By tanh, because exp overflows for large numbers.
        found: Floats = 0.5 * (1 + np.tanh(0.5 * log_odds))
        return found


def write_model(path: Path, model: PairModel) -> None:
    """Write a model atomically. Numbers have 6 decimals; the same model gives the same bytes."""
    content = {
        "format": FORMAT,
        "provenance": dict(model.provenance),
        "intercept": round(model.intercept, 6),
        "features": {
            name: {"mean": round(mean, 6), "scale": max(round(scale, 6), 1e-6), "weight": round(weight, 6)}
            for name, mean, scale, weight in zip(model.features, model.means, model.scales, model.weights, strict=True)
        },
    }
    write_bytes(path, json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n")


def read_model(path: Path) -> PairModel:
    """Read a model. Raises `ResourceError` if it is missing or damaged, or has other features than this version."""
    try:
        raw = path.read_bytes()
        content = json.loads(raw)
    except OSError as error:
        raise ResourceError(f"cannot read a model for pairs at {path} ({error.strerror}); ", _WAY_OUT) from error
    except (ValueError, RecursionError) as error:
        raise ResourceError(
            f"the model for pairs at {path} is not JSON, or is cut off ({error}); ", _WAY_OUT
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ResourceError(f"the file {path} is not a model for pairs of this version ({FORMAT}); ", _WAY_OUT)
    try:
        features = content["features"]
        unknown = [name for name in features if name not in FEATURES]
        if unknown or not features:
            raise ValueError(f"this version has no feature {unknown[0]!r}" if unknown else "it has no features")
        columns = [[_number(features[name][key]) for name in features] for key in ("mean", "scale", "weight")]
        if min(columns[1]) <= 0:
            raise ValueError("a scale is not greater than 0")
        return PairModel(
            tuple(features),
            tuple(columns[0]),
            tuple(columns[1]),
            tuple(columns[2]),
            _number(content["intercept"]),
            content.get("provenance") or {},
            hashlib.sha256(raw).hexdigest(),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ResourceError(f"the model for pairs at {path} is damaged ({error}); ", _WAY_OUT) from error


def _number(value: Any) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError("a number is not finite")
    return number
