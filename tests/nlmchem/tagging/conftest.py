"""Tiny random models and articles (`tiny_models`), the compiled kernel, and a tagger that was trained on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument
from tiny_models import articles, make_model, one_thread

from nlmchem.tagging.kernel.arithmetic import Kernel, kernel
from nlmchem.tagging.training.data import TrainingCorpus
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run

__all__ = ["articles", "make_model", "one_thread"]


@pytest.fixture(scope="session")
def compiled() -> Kernel:
    """The compiled kernel; skips a test of int8 arithmetic where it was not built."""
    found = kernel()
    if found is None:
        pytest.skip("the kernel was not built: there was no compiler for C++ when nlmchem was installed")
    return found


@pytest.fixture
def trained(make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path) -> Path:
    """A model with a gazetteer, the guidelines of its target, and those of the corpus `other`."""
    quick = StageOptions(rate=3e-3, passes=1, batch=128, dropout=0.0)
    options = TaggerTraining(
        window=64, first=quick, second=quick, letter_case=True, gazetteer=True, guidelines=("other",)
    )
    target, other = TrainingCorpus("own", tuple(articles[:2])), TrainingCorpus("other/train", tuple(articles[2:4]))
    plan = TrainingPlan(make_model("bert", labels=None), tmp_path / "run", [target], [other], options=options)
    (model,) = run(plan).models
    return model
