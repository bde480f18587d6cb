"""The table of the maintainers' page: how many files a new thing touches."""

from __future__ import annotations

import re

import pytest

from benchmarks.release.rooms import ROOT
from benchmarks.release.stays import EXAMPLES, OPTIONS, places, stays

TABLE = dict(
    re.findall(r"^\| (\w+) \| (\d+) \| \d+ \| \d+ \|$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_new_thing_touches_no_more_files_than_the_table_has(kind: str) -> None:
    example, pattern = EXAMPLES[kind]
    if not (ROOT / example).exists():
        pytest.skip(f"{example} is not in this copy")
    assert 0 < len(places(example, pattern)) <= int(TABLE[kind])


@pytest.mark.slow
def test_an_option_passes_from_the_command_line_to_its_use() -> None:
    files = stays("index_threshold", OPTIONS["index_threshold"])
    assert files[0].startswith("nlmchem/cli/")
    assert {"corpora/commands/options.py", "nlmchem/run/plan.py", "nlmchem/steps/index.py"} < set(files)
    assert "indexing/terms/indexer.py" in files
