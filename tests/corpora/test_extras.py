"""Optional packages that are missing: one sentence that names the extra."""

from __future__ import annotations

import re
import sys
from pathlib import Path

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
    ("record", "command"),
    [
        ("pipx_metadata.json", 'pipx runpip nlmchem install "nlmchem[report]"'),
        ("uv-receipt.toml", 'uv tool install ".[report]" by force'),
        ("pyvenv.cfg", 'pip install "nlmchem[report]"'),
    ],
)
def test_an_extra_is_added_by_what_installed_nlmchem(
    record: str, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / record).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(ConfigurationError, match=re.escape(f"install it: {command}")):
        require("no_such_module", extra="report", purpose="a chart")
