"""The command that trains the embedded model of keyphrases, on a few short articles."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
from pathlib import Path

import pytest

from benchmarks.retrain import keyphrases
from nlmchem.companions.keyphrases import frequencies
from nlmchem.companions.keyphrases.model import read

ARTICLE = """<article><front><article-meta><article-id pub-id-type="pmc">{0}</article-id><title-group>
<article-title>{1} in wine</article-title></title-group><abstract><p>We study {1}. Water has {1}.</p></abstract>
<kwd-group><kwd>{1}</kwd></kwd-group></article-meta></front></article>"""
TOPICS = ("dopamine release", "estradiol decay")


def archive(path: Path, names: list[str]) -> None:
    with tarfile.open(path, "w:gz") as made:
        for number, name in enumerate(names):
            content = ARTICLE.format(name.removeprefix("PMC").partition(".")[0], TOPICS[number % 2]).encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with small files under the names of the real inputs."""
    for folder in ("indexing", "pmc", "text"):
        (tmp_path / folder).mkdir()
    archive(tmp_path / keyphrases.LABELLED[0], [f"PMC{number}.xml" for number in range(12)])
    archive(tmp_path / keyphrases.LABELLED[1], ["PMC11.nxml", "PMC20.nxml", "PMC21.nxml"])
    rows = ["file\tlicence", "PMC11.nxml\tcc0", "PMC20.nxml\tcc-by-4.0", "PMC21.nxml\tcc-by?"]
    (tmp_path / keyphrases.LICENCES).write_bytes(gzip.compress("\n".join(rows).encode()))
    for name in keyphrases.TEXTS:
        lines = [json.dumps({"id": name, "text": "Wine\nDopamine release in water."})] * 2
        (tmp_path / name).write_bytes(lzma.compress("\n".join(lines).encode()))
    return tmp_path


def test_articles_with_a_certain_licence_are_used_once(data: Path) -> None:
    assert [article.key for article in keyphrases.labelled(data)] == sorted([*map(str, range(12)), "20"])


def test_training_writes_model_and_table(data: Path) -> None:
    arguments = ["--data", str(data), "-o", str(data), "--inputs", str(data / "inputs.json")]
    hashes = keyphrases.main([*arguments, "--record"])
    keyphrases.main(arguments)
    model, table = read(data / "default.json"), frequencies.read(data / "frequencies.safetensors")
    assert (table.articles, model.card["articles"]) == (8, 13)
    assert "CC BY" in table.notes["licence"]
    assert model.card["inputs"] == hashes
    (data / keyphrases.TEXTS[0]).write_bytes(b"other")
    with pytest.raises(SystemExit, match="differ from those recorded"):
        keyphrases.main(arguments)
