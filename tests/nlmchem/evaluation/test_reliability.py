"""The table of probabilities and shares of right answers."""

from __future__ import annotations

import numpy as np
import pytest

from nlmchem.evaluation.scores import reliability, reliability_as_text


def test_bins_have_the_lower_edge_and_the_last_one_both() -> None:
    bins = reliability(np.array([0.0, 0.04, 0.1, 0.9, 1.0]), np.array([False, True, True, True, False]))
    assert [(one.low, one.high, one.answers) for one in bins] == [(0.0, 0.1, 2), (0.1, 0.2, 1), (0.9, 1.0, 2)]
    assert [one.probability for one in bins] == pytest.approx([0.02, 0.1, 0.95])
    assert [one.right for one in bins] == pytest.approx([0.5, 1.0, 0.5])
    assert list(reliability_as_text(bins))[-1] == "0.9-1\t2\t0.950\t0.500"


def test_without_answers_there_is_no_bin() -> None:
    assert reliability(np.zeros(0), np.zeros(0, dtype=np.bool_)) == ()
