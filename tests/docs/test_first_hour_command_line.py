"""The first hour on the command line: what users of other tools type first gives the result at once.

The first hour in Python is tested beside this file.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from first_hour import FAST, Nlmchem, refused, result

import corpora
from corpora.formats.registry import formats

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Aspirin and NO. Nitric oxide (NO) and Ca2+ act; NO again."


# -- texts --------------------------------------------------------------------------------------


def test_text_from_a_pipe_is_a_text(nlmchem: Nlmchem, pipe: Callable[[str], None]) -> None:
    pipe("Aspirin and zinc.\n")
    rows = result(nlmchem("annotate", "-", "-o", "-", "--format", "tsv", *FAST)).splitlines()
    assert [row.split("\t")[7] for row in rows[1:]] == ["Aspirin", "zinc"]


@pytest.mark.parametrize(
    "content",
    [
        '{"documents": [{"id": "7", "passages": [{"offset": 0, "text": "Zinc"}]}]}',
        "<collection><document><id>7</id><passage><offset>0</offset><text>Zinc</text></passage></document></collection>",
        "7|t|Zinc\n7|a|\n\n",
    ],
)
def test_other_formats_from_a_pipe_are_still_detected(
    nlmchem: Nlmchem, pipe: Callable[[str], None], content: str
) -> None:
    pipe(content)
    assert '"id": "7"' in result(nlmchem("convert", "-", "-", "--format", "json"))


@pytest.mark.parametrize("content", ["<collection", "<?xml", "<html><p>Zinc</p></html>", "Zi\0nc", '{"a": ', ""])
def test_damaged_content_of_a_pipe_is_no_text(nlmchem: Nlmchem, pipe: Callable[[str], None], content: str) -> None:
    pipe(content)
    done = nlmchem("convert", "-", "-", "--format", "json")
    assert (done.returncode, '"Zinc' in done.stdout) == (3, False), done


def test_a_text_gives_a_short_table(nlmchem: Nlmchem) -> None:
    head, *rows = result(nlmchem("annotate", "--text", TEXT, "--tagger", "lexicon")).splitlines()
    assert head == "mention\tidentifier\tname\twhy"
    assert {tuple(row.split("\t")[:3]) for row in rows} == {
        ("Aspirin", "MESH:D001241", "Aspirin"),
        ("NO", "MESH:D009569", "Nitric Oxide"),
        ("Nitric oxide", "MESH:D009569", "Nitric Oxide"),
        ("Ca2+", "MESH:D002118", "Calcium"),
    }
    assert "in MeSH as a chemical; marked by the tagger" in rows[0]
    values = json.loads(result(nlmchem("annotate", "--text", TEXT, "--tagger", "lexicon", "--json")))
    assert [one["text"] for one in values["mentions"]].count("NO") == 3


def test_a_text_without_a_decision_or_a_chemical(nlmchem: Nlmchem) -> None:
    table = result(nlmchem("annotate", "--text", "Aspirin", "--tagger", "lexicon", "--decision", "rules"))
    assert table.splitlines()[1] == "Aspirin\tMESH:D001241\tAspirin\texact"
    table = result(nlmchem("annotate", "--text", "Cells in PBS.", "--tagger", "lexicon", "--decision", "rules"))
    assert table.splitlines()[1] == "PBS\tMESH:D010710,MESH:D012965\tPhosphates | Sodium Chloride\texact"
    for text in ("", " ", "Cells only."):
        done = nlmchem("annotate", "--text", text, "--tagger", "lexicon")
        assert (result(done).count("\n"), done.stderr) == (1, "nlmchem: no chemical was found\n")


# -- files and formats --------------------------------------------------------------------------


def test_convert_takes_the_output_by_place_or_by_flag(nlmchem: Nlmchem, annotated: Path) -> None:
    result(nlmchem("convert", annotated, "a.json"))
    result(nlmchem("convert", annotated, "-o", "b.json"))
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


@pytest.mark.parametrize(
    ("tried", "name"), [("json", "biocjson"), ("bioc", "biocxml"), ("xml", "biocxml"), ("csv", "csv")]
)
def test_formats_have_the_names_that_people_try(nlmchem: Nlmchem, annotated: Path, tried: str, name: str) -> None:
    assert result(nlmchem("convert", annotated, "-", "--format", tried)) == result(
        nlmchem("convert", annotated, "-", "--format", name)
    )
    result(nlmchem("annotate", "articles", "-o", "one", "--format", tried, *FAST))
    # It is the same configuration: nothing is annotated again.
    again = result(nlmchem("annotate", "articles", "-o", "one", "--format", name, *FAST, "--json"))
    assert json.loads(again)["skipped"] == 2
    assert tried in {format.name for format in formats()} | {a for format in formats() for a in format.aliases}


def test_a_csv_file(nlmchem: Nlmchem) -> None:
    Path("a.txt").write_text('Glucose, "zinc" and 1,2-dichloroethane.', "utf-8")
    result(nlmchem("annotate", "a.txt", "-o", "x.csv", *FAST))
    result(nlmchem("annotate", "a.txt", "-o", "x.tsv", *FAST))
    with Path("x.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [line.split("\t") for line in Path("x.tsv").read_text("utf-8").splitlines()]
    assert "1,2-dichloroethane" in {row[7] for row in rows}


@pytest.mark.parametrize("name", ["a.docx", "a.PDF", "a.xlsx", "a.html", "out.zip", "out.gz"])
def test_an_unknown_suffix_is_refused_by_annotate_as_by_convert(nlmchem: Nlmchem, annotated: Path, name: str) -> None:
    for command in (("annotate", "articles", "-o", name, *FAST), ("convert", "articles", name, "--format", "json")):
        assert refused(nlmchem(*command)).startswith(f"{name} has a suffix that selects no format (biocxml, ")
    assert not Path(name).exists()


@pytest.mark.parametrize("name", ["run.2024", "v1.0", "annotated.new", "a.b.c"])
def test_folders_may_have_a_dot_in_their_names(nlmchem: Nlmchem, annotated: Path, name: str) -> None:
    result(nlmchem("annotate", "articles", "-o", name, *FAST))
    assert (Path(name) / "1.xml").is_file()


@pytest.mark.parametrize("flag", ["--tagger", "--taggers"])
def test_tagger_and_taggers_are_one(nlmchem: Nlmchem, flag: str) -> None:
    assert "Aspirin\t" in result(nlmchem("annotate", "--text", "Aspirin", flag, "lexicon"))
    for command in ("silver build", "submit", "explain", "bench", "train decision"):
        assert flag in result(nlmchem(*command.split(), "--help"))


# -- groups -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ("index annotated", "index list annotated"),
        ("evaluate annotated annotated --samples 0", "evaluate spans annotated annotated --samples 0"),
        ("evaluate --json annotated annotated --samples 0", "evaluate spans annotated annotated --json --samples 0"),
        ("lexicon aspirin", "lexicon lookup aspirin"),
    ],
)
def test_groups_have_defaults(nlmchem: Nlmchem, annotated: Path, short: str, whole: str) -> None:
    assert result(nlmchem(*short.split())) == result(nlmchem(*whole.split())) != ""


def test_ensembles_vote_on_spans_by_default_and_agreement_is_printed(nlmchem: Nlmchem, annotated: Path) -> None:
    result(nlmchem("convert", annotated, "other.xml"))
    result(nlmchem("ensemble", annotated, "other.xml", "-o", "c", "--workers", 1))
    assert {mention.text for one in corpora.read("c") for mention in corpora.mentions(one)} == {"Glucose", "zinc"}
    before = sorted(Path().iterdir())
    printed = result(nlmchem("ensemble", "agreement", annotated, "other.xml", "--workers", 1))
    assert printed.startswith("2 runs, spans: mean F1 between two runs 1.0000\n")
    assert "charts" not in printed
    assert sorted(Path().iterdir()) == before


def test_a_name_that_is_a_command_is_the_command(nlmchem: Nlmchem) -> None:
    assert result(nlmchem("lexicon", "info")).startswith("in use\t")
    assert "nlmchem lexicon [OPTIONS] COMMAND" in result(nlmchem("lexicon", "--help"))
    assert result(nlmchem("lexicon", "lookup", "D001241")).count("Aspirin") == 2


def test_corpora_stats_needs_no_name(nlmchem: Nlmchem, annotated: Path) -> None:
    assert "all\tdocuments\t2" in result(nlmchem("corpora", "stats", annotated)).splitlines()


def test_lexicon_explain_sees_an_identifier(nlmchem: Nlmchem) -> None:
    for identifier in ("D001241", "MESH:D001241"):
        assert "-> identifier\tMESH:D001241 ('Aspirin')" in result(nlmchem("lexicon", "explain", identifier))
    assert "no sieve has an answer for 'D999999'" in result(nlmchem("lexicon", "explain", "D999999"))


# -- help and messages --------------------------------------------------------------------------


def test_the_help_of_annotate_has_headings(nlmchem: Nlmchem) -> None:
    shown = result(nlmchem("annotate", "--help"))
    found = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert found == ["Arguments:", "Common options:", "Models and sieves:", "Resources:", "Runs:", "Options:"]
    assert shown.index("--tagger") < shown.index("Models and sieves:") < shown.index("--min-score")
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_no_summary_is_cut(nlmchem: Nlmchem) -> None:
    for group in ((), ("train",), ("evaluate",), ("corpora",), ("lexicon",), ("ensemble",)):
        _, commands = result(nlmchem(*group, "--help")).split("Show this message and exit.")
        assert "..." not in commands.split("Example")[0]


def test_train_tagger_names_the_embedded_model(nlmchem: Nlmchem) -> None:
    assert "default (the embedded one)" in " ".join(result(nlmchem("train", "tagger", "--help")).split())


def test_submit_names_the_reference(nlmchem: Nlmchem, annotated: Path) -> None:
    given = ("submit", annotated, "--task", "identification", "--team", 1, "--run", 1, "-o", "sub")
    sentence = refused(nlmchem(*given))
    assert sentence.startswith("--reference must be given: article '1' in annotated is annotated already.")
    assert sentence.endswith("or annotate these again with --existing replace")
    result(nlmchem(*given, "--reference", "articles"))


def test_a_run_reports_articles_without_index_terms(nlmchem: Nlmchem, annotated: Path) -> None:
    given = ("annotate", "articles", "-o", "new", *FAST, "--index-threshold", 0)
    printed = result(nlmchem(*given))
    assert printed.startswith("done 2 + failed 0 + skipped 0 = 2 articles; 1 without index terms; ")
    # Also if they were annotated before; and only if they are indexed.
    assert json.loads(result(nlmchem(*given, "--json")))["without_index_terms"] == 1
    tagged = result(nlmchem("annotate", "articles", "-o", "tagged", *FAST, "--steps", "tag"))
    assert "index terms" not in tagged


def test_make_demo_ends_with_what_to_type_next(nlmchem: Nlmchem) -> None:
    printed = subprocess.run(
        ["make", "-n", "demo", "VENV=env"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "'. env/bin/activate' 'nlmchem view out/ -o report.html' 'nlmchem index out/'" in printed


# -- the third pass -----------------------------------------------------------------------------


def test_a_text_is_read_from_a_pipe_by_its_flag(nlmchem: Nlmchem, pipe: Callable[[str], None]) -> None:
    pipe("Aspirin was given.")
    assert "Aspirin\tMESH:D001241" in result(nlmchem("annotate", "--text", "-", "--tagger", "lexicon"))


@pytest.mark.parametrize(
    ("name", "content", "flags"),
    [
        ("a.jsonl", '{"id": "7", "text": "Aspirin was given."}\n', ()),
        ("a.csv", 'pmid,abstract\n7,"Aspirin, twice"\n', ()),
        ("a.tsv", "nr\tremark\n7\tAspirin\n", ("--text-column", "remark", "--id-column", "nr")),
        ("7.md", "# Aspirin\n", ()),
    ],
)
def test_the_commonest_inputs_are_read(nlmchem: Nlmchem, name: str, content: str, flags: tuple[str, ...]) -> None:
    Path(name).write_text(content, "utf-8")
    result(nlmchem("annotate", name, "-o", "out.csv", *FAST, *flags))
    [row] = csv.DictReader(io.StringIO(Path("out.csv").read_text("utf-8-sig")))
    assert (row["document"], row["file"], row["text"], row["identifier"], row["name"]) == (
        "7", name, "Aspirin", "MESH:D001241", "Aspirin",
    )  # fmt: skip


def test_an_unknown_column_is_named_with_those_that_there_are(nlmchem: Nlmchem) -> None:
    Path("a.csv").write_text("nr,remark\n1,Aspirin\n", "utf-8")
    done = nlmchem("annotate", "a.csv", "-o", "x", *FAST)
    assert done.returncode == 2
    assert "a table without a column of texts that is known (its columns: nr, remark)" in done.stderr
    assert "--text-column" in done.stderr


@pytest.mark.parametrize(("name", "content"), [("a.pdf", b"%PDF-1.7\n"), ("a.html", b"<html><body>x</body></html>")])
def test_documents_of_other_programs_name_what_converts_them(nlmchem: Nlmchem, name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    done = nlmchem("annotate", name, "-o", "x", *FAST)
    assert done.returncode == 2
    assert re.search("pdftotext|pandoc", done.stderr)


def test_names_of_ones_own_are_tagged_linked_and_looked_up(nlmchem: Nlmchem) -> None:
    Path("my.tsv").write_text("compound 17\tLAB:17\tHousamine\naspirin\t-\n", "utf-8")
    own = ("--names", "my.tsv")
    printed = result(nlmchem("annotate", "--text", "Compound 17 and aspirin", "--tagger", "lexicon", *own))
    assert [line.split("\t")[:3] for line in printed.splitlines()[1:]] == [["Compound 17", "LAB:17", "Housamine"]]
    assert "LAB:17" in result(nlmchem("lexicon", "lookup", "housamine", *own))
    assert "-> exact\tLAB:17" in result(nlmchem("lexicon", "explain", "compound 17", *own))
    assert "left out: it is one of the names that you block" in result(
        nlmchem("explain", "--text", "Compound 17 and aspirin", "--tagger", "lexicon", *own)
    )


def test_changed_names_are_another_configuration(nlmchem: Nlmchem, annotated: Path) -> None:
    Path("my.tsv").write_text("glucose\tLAB:1\n", "utf-8")
    sentence = refused(nlmchem("annotate", "articles", "-o", "annotated", *FAST, "--names", "my.tsv"))
    assert "results of another configuration (lexicon or names differs)" in sentence


def test_a_changed_tagger_is_named(nlmchem: Nlmchem, annotated: Path) -> None:
    sentence = refused(nlmchem("annotate", "articles", "-o", "annotated", "--workers", 1, "--decision", "rules"))
    assert "tagger" in sentence


def test_the_counts_of_a_resumed_run_are_of_the_whole(nlmchem: Nlmchem, annotated: Path) -> None:
    again = result(nlmchem("annotate", "articles", "-o", "annotated", *FAST))
    assert again.startswith("done 0 + failed 0 + skipped 2 = 2 articles; ")
    assert "; 4 mentions; results in annotated" in again


def test_notes_are_added_up_and_name_the_flag(nlmchem: Nlmchem) -> None:
    for name in "ab":
        text = "Abscisic acid (ABA) acts; ABA again."
        Path(f"{name}.pubtator").write_text(f"{name}|t|{text}\n{name}|a|\n\n", "utf-8")
    result(nlmchem("annotate", ".", "-o", "out", *FAST))
    done = nlmchem("convert", "out", "all.csv")
    [left_out] = [line for line in done.stderr.splitlines() if "abbreviations" in line]
    assert re.fullmatch(
        r"2 articles \(the first: out/a.xml\): annotations of abbreviations \(\d+\) were left out; "
        r"CSV has them with --with-abbreviations", left_out,
    )  # fmt: skip
    assert nlmchem("convert", "out", "quiet.csv", "-q").stderr == ""


@pytest.mark.parametrize(
    ("query", "found"), [("glucose", 1), ("MESH:D015032", 1), ("all metals", 1), ("D09", 1), ("zinc", 1)]
)
def test_search_takes_a_name_an_identifier_and_a_branch(
    nlmchem: Nlmchem, annotated: Path, query: str, found: int
) -> None:
    assert result(nlmchem("search", "annotated", query)).splitlines()[0].endswith(f": {found} of 2 articles")


def test_summary_shows_what_a_folder_contains(nlmchem: Nlmchem, annotated: Path) -> None:
    printed = result(nlmchem("summary", "annotated"))
    assert printed.startswith("2 articles, 1 with mentions")
    assert "Glucose" in printed
    result(nlmchem("summary", "annotated", "-o", "concepts.csv"))
    assert Path("concepts.csv").read_text("utf-8-sig").startswith("identifier,name,articles,mentions,indexed\n")


def test_explain_takes_a_text_and_sieves_an_order(nlmchem: Nlmchem, pipe: Callable[[str], None]) -> None:
    assert "->" in result(nlmchem("explain", "--text", "Aspirin was given.", "--tagger", "lexicon"))
    pipe("Ethanol was given.")
    assert "Ethanol" in result(nlmchem("explain", "--text", "-", "--tagger", "lexicon"))
    printed = result(nlmchem("lexicon", "explain", "aspirin", "--sieves", "folded,exact"))
    assert [line.split()[-3 if "no answer" in line else 0] for line in printed.splitlines()[1:3]]
    assert "shorthand" not in printed


def test_a_model_is_found_in_the_output_of_a_training(nlmchem: Nlmchem) -> None:
    for seed in ("seed-7", "seed-8"):
        folder = Path("trained") / seed / "all" / "model"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}", "utf-8")
    sentence = refused(nlmchem("annotate", "--text", "a", "--tagger", "trained"))
    assert "trained has 2 models; name one or several of them: " in sentence
    assert "trained/seed-7/all/model, " in sentence
    one = refused(nlmchem("annotate", "--text", "a", "--tagger", "trained/seed-7"))
    # It was found: what it lacks is named.
    assert "trained/seed-7/all/model has no model.safetensors" in one


def test_the_hierarchy_that_ships_is_the_default_of_approximate_scores(nlmchem: Nlmchem, annotated: Path) -> None:
    done = nlmchem("evaluate", "identifiers", "annotated", "annotated", "--approximate", "--samples", 0, "--json")
    assert json.loads(result(done))["approximate"]["f1"] == 1
    assert "the approximate scores use the hierarchy of MeSH" in done.stderr


def test_an_empty_identifier_of_pubtator_is_none(nlmchem: Nlmchem) -> None:
    row = "1\t0\t7\tGlucose\tChemical\t\n"
    Path("a.pubtator").write_text(f"1|t|Glucose rose.\n1|a|\n{row}\n", "utf-8")
    result(nlmchem("annotate", "a.pubtator", "-o", "out.csv", "--steps", "normalize", "--workers", 1))
    [found] = csv.DictReader(io.StringIO(Path("out.csv").read_text("utf-8-sig")))
    assert found["identifier"] == "MESH:D005947"
