"""The progress of a run: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import re

import pytest

from corpora.words.quantities import duration
from nlmchem.commands import progress as printer
from nlmchem.commands.progress import Terminal
from nlmchem.engine.run import RunProgress


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def percentages(stream: io.StringIO) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+)%", stream.getvalue())]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the printer sees."""
    now = [100.0]
    monkeypatch.setattr(printer.time, "monotonic", lambda: now[0])
    return now


def test_a_line_contains_articles_mentions_rate_and_time_left(clock: list[float]) -> None:
    stream = io.StringIO()
    shown = RunProgress(1000, Terminal(stream=stream))
    shown.article_read(50)
    shown.article_read(50)
    shown.article_ended(mentions=7, failed=False, size=50)
    assert stream.getvalue() == ""
    clock[0] += 20
    shown.article_ended(mentions=1, failed=True, size=50)
    assert stream.getvalue() == "2 articles, 8 mentions, 1 failed, 0.1 articles/s, about 3 min left\n"
    shown.close()


def test_the_time_left_follows_the_bytes_on_the_disk_not_those_of_the_articles(clock: list[float]) -> None:
    """A compressed file of 1,000 bytes, half read, whose articles have 5,000 bytes."""
    stream = io.StringIO()
    shown = RunProgress(1000, Terminal(stream=stream))
    shown.file_begun(lambda: 500)
    shown.article_read(5000)
    clock[0] += 20
    shown.article_ended(mentions=7, failed=False, size=5000)
    assert stream.getvalue().endswith("about 20 s left\n")
    shown.close()


def test_messages_have_lines_of_their_own_above_the_bar() -> None:
    stream = Screen()
    shown = RunProgress(1000, Terminal(stream=stream))
    shown.article_read(100)
    shown.article_ended(mentions=7, failed=False, size=100)
    shown.message("failed: a.xml")
    shown.article_read(100)
    shown.file_read(1000)
    shown.article_ended(mentions=1, failed=False, size=100)
    shown.close()
    lines = stream.getvalue().replace("\r", "\n").split("\n")
    assert any("left, 2 articles, 8 mentions, 0 failed" in line for line in lines)
    assert any(line.strip() == "failed: a.xml" for line in lines)


def test_the_bar_counts_articles_that_have_ended_not_articles_that_were_read() -> None:
    """All six articles are read before the first one is done."""
    stream = Screen()
    shown = RunProgress(600, Terminal(stream=stream))
    for _ in range(6):
        shown.article_read(90)
        shown.file_read(100)
    shown._bar._bar.mininterval = 0
    for _ in range(6):
        shown.article_ended(mentions=0, failed=False, size=90)
    shown.close()
    shares = [share for share in percentages(stream) if share]
    assert (shares[:5], shares[-1]) == ([17, 33, 50, 67, 83], 100)


def test_files_that_earlier_runs_have_done_count_as_done() -> None:
    stream = Screen()
    shown = RunProgress(1000, Terminal(stream=stream))
    shown._bar._bar.mininterval = 0
    shown.file_read(500)
    shown.article_read(100)
    shown.article_read(100)
    shown.file_read(500)
    shown.article_ended(mentions=0, failed=False, size=100)
    assert percentages(stream)[-1] == 75
    shown.close()


def test_a_compressed_file_is_not_complete_before_its_articles_are() -> None:
    stream = Screen()
    shown = RunProgress(10, Terminal(stream=stream))
    shown._bar._bar.mininterval = 0
    shown.article_read(500)
    shown.article_ended(0, False, 500)
    assert percentages(stream)[-1] == 99
    shown.article_read(500)
    shown.file_read(10)
    shown.article_ended(0, False, 500)
    shown.close()
    assert percentages(stream)[-1] == 100


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59, "59 s"), (61, "1 min"), (7260, "2 h 1 min")])
def test_a_duration_has_at_most_two_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_counted_yields_the_items_and_prints_numbers(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for item in printer.Terminal().counted("abc", "articles"):
        clock[0] += 20
        found.append(item)
    assert found == ["a", "b", "c"]
    assert capsys.readouterr().err == "1 article\n2 articles\n3 articles\n"


def test_of_equal_failures_the_first_is_printed_and_the_others_are_counted(clock: list[float]) -> None:
    stream = io.StringIO()
    shown = RunProgress(100, Terminal(stream=stream))
    for number in range(1, 21):
        shown.failure(f"{number}.xml, article 1", f"existing: document '{number}' already has {number} mentions")
    shown.failure("x.xml, article 1", "read: the file was cut off")
    shown.close()
    first = "1.xml, article 1, existing: document '1' already has 1 mentions"
    assert stream.getvalue().splitlines() == [
        f"failed: {first}",
        "failed: x.xml, article 1, read: the file was cut off",
        f"failed: 19 more articles like {first}",
    ]
