"""Drills that disturb runs. They share their helpers with the tests of faults."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS / "support"))
