"""Fuzzes models: files of a tagger, damaged, and a text tagged with what can still be loaded.

A damaged number may give other mentions. What must hold: a model is loaded or refused in one sentence, and mentions are
at their text and have scores from 0 to 1.
"""

from __future__ import annotations

import functools
import json
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

from bioc import BioCDocument, BioCPassage

__all__ = ["models"]

TEXT = "Rats were given glucose (Glc) and Ca2+, then 2,3-dimethylbutane in water; NaCl and α-pinene \U0001f9ea."
NUMBERS = (float("nan"), float("inf"), -float("inf"), 3.4e38, -1.0)
VALUES = (None, True, -1, 0, 1, 10**12, 1e308, "", "x", [], {}, ["O"], {"0": "O"})
"""What replaces a value in a JSON file."""


def models(chance: random.Random, folder: Path, damage: Callable[[bytes, random.Random], bytes]) -> None:
    """Load a model with one damaged file, and tag a text with it."""
    from nlmchem.tagging.kernel.arithmetic import FLOAT32
    from nlmchem.tagging.models.loading import load_model
    from nlmchem.tagging.tagger import NeuralTagger

    files = dict(chance.choice((embedded, tiny))())
    name = chance.choice(sorted(files))
    files[name] = _changed(name, files[name], chance, damage)
    for other, content in files.items():
        (folder / other).write_bytes(content)
    made = BioCDocument()
    made.id = "1"
    passage = BioCPassage()
    passage.offset, passage.text = 0, TEXT
    made.add_passage(passage)
    NeuralTagger([load_model(folder, arithmetic=FLOAT32)])([made])
    _check(made)


def _check(document: BioCDocument) -> None:
    from corpora.model.document import mentions
    from corpora.model.invariant import require_invariant

    require_invariant(document)
    for mention in mentions(document):
        score = mention.evidence.score if mention.evidence is not None else None
        if score is not None and not (math.isfinite(score) and 0 <= score <= 1):
            raise AssertionError(f"{mention.text!r} has the score {score}")


def _changed(
    name: str, content: bytes, chance: random.Random, damage: Callable[[bytes, random.Random], bytes]
) -> bytes:
    """Another value in a JSON file, other numbers in a file of weights, or damage anywhere."""
    if name.endswith(".json") and chance.random() < 0.6:
        return _other_value(content, chance)
    if name.endswith(".safetensors") and chance.random() < 0.7:
        header = 8 + int(struct.unpack("<Q", content[:8])[0])
        if chance.random() < 0.5:
            return damage(content[:header], chance) + content[header:]
        place = chance.randrange(header, len(content) - 4)
        number = struct.pack("<f", chance.choice(NUMBERS))
        place -= (place - header) % 4
        return content[:place] + number * chance.choice((1, 4)) + content[place + 4 :]
    return damage(content, chance)


def _other_value(content: bytes, chance: random.Random) -> bytes:
    found = json.loads(content)
    inside = found
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        key = chance.choice(keys)
        if isinstance(inside[key], (dict, list)) and inside[key] and chance.random() < 0.7:
            inside = inside[key]
            continue
        if isinstance(inside, dict) and chance.random() < 0.2:
            del inside[key]
        else:
            inside[key] = chance.choice(VALUES)
        return json.dumps(found).encode()


@functools.cache
def embedded() -> tuple[tuple[str, bytes], ...]:
    """The files of the embedded model."""
    from nlmchem.tagging.models.folders import FOLDER

    return tuple((path.name, path.read_bytes()) for path in sorted(FOLDER.iterdir()) if path.suffix != ".md")


@functools.cache
def tiny() -> tuple[tuple[str, bytes], ...]:
    """The files of a tiny BERT with random weights, as Hugging Face stores them."""
    import torch
    from safetensors.torch import save

    size, wide = 40, 16
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789", "##a", "##e"]
    vocabulary = {word: number for number, word in enumerate(words[:size])}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"id": vocabulary[word], "content": word, "special": True, "single_word": False, "lstrip": False,
             "rstrip": False, "normalized": False}
            for word in words[:5]
        ],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocabulary},
    }  # fmt: skip
    labels = {"0": "O", "1": "B-Chemical", "2": "I-Chemical"}
    config = {
        "model_type": "bert", "architectures": ["BertForTokenClassification"], "vocab_size": size,
        "hidden_size": wide, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32,
        "max_position_embeddings": 128, "type_vocab_size": 2, "pad_token_id": 0, "id2label": labels,
        "label2id": {name: int(number) for number, name in labels.items()},
    }  # fmt: skip
    special = {"tokenizer_class": "BertTokenizerFast", "cls_token": "[CLS]", "sep_token": "[SEP]",
               "pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}  # fmt: skip
    generator = torch.Generator().manual_seed(1)
    weights = {name: torch.randn(shape, generator=generator) for name, shape in _shapes(size, wide).items()}
    files = {
        "config.json": json.dumps(config).encode(),
        "model.safetensors": save(weights, {"format": "pt"}),
        "nlmchem.json": json.dumps({"window": 64, "name": "tiny"}).encode(),
        "tokenizer.json": json.dumps(tokenizer).encode(),
        "tokenizer_config.json": json.dumps(special).encode(),
    }
    return tuple(files.items())


def _shapes(size: int, wide: int) -> dict[str, tuple[int, ...]]:
    """The weights of a BERT with one layer and a classifier of three labels."""
    layer = "bert.encoder.layer.0."
    shapes: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings.weight": (size, wide),
        "bert.embeddings.position_embeddings.weight": (128, wide),
        "bert.embeddings.token_type_embeddings.weight": (2, wide),
        "classifier.weight": (3, wide),
        "classifier.bias": (3,),
        layer + "intermediate.dense.weight": (32, wide),
        layer + "intermediate.dense.bias": (32,),
        layer + "output.dense.weight": (wide, 32),
        layer + "output.dense.bias": (wide,),
    }
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        shapes[f"{layer}attention.{part}.weight"] = (wide, wide)
        shapes[f"{layer}attention.{part}.bias"] = (wide,)
    for part in ("bert.embeddings", f"{layer}attention.output", f"{layer}output"):
        shapes[f"{part}.LayerNorm.weight"] = shapes[f"{part}.LayerNorm.bias"] = (wide,)
    return shapes
