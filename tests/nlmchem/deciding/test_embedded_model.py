"""The decision model that comes with the package."""

from __future__ import annotations

import numpy as np

from nlmchem.deciding.features import FEATURES, MONOTONE
from nlmchem.deciding.registry import LEARNT, _model, version_of


def test_it_can_be_read_and_states_what_it_was_trained_on() -> None:
    model = _model(LEARNT)
    assert model.trees.features == FEATURES
    assert {"corpora", "tagger", "articles"} <= set(model.card)
    assert version_of(LEARNT) == model.version


def test_monotone_features_have_one_sign() -> None:
    """A higher value of `inside` never lowers the log-odds, whatever the other features are."""
    trees, generator = _model(LEARNT).trees, np.random.default_rng(0)
    values = generator.normal(0, 3, (200, len(FEATURES)))
    for name, sign in MONOTONE.items():
        raised = values.copy()
        raised[:, FEATURES.index(name)] += 2
        assert (sign * (trees.log_odds(raised) - trees.log_odds(values)) >= -1e-9).all(), name
