"""The model of keyphrases: a regression, trees for the second stage, and a prior, in one JSON file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes
from indexing import trees
from indexing.keyphrases import priors
from indexing.keyphrases.candidates import Candidates
from indexing.keyphrases.features import FEATURES, matrix
from indexing.keyphrases.frequencies import Frequencies
from indexing.keyphrases.frequencies import read as read_frequencies
from indexing.keyphrases.priors import Prior
from indexing.keyphrases.redundancy import SECOND, best, relations
from indexing.trees import Trees

__all__ = ["DEFAULT", "FORMAT", "KeyphraseModel", "Regression", "Scored", "open_model", "plain_model", "read", "write"]

FORMAT = "nlmchem keyphrases 1"
"""The format of model files. The number changes when the format changes."""
DEFAULT = Path(__file__).with_name("default.json")
"""The embedded model; its card is indexing/keyphrases/default.md."""
_REMEDY = Text(
    f"train a model with {command('train keyphrases')}, or use the embedded model: ", Argument("model", "default")
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Regression:
    """Log-odds = intercept + sum of weight * (value - mean) / scale."""

    means: Floats
    scales: Floats
    weights: Floats
    intercept: float

    def log_odds(self, values: Floats) -> Floats:
        """The log-odds of each row of `values`, (candidates, features)."""
        found: Floats = ((values - self.means) / self.scales) @ self.weights + self.intercept
        return found


@dataclass(frozen=True, slots=True)
class Scored:
    """The candidates that reached the second stage, best first.

    `numbers`: their numbers in `Candidates`. `scores`: 0..1. `values`: features of both stages, (candidates, features).
    """

    numbers: Ints
    scores: Floats
    values: Floats


@dataclass(frozen=True, slots=True)
class KeyphraseModel:
    """Weights of both stages. `threshold` (0..1): the lowest score that is chosen by default."""

    features: tuple[str, ...]
    regression: Regression
    trees: Trees
    prior: Prior
    threshold: float
    table: Frequencies
    version: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The features of the second stage, in the order of `Scored.values`."""
        return (*self.features, *SECOND)

    def score(self, found: Candidates) -> Scored:
        """Score the candidates of an article; equal scores are ordered by first place, then length."""
        values = matrix(found, self.table, self.prior, self.features)
        log_odds = self.regression.log_odds(values)
        order = best(log_odds)
        second = np.concatenate([values[order], relations(found, order, log_odds)], axis=1)
        scores = sigmoid(self.trees.log_odds(second))
        ranks = np.lexsort((found.lengths[order], found.first[order], -scores))
        return Scored(order[ranks], scores[ranks], second[ranks])


def sigmoid(values: Floats) -> Floats:
    """Probabilities of log-odds."""
    # By tanh, because exp overflows for large numbers.
    result: Floats = 0.5 * (1 + np.tanh(0.5 * values))
    return result


def open_model(given: str | None) -> KeyphraseModel:
    """The model of a path; None and `default` mean the embedded one. Raises `ResourceError`."""
    return read(DEFAULT if given in (None, "default") else Path(str(given)))


def read(path: Path, table: Frequencies | None = None) -> KeyphraseModel:
    """Read a model and the embedded table of phrases (or `table`). Raises `ResourceError`."""
    try:
        raw = path.read_bytes()
        content = json.loads(raw)
    except FileNotFoundError as error:
        raise ResourceError(f"there is no model of keyphrases at {path}; ", _REMEDY) from error
    except OSError as error:
        raise ResourceError(f"cannot read the model of keyphrases at {path} ({error.strerror}); ", _REMEDY) from error
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"the model of keyphrases at {path} is not JSON ({error}); ", _REMEDY) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ResourceError(f"{path} is not a model of keyphrases that this version reads ({FORMAT!r}); ", _REMEDY)
    try:
        return _model(content, table or read_frequencies(), hashlib.sha256(raw).hexdigest())
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ResourceError(f"the model of keyphrases at {path} has wrong content ({error}); ", _REMEDY) from error


def _model(content: Mapping[str, Any], table: Frequencies, version: str) -> KeyphraseModel:
    features = tuple(map(str, content["features"]))
    unknown = [name for name in features if name not in FEATURES]
    if unknown or not features or len(set(features)) < len(features):
        raise ValueError(f"features: {', '.join(unknown) or 'none, or one twice'}")
    columns = {key: np.array(content[key], dtype=np.float64) for key in ("means", "scales", "weights")}
    for key, values in columns.items():
        if values.shape != (len(features),) or not np.isfinite(values).all():
            raise ValueError(f"{key} are not {len(features)} finite numbers")
    if not (columns["scales"] > 0).all():
        raise ValueError("a scale is not greater than 0")
    intercept, threshold = float(content["intercept"]), float(content["threshold"])
    if not 0 <= threshold <= 1 or not np.isfinite(intercept):
        raise ValueError("the threshold is not in 0..1, or the intercept is not finite")
    return KeyphraseModel(
        features,
        Regression(columns["means"], columns["scales"], columns["weights"], intercept),
        trees.trees_of(content["second"], len(features) + len(SECOND)),
        priors.prior_of(content["prior"]),
        threshold,
        table,
        version,
        dict(content.get("provenance") or {}),
    )


def plain_model(model: KeyphraseModel) -> dict[str, Any]:
    """A model as plain data for `write`."""
    first = model.regression
    return {
        "provenance": dict(model.provenance),
        "features": list(model.features),
        "means": _short(first.means),
        "scales": [max(scale, 1e-6) for scale in _short(first.scales)],
        "weights": _short(first.weights),
        "intercept": round(first.intercept, 6),
        "threshold": round(model.threshold, 6),
        "second": trees.plain(model.trees),
        "prior": priors.plain(model.prior),
    }


def write(path: Path, model: KeyphraseModel) -> None:
    """Write a model atomically. The same model gives the same bytes."""
    content = {"format": FORMAT, **plain_model(model)}
    lines = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    write_bytes(path, lines.replace(',"', ',\n"').encode() + b"\n")


def _short(values: Floats) -> list[float]:
    return [round(value, 6) for value in values.tolist()]
