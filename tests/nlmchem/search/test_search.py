"""`nlmchem search` and `nlmchem summary`: queries, counts, examples, and an index that follows the run."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bioc import BioCDocument

import corpora
from corpora.datasets.articles import article
from corpora.model.document import Evidence, IndexTerm, add_index_term, add_mention, set_identifiers
from corpora.storage import locks
from nlmchem.search import store
from nlmchem.search.facts import LONGEST_SENTENCE, facts_of, sentence_of
from tests.support.command_line import call

CISPLATIN, CARBOPLATIN, WATER = "MESH:D002945", "MESH:D016190", "MESH:D014867"
NAMES = {CISPLATIN: "Cisplatin", CARBOPLATIN: "Carboplatin", WATER: "Water", "LAB:17": "house compound"}


def annotated(id: str, *passages: tuple[str, str, dict[str, str]], terms: tuple[str, ...] = ()) -> BioCDocument:
    """An article of passages (section, text, identifiers by the text of a mention)."""
    made = article(id, [(text, section, section.lower()) for section, text, _ in passages])
    for passage, (_, text, marked) in zip(made.passages, passages, strict=True):
        for number, (name, identifier) in enumerate(marked.items()):
            start = passage.offset + text.index(name)
            mention = add_mention(passage, [(start, start + len(name))], id=f"{passage.offset}-{number}", annotator="a")
            evidence = Evidence("exact", 0.9, name, 0.9)
            set_identifiers(mention, [identifier], evidence, NAMES[identifier])
    for term in terms:
        add_index_term(made, IndexTerm(term, NAMES[term], 0.7))
    return made


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    # As in the folder of a run, the index is inside.
    (folder / ".nlmchem").mkdir(parents=True)
    first = annotated(
        "1",
        ("TITLE", "Cisplatin in water", {"Cisplatin": CISPLATIN, "water": WATER}),
        (
            "RESULTS",
            "None was seen. Carboplatin and cisplatin were given.",
            {"Carboplatin": CARBOPLATIN, "cisplatin": CISPLATIN},
        ),
        ("REF", "On cisplatin", {"cisplatin": CISPLATIN}),
        terms=(CISPLATIN,),
    )  # fmt: skip
    first.infons |= {"year": "2020", "article-id_pmc": "77"}
    second = annotated("2", ("ABSTRACT", "Carboplatin, carboplatin2", {"Carboplatin": CARBOPLATIN}))
    third = annotated("3", ("ABSTRACT", "Only X17 here.", {"X17": "LAB:17"}), terms=(CARBOPLATIN,))
    for document in (first, second, third):
        corpora.write([document], folder / f"{document.id}.xml")
    return folder


def hits(run: Path, query: str, *more: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int]]:
    ran = call("search", run, query, "--tsv", *more, capsys=capsys)
    assert ran.returncode == 0, ran.stderr
    rows = csv.DictReader(io.StringIO(ran.stdout), delimiter="\t")
    return [(row["document"], int(row["mentions"])) for row in rows]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cisplatin", [("1", 3)]),
        ("CDDP", [("1", 3)]),
        ("MESH:D002945", [("1", 3)]),
        ("d002945", [("1", 3)]),
        ("CHEBI:27899", [("1", 3)]),
        # The CAS number of a concept that the run does not have.
        ("2776-93-4", []),
        ("LAB:17", [("3", 1)]),
        ("house compound", [("3", 1)]),
        # The article with the index term is first, then the one with most mentions.
        ("carboplatin", [("3", 0), ("1", 1), ("2", 1)]),
        # Carboplatin is no platinum compound in the tree of MeSH, but a coordination complex.
        ("all platinum compounds", [("1", 3)]),
        ("all coordination complexes", [("3", 0), ("1", 1), ("2", 1)]),
        ("D27.505", []),
    ],
)
def test_a_query_is_a_name_an_identifier_or_a_branch(
    run: Path, query: str, found: list[tuple[str, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert hits(run, query, capsys=capsys) == found


def test_a_tree_number_is_a_branch(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open() as lexicon:
        tree = lexicon.trees(CARBOPLATIN)[0]
    assert ("2", 1) in hits(run, tree, capsys=capsys)
    assert hits(run, "Water", "--narrower", capsys=capsys) == [("1", 1)]


def test_only_mentions_or_only_index_terms_count(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hits(run, "carboplatin", "--in", "mentions", capsys=capsys) == [("1", 1), ("2", 1)]
    assert hits(run, "carboplatin", "--in", "index-terms", capsys=capsys) == [("3", 0)]


def test_only_mentions_that_are_probable_enough_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unsure = annotated("1", ("RESULTS", "Cisplatin. Then cisplatin.", {"Cisplatin": CISPLATIN, "cisplatin": CISPLATIN}))
    for annotation, probability, of_identifier in zip(
        unsure.passages[0].annotations, ("0.9", "0.4"), ("0.5", "0.99"), strict=True
    ):
        annotation.infons |= {"probability": probability, "identifier_probability": of_identifier}
    corpora.write([unsure], tmp_path / "run" / "1.xml")
    run = tmp_path / "run"
    assert hits(run, "cisplatin", capsys=capsys) == [("1", 2)]
    assert hits(run, "cisplatin", "--min-probability", "0.9", capsys=capsys) == [("1", 1)]
    assert hits(run, "cisplatin", "--min-identifier-probability", "0.6", capsys=capsys) == [("1", 1)]
    both = ("--min-probability", "0.5", "--min-identifier-probability", "0.6")
    assert hits(run, "cisplatin", *both, capsys=capsys) == []
    # The sentence is one of a mention that counts.
    printed = call("search", run, "cisplatin", "--min-probability", "0.9", capsys=capsys).stdout
    assert '"Cisplatin."' in printed
    # Mentions without probability are left out by any limit.
    bare = annotated("2", ("RESULTS", "Water.", {"Water": WATER}))
    del bare.passages[0].annotations[0].infons["identifier_probability"]
    corpora.write([bare], run / "2.xml")
    assert hits(run, "water", capsys=capsys) == [("2", 1)]
    assert hits(run, "water", "--min-identifier-probability", "0.01", capsys=capsys) == []


def test_an_article_has_counts_by_section_and_a_sentence(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = call("search", run, "cisplatin", capsys=capsys).stdout
    assert printed.splitlines() == [
        "Cisplatin (MESH:D002945): 1 of 3 articles",
        "",
        "PMC77 (2020)  Cisplatin in water",
        "    index term; 3 mentions: REF 1, RESULTS 1, TITLE 1",
        "    Cisplatin",
        # Not the title, which is shown, and not a reference.
        '    "Carboplatin and cisplatin were given."',
        f"    {run}/1.xml",
    ]
    [found] = map(json.loads, call("search", run, "cisplatin", "--json", capsys=capsys).stdout.splitlines())
    assert (found["pmcid"], found["year"], found["is_term"], found["sections"][0]) == ("PMC77", 2020, True, ["REF", 1])


def test_what_is_not_listed_is_counted(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = call("search", run, "carboplatin", "-n", "1", capsys=capsys)
    assert ran.stdout.startswith("Carboplatin (MESH:D016190): 3 of 3 articles\n")
    assert "2 more articles have it; list all with --number 0" in ran.stderr


def test_a_name_that_means_nothing_gets_names_of_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = call("search", run, "zzqx compound", capsys=capsys)
    assert ran.returncode == 2
    assert "names of the run with these words: house compound (LAB:17)" in ran.stderr


def test_a_long_query_is_shortened_in_its_answer(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(call("search", run, "compound " * 2000, capsys=capsys).stderr) < 400


def test_the_index_follows_the_files(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hits(run, "water", capsys=capsys) == [("1", 1)]
    (run / "1.xml").unlink()
    changed = annotated("2", ("ABSTRACT", "water or Water", {"water": WATER, "Water": WATER}))
    corpora.write([changed], run / "2.xml")
    os.utime(run / "2.xml", ns=(1, 1))
    assert hits(run, "water", capsys=capsys) == [("2", 2)]
    # A concept that no article has any more is gone.
    summary = json.loads(call("summary", run, "--json", capsys=capsys).stdout)
    assert {concept["identifier"] for concept in summary["concepts"]} == {WATER, "LAB:17", CARBOPLATIN}
    assert summary["totals"]["articles"] == 2


def test_only_changed_files_are_read_again(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hits(run, "water", capsys=capsys)
    os.utime(run / "2.xml", ns=(1, 1))
    read: list[str] = []
    monkeypatch.setattr(store, "facts_of", lambda document: read.append(document.id) or facts_of(document))
    hits(run, "water", capsys=capsys)
    assert read == ["2"]


def test_the_index_is_the_same_one_from_any_folder(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hits(run, "water", capsys=capsys)
    monkeypatch.chdir(run)
    monkeypatch.setattr(store, "facts_of", None)
    printed = call("search", ".", "water", capsys=capsys).stdout
    assert printed.splitlines()[-1] == "    1.xml"


def test_the_index_is_in_a_run_of_ours_and_in_the_cache_for_others(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    assert store.place_of(str(run)) == run / ".nlmchem" / "search.sqlite"
    assert store.place_of(str(run / "1.xml")).parent == tmp_path / "home" / "search"


@pytest.mark.parametrize("name", ["search.sqlite", "search.sqlite.check"])
def test_a_file_that_is_no_index_stays_until_it_is_moved_away(
    run: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = run / ".nlmchem" / name
    place.write_bytes(b"no database" * 100)
    ran = call("search", run, "water", capsys=capsys)
    assert (ran.returncode, ran.stderr) == (2, f"nlmchem: {place} is not an index of nlmchem; move it away\n")
    place.rename(run.parent / "away")
    assert hits(run, "water", capsys=capsys) == [("1", 1)]


def changed_by(statement: str, place: Path) -> None:
    import sqlite3

    with sqlite3.connect(place) as database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE used",
        "PRAGMA user_version=99",
        # Rows that are lost: files would be read again and counted twice, or have no article.
        "DELETE FROM source",
        "DELETE FROM article WHERE document = '1'",
        "DELETE FROM used",
        "UPDATE article SET title = 7, mentions = 'x'",
        "UPDATE sentences SET texts = zeroblob(9)",
        "UPDATE used SET uses = '[[1]]'",
        "CREATE TABLE mine (a)",
    ],
)
def test_an_index_that_was_changed_is_made_again(run: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    hits(run, "water", capsys=capsys)
    changed_by(change, store.place_of(str(run)))
    ran = call("search", run, "cisplatin", capsys=capsys)
    assert (ran.returncode, ran.stderr, ran.stdout.splitlines()[0]) == (
        0, "", "Cisplatin (MESH:D002945): 1 of 3 articles",
    )  # fmt: skip


def test_an_index_with_a_flipped_bit_anywhere_or_cut_is_made_again(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with its size and time as before. Its first 100 bytes tell that it is an index."""
    first = call("summary", run, "--json", capsys=capsys)
    place = store.place_of(str(run))
    whole, times = place.read_bytes(), place.stat()
    for at in (*range(100, len(whole), len(whole) // 12), -1):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        place.write_bytes(content[:at] if at == -1 else content)
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
        ran = call("summary", run, "--json", capsys=capsys)
        assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", first.stdout)


def test_a_copied_index_is_not_made_again(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its times are others, its content is the same: it is read once, and used."""
    hits(run, "water", capsys=capsys)
    place = store.place_of(str(run))
    content = place.read_bytes()
    place.unlink()
    place.write_bytes(content)
    monkeypatch.setattr(store, "facts_of", None)
    assert hits(run, "water", capsys=capsys) == [("1", 1)]


def test_an_index_that_is_damaged_on_the_disk_is_removed(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk can return other bytes without a change of the file. The advice is followed: the command succeeds."""
    hits(run, "water", capsys=capsys)
    place = store.place_of(str(run))
    as_written = store._sum(place)
    with monkeypatch.context() as patched:
        patched.setattr(store, "_sum", lambda place: as_written)
        changed_by("UPDATE used SET uses = '[[1]]'", place)
        ran = call("search", run, "water", capsys=capsys)
        assert (ran.returncode, ran.stderr.count("was damaged (the mentions of a concept are damaged)")) == (2, 1)
        assert "and is removed; run the command again" in ran.stderr
    assert hits(run, "water", capsys=capsys) == [("1", 1)]


@pytest.mark.parametrize("lock", ["of nlmchem", "of SQLite"])
def test_an_index_in_use_is_waited_for_with_a_sentence_and_an_end(
    run: Path, lock: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hits(run, "water", capsys=capsys)
    place = store.place_of(str(run))
    code = {
        "of nlmchem": "check = open(sys.argv[1] + '.check', 'ab'); fcntl.flock(check, fcntl.LOCK_EX)",
        "of SQLite": "other = sqlite3.connect(sys.argv[1]); other.execute('BEGIN EXCLUSIVE')",
    }[lock]
    code = f"import fcntl, sqlite3, sys, time; {code}; print(flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code, str(place)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        monkeypatch.setattr(locks, "QUIET", 0.1)
        monkeypatch.setattr(locks, "WAIT", 0.4)
        ran = call("search", run, "water", capsys=capsys)
        assert ran.returncode == 2
        assert ran.stderr.splitlines() == [
            f"nlmchem: another process uses {place}; waiting for it, 0 s at most",
            f"nlmchem: another process has used {place} for 0 s; end it, or try again later",
        ]
        other.kill()
    assert hits(run, "water", capsys=capsys) == [("1", 1)]


def test_a_full_disk_leaves_the_index_in_memory(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no half index, which would take the last space."""
    import sqlite3

    refresh = store._refresh

    def full(database: sqlite3.Connection, run: str, progress: object) -> None:
        if database.execute("PRAGMA database_list").fetchone()[2]:
            raise sqlite3.OperationalError("database or disk is full")
        refresh(database, run, progress)

    monkeypatch.setattr(store, "_refresh", full)
    ran = call("search", run, "water", capsys=capsys)
    assert (ran.returncode, "Water (MESH:D014867): 1 of 3 articles" in ran.stdout) == (0, True)
    assert "the index cannot be stored (database or disk is full)" in ran.stderr
    assert not store.place_of(str(run)).exists()


def test_a_snapshot_of_hard_links_keeps_its_index(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hits(run, "water", capsys=capsys)
    snapshot = run.with_name("snapshot")
    shutil.copytree(run, snapshot, copy_function=os.link)
    before = {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    corpora.write([annotated("4", ("ABSTRACT", "water", {"water": WATER}))], run / "4.xml")
    assert len(hits(run, "water", capsys=capsys)) == 2
    assert before == {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    assert hits(snapshot, "water", capsys=capsys) == [("1", 1)]


@pytest.mark.parametrize("home", ["/dev/null/none", ""])
def test_where_no_file_can_be_written_the_index_is_in_memory(
    home: str, run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that is read only, or a user without a home folder."""
    (run / ".nlmchem").rmdir()
    monkeypatch.setenv("NLMCHEM_HOME", home)
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for _time in range(2):
        ran = call("search", run, "house compound", "--lexicon", "starter", "--tsv", capsys=capsys)
        assert (ran.returncode, "Only X17 here" in ran.stdout) == (0, True), ran
        assert "the index cannot be stored (" in ran.stderr
        assert "set NLMCHEM_HOME to a folder that can be written" in ran.stderr


def test_a_database_of_the_user_is_no_index(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another program may have its own at this place. It is neither deleted nor given our tables."""
    import sqlite3

    mine, place = run / "mine.sqlite", store.place_of(str(run))
    for version, path in ((0, mine), (99, place)):
        with sqlite3.connect(path) as database:
            database.executescript(f"CREATE TABLE mine (a); PRAGMA user_version={version}")
        database.close()
    before = mine.read_bytes(), place.read_bytes()
    assert "is not an index of nlmchem; move it away" in call("search", run, "x", capsys=capsys).stderr
    assert before == (mine.read_bytes(), place.read_bytes())
    place.unlink()
    place.symlink_to(mine)
    ran = call("summary", run, capsys=capsys)
    assert (ran.returncode, ran.stderr) == (2, f"nlmchem: {place} is not an index of nlmchem; move it away\n")
    assert before[0] == mine.read_bytes()
    place.unlink()
    os.mkfifo(place)
    assert "is not an index of nlmchem" in call("search", run, "x", capsys=capsys).stderr


def test_texts_and_names_of_files_need_not_be_utf_8(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '{"documents": [{"id": "\\ud800", "passages": [{"offset": 0, "text": "\\udfff", "annotations": []}]}]}'
    (run / os.fsdecode(b"a\xff.json")).write_text(text)
    for _time in range(2):
        assert hits(run, "water", capsys=capsys) == [("1", 1)]
    assert "4 articles" in call("summary", run, capsys=capsys).stdout


def test_what_cannot_be_read_is_reported_each_time(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until it is corrected: the index does not contain it."""
    bad = run / "bad.xml"
    bad.write_text("<collection><document><id>x")
    for command in (("search", run, "water"), ("search", run, "water"), ("summary", run)):
        ran = call(*command, capsys=capsys)
        assert ran.returncode == 0
        assert ran.stderr.count("left out of the index: ") == ran.stderr.count("bad.xml") == 1
        assert "1 article or file could not be read" in ran.stderr
    bad.unlink()
    assert call("search", run, "water", capsys=capsys).stderr == ""


def test_a_file_whose_permissions_change_is_read_again(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hits(run, "water", capsys=capsys)
    (run / "2.xml").chmod(0o600)
    read: list[str] = []
    monkeypatch.setattr(store, "facts_of", lambda document: read.append(document.id) or facts_of(document))
    hits(run, "water", capsys=capsys)
    assert read == ["2"]


def test_a_run_without_articles_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    ran = call("summary", tmp_path, capsys=capsys)
    assert ran.returncode == 2
    assert "no article found in" in ran.stderr


# -- summary --------------------------------------------------------------------------------------


def test_the_summary_counts_articles_mentions_pairs_sections_and_years(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(call("summary", run, "--json", capsys=capsys).stdout)
    assert found["totals"] == {
        "articles": 3, "with_mentions": 3, "mentions": 7, "without_concept": 0, "concepts": 4, "indexed": 2,
    }  # fmt: skip
    assert found["concepts"][0] == {
        "identifier": CARBOPLATIN, "name": "Carboplatin", "articles": 2, "mentions": 2, "indexed": 1,
    }  # fmt: skip
    # Carboplatin and water are in the same article, but in no sentence.
    together = [
        (CISPLATIN, "Cisplatin", CARBOPLATIN, "Carboplatin", 1, 1),
        (CISPLATIN, "Cisplatin", WATER, "Water", 1, 1),
    ]
    assert sorted(tuple(pair.values()) for pair in found["pairs_in_sentence"]) == sorted(together)
    apart = (WATER, "Water", CARBOPLATIN, "Carboplatin", 1, 0)
    assert sorted(tuple(pair.values()) for pair in found["pairs_in_article"]) == sorted([*together, apart])
    assert {item["section"]: item["mentions"] for item in found["sections"]} == {
        "TITLE": 2, "RESULTS": 2, "ABSTRACT": 2, "REF": 1,
    }  # fmt: skip
    assert found["years"] == [{"year": 2020, "articles": 1, "mentions": 5}]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_the_table_of_concepts_is_written(
    run: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"x.{suffix}"
    assert call("summary", run, "-o", out, capsys=capsys).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text("utf-8-sig")), delimiter="," if suffix == "csv" else "\t"))
    assert (len(rows), rows[0]["name"], rows[0]["articles"]) == (4, "Carboplatin", "2")


def test_the_page_has_the_concepts_and_charts(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the extra report is not installed")
    ran = call("summary", run, "-o", tmp_path / "x.html", capsys=capsys)
    page = (tmp_path / "x.html").read_text("utf-8")
    assert ran.stdout.splitlines()[-1] == f"wrote {tmp_path}/x.html"
    assert page.count("<figure>") == 5
    assert 'href="https://meshb.nlm.nih.gov/record/ui?ui=D002945"' in page
    assert 'http-equiv="Content-Security-Policy"' in page


def test_without_matplotlib_there_are_text_and_tables(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("matplotlib", "nlmchem.report"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("summary", run, capsys=capsys).stdout.startswith("3 articles")
    assert call("summary", run, "-o", tmp_path / "x.csv", capsys=capsys).returncode == 0


def test_an_output_of_another_kind_is_refused(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = call("summary", run, "-o", "x.pdf", capsys=capsys)
    assert ran.returncode == 2
    assert "must end in one of .html" in ran.stderr


def test_a_long_sentence_is_cut_around_the_mention() -> None:
    text = "word " * 200 + "water " + "word " * 200
    sentence = sentence_of(facts_of(annotated("1", ("METHODS", text, {"water": WATER}))).texts, 0)
    assert "water" in sentence
    assert len(sentence) <= LONGEST_SENTENCE + 4
    assert sentence.startswith("… ")
    assert sentence.endswith(" …")
