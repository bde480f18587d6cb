"""`nlmchem annotate` with the dense fallback and with indexing: determinism, manifest, wrong options."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import corpora
import nlmchem
from corpora.model.document import IndexTerm, add_index_term, index_terms, mentions
from nlmchem.engine import tasks
from nlmchem.run.registry import STEPS
from sieves.lexicon.lexicon import Lexicon

LEXICON = "MESH:D000431\tethanol\tgrain spirit\nMESH:D004298\tdopamine\t\nMESH:D005947\tglucose\tdextrose\n"
ARTICLES = (
    ("Ethanol and odopamine in rats", "Of ethanol, xglucose and odopamine only xglucose was found.", ()),
    ("No chemical at all", "Nothing was found.", ()),
    ("Glucose", "Rats were given glucose and ygrain spirit.", ("glucose",)),
    ("Dopamine", "Dopamine, xglucose and wine.", ()),
)
NAMED = ("ethanol", "odopamine", "xglucose", "ygrain spirit", "glucose", "dopamine", "wine")
WITH_ALL = ("--steps", "normalize,index", "--indexer", "title-abstract", "--dense-threshold", "0.6")


def pubtator(number: int, title: str, abstract: str) -> str:
    """An article whose chemicals are marked, without ids."""
    text = f"{title} {abstract}"
    rows = []
    for name in NAMED:
        start = text.lower().find(name)
        while start >= 0:
            if not text[start - 1 : start].isalpha():
                rows.append(
                    (start, f"{number}\t{start}\t{start + len(name)}\t{text[start : start + len(name)]}\tChemical")
                )
            start = text.lower().find(name, start + 1)
    return "\n".join([f"{number}|t|{title}", f"{number}|a|{abstract}", *(row for _, row in sorted(rows)), "", ""])


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    texts = [pubtator(number, title, abstract) for number, (title, abstract, _) in enumerate(ARTICLES, 1)]
    (folder / "first.pubtator").write_text(texts[0] + texts[1], "utf-8")
    (folder / "second.pubtator").write_text(texts[2] + texts[3], "utf-8")
    return folder


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "names.tsv"
    path.parent.mkdir()
    path.write_text(LEXICON, "utf-8")
    return path


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "weights.safetensors"
    save_file({"ngrams": np.random.default_rng(0).normal(size=(4096, 64)).astype(np.float16)}, path)
    return path


Nlmchem = Callable[..., tuple[int, str, str]]


def outputs(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.xml"))}


def resources_of(out: Path) -> dict[str, str]:
    steps = json.loads((out / "manifest.json").read_text("utf-8"))["configuration"]["steps"]
    return {name: version for step in steps.values() for name, version in step["resources"].items()}


# -- the dense fallback -------------------------------------------------------------------------


def test_mentions_without_a_sieve_answer_get_the_nearest_name(
    run: Nlmchem, articles: Path, lexicon: Path, weights: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = ("annotate", articles, "-o", out, "--lexicon", lexicon, "--dense", weights)
    assert run(*given, "--steps", "normalize", "--dense-threshold", "0.6")[0] == 0
    found = {m.text: (m.identifiers, m.evidence.sieve) for d in corpora.read(out / "first.xml") for m in mentions(d)}
    assert found["Ethanol"] == (("MESH:D000431",), "exact")
    assert found["odopamine"] == (("MESH:D004298",), "dense")
    assert found["xglucose"] == (("MESH:D005947",), "dense")
    assert sorted(path.suffix for path in lexicon.parent.iterdir()) == [".keys", ".npy", ".tsv"]


def test_without_the_dense_fallback_no_vectors_are_made(
    run: Nlmchem, articles: Path, lexicon: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for dense in ((), ("--dense", "off")):
        given = ("annotate", articles, "-o", out, "--restart", "--lexicon", lexicon, *dense, "--steps", "normalize")
        assert run(*given)[0] == 0
        assert b"dense" not in b"".join(outputs(out).values())
        assert "dense encoder" not in resources_of(out)
        assert list(lexicon.parent.iterdir()) == [lexicon]


def test_output_does_not_depend_on_the_size_of_blocks(
    run: Nlmchem, articles: Path, lexicon: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for block in (1, 2, 4):
        monkeypatch.setattr(tasks, "BLOCK_ARTICLES", block)
        out = tmp_path / f"out-{block}"
        given = ("annotate", articles, "-o", out, "--lexicon", lexicon, "--dense", weights, *WITH_ALL)
        assert run(*given)[0] == 0
        found.append(outputs(out))
    assert found[0] == found[1] == found[2]
    assert b"dense" in found[0]["first.xml"]
    assert b"MeSH_Indexing_Chemical" in found[0]["first.xml"]


def test_output_does_not_depend_on_workers(articles: Path, lexicon: Path, weights: Path, tmp_path: Path) -> None:
    """Real processes. The run makes the vectors of the names, not the workers."""
    told = []
    for workers in (1, 2):
        script = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
        given = ("annotate", articles, "-o", tmp_path / str(workers), "--lexicon", lexicon, "--dense", weights)
        arguments = map(str, (*given, *WITH_ALL, "--workers", workers))
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, check=True, text=True)
        told.append(done.stderr)
    assert outputs(tmp_path / "1") == outputs(tmp_path / "2")
    assert [sentence.count("computing the vectors") for sentence in told] == [1, 0]


def test_the_manifest_names_encoder_and_indexer(
    run: Nlmchem, articles: Path, lexicon: Path, weights: Path, tmp_path: Path
) -> None:
    from sieves.dense.encoders import encoder_version

    out = tmp_path / "out"
    run("annotate", articles, "-o", out, "--lexicon", lexicon, "--dense", weights, *WITH_ALL)
    resources = resources_of(out)
    assert resources["dense encoder"] == encoder_version(str(weights))
    assert resources["indexer"].startswith("title-abstract ")
    # The same content at another path is the same configuration; other content is not.
    moved = weights.rename(tmp_path / "moved.safetensors")
    given = ("annotate", articles, "-o", out, "--lexicon", lexicon, *WITH_ALL, "--dense")
    assert run(*given, moved)[0] == 0
    code, _, told = run(*given, "default")
    assert (code, "results of another configuration (dense encoder differs)" in told) == (2, True)


def test_replay_finds_the_encoder_from_another_folder(
    run: Nlmchem, articles: Path, lexicon: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = articles / "bad.pubtator"
    bad.write_text(pubtator(9, "Glucose", "xglucose"), "utf-8")
    given = ("annotate", "articles", "-o", "out", "--lexicon", "own/names.tsv", "--dense", "weights.safetensors")
    monkeypatch.setattr("sieves.normalizer.Normalizer.__call__", _fail)
    assert run(*given, *WITH_ALL)[0] == 3
    monkeypatch.undo()
    monkeypatch.chdir(articles)
    code, told, _ = run("replay", tmp_path / "out")
    assert (code, "failed 0" in told) == (0, True)


def _fail(self: object, documents: object) -> None:
    raise ValueError("failed")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--dense", "nothing"), "no dense encoder at"),
        (("--dense", "default", "--steps", "tag"), "--dense needs the step normalize"),
        (("--dense-threshold", "0.9"), "--dense-threshold has no effect without a dense encoder"),
        (("--dense", "default", "--dense-threshold", "9"), "--dense-threshold must be a number from 0 to 1, not 9"),
        (("--steps", "index", "--indexer", "nothing"), "no indexer 'nothing'; choose from default"),
        (("--steps", "index", "--index-threshold", "-1"), "--index-threshold must be a number from 0 to 1, not -1"),
        (("--steps", "index", "--index-top", "0"), "--index-top must be a number of 1 or more, not 0"),
        (("--steps", "tag", "--indexer", "rules"), "--indexer needs the step index"),
        (
            ("--steps", "tag,indx"),
            f"--steps contains 'indx'; choose from {', '.join(STEPS)}",
        ),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(
    run: Nlmchem, articles: Path, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    code, out, told = run("annotate", articles, "-o", tmp_path / "out", *options)
    assert (code, out) == (2, "")
    assert sentence in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_command_line_replaces_options_of_the_configuration_file(
    run: Nlmchem, articles: Path, lexicon: Path, weights: Path, tmp_path: Path
) -> None:
    config = tmp_path / "run.toml"
    config.write_text(f'[annotate]\nsteps = "normalize"\ndense = "{weights}"\ndense-threshold = 0.6\n', "utf-8")
    given = ("annotate", articles, "--lexicon", lexicon, "--config", config)
    assert run(*given, "-o", tmp_path / "a")[0] == 0
    assert b"dense" in outputs(tmp_path / "a")["first.xml"]
    assert run(*given, "-o", tmp_path / "b", "--dense-threshold", "1.0")[0] == 0
    assert b"dense" not in outputs(tmp_path / "b")["first.xml"]
    config.write_text('[annotate]\nsteps = "normalize"\ndense = "default"\ndense-threshold = "near"\n', "utf-8")
    code, _, told = run(*given, "-o", tmp_path / "c")
    assert (code, "run.toml: dense-threshold must be a number, not 'near'" in told) == (2, True)


# -- indexing -----------------------------------------------------------------------------------


def test_the_step_index_can_run_on_annotated_files(run: Nlmchem, articles: Path, lexicon: Path, tmp_path: Path) -> None:
    known = ("--lexicon", lexicon)
    by_both, normalized, indexed = tmp_path / "both", tmp_path / "normalized", tmp_path / "indexed"
    index = ("--indexer", "title-abstract")
    run("annotate", articles, "-o", by_both, *known, "--steps", "normalize,index", *index)
    run("annotate", articles, "-o", normalized, *known, "--steps", "normalize")
    assert run("annotate", normalized, "-o", indexed, *known, "--steps", "index", *index)[0] == 0
    assert outputs(indexed) == outputs(by_both) != outputs(normalized)
    (first, second) = corpora.read(by_both / "first.xml")
    assert [term.identifier for term in index_terms(first)] == ["MESH:D000431"]
    assert list(index_terms(second)) == []


def test_a_lexicon_without_tree_numbers_is_reported_once(
    run: Nlmchem, articles: Path, lexicon: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = ("annotate", articles, "--steps", "normalize,index")
    run(*given, "-o", tmp_path / "mesh")
    assert not any("tree numbers" in message for message in caplog.messages)
    run(*given, "-o", tmp_path / "own", "--lexicon", lexicon)
    (message,) = (message for message in caplog.messages if "tree numbers" in message)
    assert message.startswith("the lexicon has no tree numbers: index terms can be concepts that are no chemicals")


@pytest.mark.parametrize(
    ("policy", "terms"), [("keep", ["MESH:D000001", "MESH:D000431"]), ("replace", ["MESH:D000431"]), ("error", None)]
)
def test_existing_index_terms_are_kept_replaced_or_refused(
    run: Nlmchem, articles: Path, lexicon: Path, tmp_path: Path, policy: str, terms: list[str] | None
) -> None:
    known = ("--lexicon", lexicon, "--indexer", "title-abstract")
    run("annotate", articles, "-o", tmp_path / "first", "--lexicon", lexicon, "--steps", "normalize")
    document = next(corpora.read(tmp_path / "first" / "first.xml"))
    add_index_term(document, IndexTerm("MESH:D000001", "another's"))
    corpora.write([document], tmp_path / "indexed.xml")
    given = ("annotate", tmp_path / "indexed.xml", "-o", tmp_path / "second", *known, "--steps", "index")
    assert run(*given, "--existing", policy)[0] == (3 if terms is None else 0)
    if terms is not None:
        (document,) = corpora.read(tmp_path / "second" / "indexed.xml")
        assert [term.identifier for term in index_terms(document)] == terms
        # The step index does not change mentions, for any value of --existing.
        assert next(iter(mentions(document))).identifiers == ("MESH:D000431",)


def test_load_takes_the_same_options_in_python(articles: Path, lexicon: Path, weights: Path) -> None:
    annotate = nlmchem.load(
        lexicon=lexicon, steps=("normalize", "index"), dense=weights, dense_threshold=0.6, indexer="title-abstract"
    )
    documents = list(annotate(corpora.read(articles / "first.pubtator")))
    assert {m.evidence.sieve for m in mentions(documents[0])} == {"exact", "dense"}
    assert "MESH:D000431" in [term.identifier for term in index_terms(documents[0])]


# -- the commands of indexing -------------------------------------------------------------------


@pytest.fixture
def indexed(run: Nlmchem, articles: Path, lexicon: Path, tmp_path: Path) -> Path:
    out = tmp_path / "indexed"
    steps = ("--steps", "normalize,index", "--indexer", "title-abstract")
    assert run("annotate", articles, "-o", out, "--lexicon", lexicon, *steps)[0] == 0
    return out


def test_index_list_prints_only_the_terms(run: Nlmchem, indexed: Path) -> None:
    code, told, _ = run("index", "list", indexed)
    rows = [line.split("\t") for line in told.splitlines()]
    assert code == 0
    assert rows[0] == ["document", "pmid", "rank", "identifier", "entry_term", "score"]
    assert [(row[0], row[2], row[3]) for row in rows[1:]] == [
        ("1", "1", "MESH:D000431"), ("3", "1", "MESH:D005947"), ("4", "1", "MESH:D004298"),
    ]  # fmt: skip
    lines = [json.loads(line) for line in run("index", "list", indexed, "--json")[1].splitlines()]
    assert [(line["document"], len(line["terms"])) for line in lines] == [("1", 1), ("2", 0), ("3", 1), ("4", 1)]


def test_articles_without_index_terms_are_reported(run: Nlmchem, articles: Path) -> None:
    code, printed, told = run("index", "list", articles)
    assert (code, printed.count("\n")) == (0, 1)
    assert "no index term was found; annotate the articles first" in told


def test_index_explain_shows_all_candidates(run: Nlmchem, indexed: Path, lexicon: Path) -> None:
    given = ("index", "explain", indexed / "first.xml", "--indexer", "title-abstract", "--lexicon", lexicon)
    code, told, warned = run(*given)
    assert code == 0
    assert "document '2': no mention has a concept; annotate the article" in warned
    assert "\tMESH:D000431\tethanol\t" in told
    assert "no concept could be an index term" in told
    first, second = [json.loads(line) for line in run(*given, "--json")[1].splitlines()]
    assert [candidate["chosen"] for candidate in first["candidates"]] == [True]
    assert second["candidates"] == []


def test_index_suggest_lists_candidates_and_whether_they_are_chosen(run: Nlmchem, indexed: Path, lexicon: Path) -> None:
    given = ("index", "suggest", indexed, "--lexicon", lexicon)
    code, told, _ = run(*given, "--indexer", "title-abstract")
    rows = [line.split("\t") for line in told.splitlines()]
    assert code == 0
    assert rows[0] == ["document", "rank", "identifier", "entry_term", "score", "chosen"]
    assert ["1", "1", "MESH:D000431", "ethanol", "1.0000", "yes"] in rows
    unchosen = [line.split("\t") for line in run(*given, "--index-threshold", "1")[1].splitlines()[1:]]
    assert [(row[0], row[2], row[5]) for row in unchosen] == [(row[0], row[2], "no") for row in rows[1:]]
    (first, *_) = [json.loads(line) for line in run(*given, "--number", "1", "--json")[1].splitlines()]
    assert [term["identifier"] for term in first["terms"]] == ["MESH:D000431"]
    assert {"score", "chosen", "entry_term"} < set(first["terms"][0])


def test_the_best_terms_are_written_whatever_their_score(run: Nlmchem, lexicon: Path, tmp_path: Path) -> None:
    article = tmp_path / "two.pubtator"
    article.write_text(pubtator(1, "Ethanol and dopamine", "More ethanol and ethanol."), "utf-8")
    given = ("annotate", article, "--lexicon", lexicon, "--steps", "normalize,index")

    def terms(name: str, *options: object) -> list[str]:
        out = tmp_path / name
        assert run(*given, "-o", out, *options)[0] == 0
        return [term.identifier for term in index_terms(next(corpora.read(out)))]

    assert terms("none", "--index-threshold", "1") == []
    both = terms("both", "--index-top", "5")
    assert sorted(both) == ["MESH:D000431", "MESH:D004298"]
    assert terms("one", "--index-top", "1") == both[:1]
    # With a threshold of the user's, fewer terms than N may be left.
    assert terms("strict", "--index-top", "5", "--index-threshold", "1") == []


def test_submit_writes_the_terms(run: Nlmchem, indexed: Path, articles: Path, tmp_path: Path) -> None:
    target = tmp_path / "Track2-Team-999-Subtask2-Run-1.xml"
    given = ("submit", indexed / "first.xml", "--reference", articles / "first.pubtator", "--task", "indexing")
    code, told, _ = run(*given, "--team", "999", "--run", "1", "-o", target)
    assert (code, "annotations: 1" in told) == (0, True)
    assert [[t.identifier for t in index_terms(document)] for document in corpora.read(target)] == [
        ["MESH:D000431"],
        [],
    ]


def test_view_shows_the_terms(run: Nlmchem, indexed: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    assert run("view", indexed / "first.xml", "-o", tmp_path / "one.html")[0] == 0
    pages = [path.read_text("utf-8") for path in (tmp_path / "one").iterdir()]
    assert sum('id="index-terms"' in page for page in pages) == 1


def test_view_closes_its_lexicon(run: Nlmchem, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Lexicon] = []
    closes = Lexicon.close
    monkeypatch.setattr(Lexicon, "close", lambda lexicon: (closed.append(lexicon), closes(lexicon)))
    assert run("view", indexed / "first.xml", "-o", tmp_path / "one.html")[0] == 0
    assert len(closed) == 1


def test_view_prints_its_pages_as_json(run: Nlmchem, indexed: Path, tmp_path: Path) -> None:
    given = ("view", indexed / "first.xml", "--gold", indexed / "first.xml", "-o", tmp_path / "pages", "--json")
    code, printed, _ = run(*given)
    shown = json.loads(printed)
    assert (code, shown["index"]) == (0, str(tmp_path / "pages" / "index.html"))
    assert all(Path(article["page"]).is_file() for article in shown["articles"])
    assert {article["scores"]["mentions"]["f1"] for article in shown["articles"]} <= {0.0, 1.0}
    assert sum(article["index_terms"] for article in shown["articles"]) == 1


def test_view_of_one_article_prints_its_page_as_json(run: Nlmchem, articles: Path, tmp_path: Path) -> None:
    source = tmp_path / "one.pubtator"
    source.write_text("1|t|Glucose\n1\t0\t7\tGlucose\tChemical\tMESH:D005947\n\n", "utf-8")
    shown = json.loads(run("view", source, "-o", tmp_path / "one.html", "--json")[1])
    page = str(tmp_path / "one.html")
    assert shown["index"] == page
    assert shown["articles"] == [
        {"document": "1", "title": "Glucose", "page": page, "mentions": 1, "without_concept": 0, "concepts": 1,
         "index_terms": 0},
    ]  # fmt: skip


def test_doctor_checks_the_encoder_and_the_indexer(run: Nlmchem, tmp_path: Path) -> None:
    _, told, _ = run("doctor", "--out", tmp_path, "--json")
    findings = {finding["check"]: finding for finding in map(json.loads, told.splitlines())}
    assert findings["dense encoder"]["ok"]
    assert "--dense default" in findings["dense encoder"]["finding"]
    assert "embedded indexer" in findings


@pytest.mark.parametrize("command", [("index", "list"), ("index", "suggest"), ("index", "explain")])
def test_a_missing_path_is_reported(run: Nlmchem, tmp_path: Path, command: tuple[str, ...]) -> None:
    code, _, told = run(*command, tmp_path / "nothing.xml")
    assert (code, "no file or folder at" in told) == (2, True)


# -- training -----------------------------------------------------------------------------------


def test_the_encoder_of_the_embedded_tagger_is_a_base(run: Nlmchem, lexicon: Path, tmp_path: Path) -> None:
    given = ("train", "dense", "--lexicon", lexicon, "--base", "default", "--steps", "1", "--precision", "bfloat16")
    code, printed, errors = run(*given, "--held-out", "0", "-o", tmp_path / "encoder", "--json")
    assert code == 0, errors
    card = json.loads(printed)
    assert (card["steps"], card["settings"]["bfloat16"]) == (1, True)
    assert {"config.json", "model.safetensors", "card.json"} <= {path.name for path in (tmp_path / "encoder").iterdir()}


def test_another_precision_is_refused(run: Nlmchem, lexicon: Path, tmp_path: Path) -> None:
    code, _, errors = run("train", "dense", "--lexicon", lexicon, "--precision", "int8", "-o", tmp_path / "x")
    assert code == 2
    assert "--precision must be float32 or bfloat16, not 'int8'" in errors
