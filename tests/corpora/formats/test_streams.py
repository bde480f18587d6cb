"""CR, CRLF, CR CR LF and LF end lines; joined files can have several kinds."""

from __future__ import annotations

import io

import pytest

from corpora.errors import InputError
from corpora.formats import streams
from corpora.formats.streams import GuardedStream, LineFeeds, blocks_of, lines_of, with_line_feeds


def test_each_kind_of_line_end_ends_a_line() -> None:
    lines = list(lines_of(io.BytesIO(b"\xef\xbb\xbfa\r\nb\rc\n\n\xef\xbb\xbfd\r\r\ne")))
    assert lines == [b"a\n", b"b\n", b"c\n", b"\n", b"d\n", b"e"]


def test_only_files_without_line_feed_are_converted() -> None:
    assert with_line_feeds(b"a\rb\r") == b"a\nb\n"
    for head in (b"a\rb\n", b"ab", b"a\r\x00"):
        assert with_line_feeds(head) is head


@pytest.mark.parametrize("size", [1, 3, 1 << 16])
def test_a_converted_stream_is_read_by_lines_and_by_bytes(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEAD", size)
    content = b"one\rtwo\r\rthree"
    assert list(LineFeeds(GuardedStream(io.BytesIO(content)))) == [b"one\n", b"two\n", b"\n", b"three"]
    stream = LineFeeds(GuardedStream(io.BytesIO(content)))
    assert b"".join(iter(lambda: stream.read(size), b"")) == b"one\ntwo\n\nthree"


def test_a_line_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_ARTICLE", 10)
    with pytest.raises(InputError, match="one article is larger than"):
        LineFeeds(GuardedStream(io.BytesIO(b"x" * 100))).readline()


@pytest.mark.parametrize("size", [1, 3, 1 << 16])
def test_blocks_have_the_same_lines(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEAD", size)
    for content in (b"", b"one", b"one\n\ntwo\n", b"\xef\xbb\xbfone\r\ntwo\rthree\n\nfour"):
        blocks = list(blocks_of(io.BytesIO(content)))
        assert b"".join(blocks) == b"".join(lines_of(io.BytesIO(content)))
        assert all(block.endswith(b"\n") for block in blocks[:-1])
