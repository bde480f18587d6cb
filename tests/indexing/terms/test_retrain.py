"""The command that trains the embedded indexer, on a few short articles."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from pathlib import Path

import pytest

from benchmarks.retrain import indexer
from indexing.terms.logistic import read_model
from indexing.terms.registry import open_indexer

ARTICLE = """<article><front><article-meta><article-id pub-id-type="pmc">{0}</article-id><title-group>
<article-title>{1} in wine</article-title></title-group><abstract><p>We study {1}.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>Samples had calcium and ethanol and {1}.</p></sec></body></article>"""
TOPICS = ("dopamine", "estradiol")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with small files under the names of the real inputs."""
    for folder in ("indexing", "text"):
        (tmp_path / folder).mkdir()
    with tarfile.open(tmp_path / indexer.ARTICLES, "w:gz") as archive:
        for number in range(12):
            content = ARTICLE.format(number, TOPICS[number % 2]).encode()
            member = tarfile.TarInfo(f"PMC{number}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    terms = [["MESH:D004298", "Dopamine"]], [["MESH:D004958", "Estradiol"]]
    lines = [json.dumps({"pmcid": f"PMC{number}", "chemicals": terms[number % 2]}) for number in range(12)]
    (tmp_path / indexer.GOLD).write_text("\n".join(lines), "utf-8")
    for name in indexer.TEXTS:
        text = json.dumps({"id": name, "text": "Ethanol\nCalcium and ethanol."})
        (tmp_path / name).write_bytes(lzma.compress(f"{text}\n".encode()))
    return tmp_path


def test_training_writes_a_model_with_commit_command_and_inputs(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    arguments = ["--data", str(data), "--work", str(data / "work"), "-o", str(data / "model.json")]
    arguments += ["--inputs", str(data / "inputs.json"), "--tagger", "lexicon"]
    hashes = indexer.main([*arguments, "--record"])
    indexer.main(arguments)
    card = read_model(data / "model.json").card
    assert (card["inputs"], card["articles"], card["background_articles"]) == (hashes, 12, 4)
    assert card["command"].startswith("python -m benchmarks.retrain.indexer --data ")
    assert len(card["commit"].split()[0]) == 40
    assert open_indexer(str(data / "model.json")).name == "logistic"


def test_another_input_is_refused_before_any_work(data: Path) -> None:
    with pytest.raises(SystemExit, match=r"differ from those recorded in indexer.json: indexing/jats"):
        indexer.main(["--data", str(data), "--work", str(data / "work"), "-o", str(data / "model.json")])
    assert not (data / "work").exists()
