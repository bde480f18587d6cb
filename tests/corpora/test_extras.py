"""Optional packages that are missing: one sentence that names the extra."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/a/.local/share/pipx/venvs/nlmchem", 'pipx runpip nlmchem install "nlmchem[report]"'),
        ("/home/a/.local/share/uv/tools/nlmchem", 'uv tool install --force ".[report]"'),
        ("/home/a/env", 'pip install "nlmchem[report]"'),
    ],
)
def test_an_extra_is_added_by_what_installed_nlmchem(
    prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    with pytest.raises(ConfigurationError, match=re.escape(f"install it: {command}")):
        require("no_such_module", extra="report", purpose="a chart")
