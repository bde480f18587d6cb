"""Optional packages that are missing: one sentence that names the extra."""

from __future__ import annotations

import sys

import pytest

from corpora.errors import ConfigurationError
from corpora.extras import installed, require


def test_a_missing_package_is_reported_with_the_extra_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ConfigurationError) as caught:
        require("sklearn", extra="train", purpose="training an indexer")
    assert str(caught.value) == (
        'training an indexer needs the package scikit-learn; install it: pip install "nlmchem[train]"'
    )


def test_an_installed_package_is_accepted_and_not_imported() -> None:
    assert installed("lxml")
    require("antigravity", extra="none", purpose="the test")
    assert "antigravity" not in sys.modules
