"""Packs everything that a machine without network and data needs for training into one folder under 64 MiB.

    python benchmarks/train_default/pack.py --data ../shared/data --base BASE --out packed --mib 58

`packed/` gets the corpora as BioC JSON lines, as much text as fits, the base model, pure-Python packages (`site/`) and
`manifest.json`. Never commit it; add it to `.git/info/exclude`. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import lzma
import shutil
from pathlib import Path

from sources import CORPUS_FILE, GOLD, NOT_TRAINED_ON, OUTSIDE, TEXT_FILE, articles_of_text, corpus, leaked

import corpora
from nlmchem.tagging.models.quantization import write_quantised

SITE = ("bioc", "intervaltree", "jsonlines", "sortedcontainers", "docopt", "attr", "attrs")
MIB = 1 << 20
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 64 * MIB}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, help="a folder with the model to start from")
    parser.add_argument("--base-as", choices=("int8", "float16"), default="int8", help="how its weights are stored")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mib", type=float, default=58, help="maximum size of the folder")
    parser.add_argument("--text-mib", type=float, help="maximum size of the text (default: the remaining space)")
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    gold = []
    for name in (*GOLD, *OUTSIDE, NOT_TRAINED_ON):
        documents = corpus(given.data, name).documents
        gold += documents if name in (*GOLD, NOT_TRAINED_ON) else ()
        plain = given.out / "corpus.jsonl"
        corpora.write(documents, plain, "jsonl")
        (given.out / CORPUS_FILE.format(name)).write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))
        plain.unlink()
    if given.base is not None:
        copy_model(given.base, given.out / "base", given.base_as == "int8")
    copy_packages(given.out / "site")
    left_out = leaked(given.data, gold)
    room = given.mib * MIB - size(given.out)
    if given.text_mib is not None:
        room = min(room, given.text_mib * MIB)
    articles = pack_text(given.data, given.out / TEXT_FILE, int(room), set(left_out))
    summary = {"articles": articles, "left_out": left_out, "bytes": size(given.out)}
    (given.out / "manifest.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(json.dumps({**summary, "left_out": len(left_out)}))


def copy_model(base: Path, out: Path, small: bool) -> None:
    """Copy the model with its weights in fewer bits. Training only starts from these weights."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(base, out, ignore=shutil.ignore_patterns("*.safetensors"))
    weights = load_file(base / "model.safetensors")
    if small:
        write_quantised(weights, out)
    else:
        halves = {name: tensor.half() for name, tensor in weights.items()}
        save_file(halves, out / "model.safetensors", {"format": "pt"})


def copy_packages(site: Path) -> None:
    """Copy the installed pure-Python packages."""
    site.mkdir()
    for name in SITE:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            continue
        origin = Path(found.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, site / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        else:
            shutil.copyfile(origin, site / origin.name)


def pack_text(data: Path, out: Path, room: int, left_out: set[str]) -> int:
    """Write as many articles as fit into `room` bytes and return their number. The compressed size is estimated."""
    packer = lzma.LZMACompressor(format=lzma.FORMAT_XZ, filters=FILTERS)
    count = written = 0
    with out.open("wb") as stream:
        for article in articles_of_text(data):
            if article["id"] in left_out:
                continue
            line = json.dumps({"id": article["id"], "text": article["text"]}, ensure_ascii=False) + "\n"
            written += stream.write(packer.compress(line.encode()))
            count += 1
            # The compressor keeps up to one block of text until it is flushed.
            if written > room - 2 * MIB:
                break
        stream.write(packer.flush())
    return count


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
