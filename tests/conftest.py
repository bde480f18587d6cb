"""What all tests share: the place of real data, where there is any."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says how crowded the machine is.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora beside the checkout; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside the checkout: real corpora are not part of the repository")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    """The example articles of the repository."""
    return ROOT / "examples"
