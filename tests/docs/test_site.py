"""The check of the documentation site (`make docs`)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.release.site import problems


def test_a_site_without_broken_links_has_no_problems(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="https://example.org">x</a><img src="p.png">')
    (tmp_path / "b.html").write_text('<h2 id="here">h</h2><a href="#here">up</a><a href="a%2ehtml">a</a>')
    (tmp_path / "p.png").touch()
    assert list(problems(tmp_path)) == []


def test_broken_links_and_addresses_of_other_hosts_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="c.html"></a><a href="b.html#there"></a><script src="https://example.org/x.js"></script>'
        '<link href="//example.org/font.css">'
    )
    (tmp_path / "b.html").touch()
    (tmp_path / "s.css").write_text('@import "https://example.org/x.css";')
    assert list(problems(tmp_path)) == [
        "a.html links to c.html, which does not exist",
        "a.html links to b.html#there, a place that does not exist",
        "a.html loads https://example.org/x.js",
        "a.html loads //example.org/font.css",
        "s.css loads from another host",
    ]
