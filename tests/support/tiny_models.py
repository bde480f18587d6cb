"""Tiny random models of every architecture, and tiny articles to train them on. A conftest imports the fixtures."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument, BioCPassage
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from unigram_tokenizer import unigram_tokenizer

from corpora.model.document import add_mention, fresh_ids
from corpora.storage.atomic import sha256_of
from nlmchem.tagging.models.folders import FILE, quiet_transformers
from nlmchem.tagging.models.weights import EARLY_EXIT_FILE, INNER, PROBE, read_quantised

quiet_transformers()
torch.set_num_threads(1)

import transformers  # noqa: E402

__all__ = ["articles", "make_article", "make_model", "one_thread", "write_early_exit"]

CHEMICALS = ("glucose", "ethanol", "Ca2+", "NaCl", "dopamine", "β-carotene", "2,4-dinitrophenol", "aspirin")
SENTENCES = (
    "Mice were given {} for two days.",
    "The level of {} rose, whereas {} fell (p < 0.05).",
    "We measured {}-induced currents in neurons of the rat.",
    "No effect of treatment was seen in the second group.",
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Tests of other files set another number of threads."""
    torch.set_num_threads(1)


def make_article(number: int, passages: int = 3) -> BioCDocument:
    """An article in which every chemical is marked."""
    generator = random.Random(number)
    document = BioCDocument()
    document.id = str(1000 + number)
    ids = fresh_ids(document, "T")
    offset = 0
    for _ in range(passages):
        passage = BioCPassage()
        passage.offset = offset
        text, spans = "", []
        for template in generator.choices(SENTENCES, k=4):
            for piece in template.replace("{}", "\0").split("\0")[:-1]:
                name = generator.choice(CHEMICALS)
                text += piece
                spans.append((len(text), len(text) + len(name)))
                text += name
            text += template.split("{}")[-1] + " "
        passage.text = text.strip()
        for start, end in spans:
            add_mention(passage, [(offset + start, offset + end)], id=next(ids), annotator="gold")
        document.add_passage(passage)
        offset += len(passage.text) + 1
    return document


@pytest.fixture
def articles() -> list[BioCDocument]:
    return [make_article(number) for number in range(6)]


@pytest.fixture(scope="session")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a random tiny model: `make_model("bert", labels=["O", "B-Chemical", "I-Chemical"])` returns its folder."""

    def make(
        architecture: str,
        labels: Sequence[str] | None = ("O", "B-Chemical", "I-Chemical"),
        window: int = 64,
        seed: int = 0,
    ) -> Path:
        folder = tmp_path_factory.mktemp(architecture)
        tokenizer = _tokenizer(architecture)
        tokenizer.save_pretrained(folder)
        torch.manual_seed(seed)
        config = _config(architecture, len(tokenizer), tokenizer.pad_token_id)
        if labels is None:
            model = transformers.AutoModel.from_config(config)
        else:
            config.id2label = dict(enumerate(labels))
            config.label2id = {name: number for number, name in enumerate(labels)}
            config.num_labels = len(labels)
            model = transformers.AutoModelForTokenClassification.from_config(config)
            with torch.no_grad():
                # With the small initial weights every piece would get the same label.
                for name, weight in model.named_parameters():
                    if weight.dim() > 1:
                        weight.mul_(8 if "classifier" in name else 3)
        model.save_pretrained(folder)
        (folder / "nlmchem.json").write_text(json.dumps({"window": window, "name": f"tiny-{architecture}"}))
        return folder

    return make


def _config(architecture: str, size: int, padding: int) -> transformers.PretrainedConfig:
    small = {
        "vocab_size": size,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 130 if architecture == "roberta" else 128,
        "pad_token_id": padding,
    }
    if architecture.startswith("deberta"):
        small |= {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0}
    if architecture == "electra":
        small |= {"embedding_size": 16}
    return transformers.AutoConfig.for_model(architecture, **small)


def _tokenizer(architecture: str) -> transformers.PreTrainedTokenizerFast:
    lines = [template.replace("{}", name) for template in SENTENCES for name in CHEMICALS] + [
        "".join(map(chr, range(33, 127)))
    ]
    if architecture in ("bert", "electra"):
        normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
        words = {word for line in lines for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(line))}
        # A trainer would give another vocabulary in each process.
        letters = {mark + letter for word in words for letter in word for mark in ("", "##")}
        vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(words | letters)]
        own = Tokenizer(models.WordPiece({one: at for at, one in enumerate(vocabulary)}, unk_token="[UNK]"))
        own.normalizer = normalizer
        own.pre_tokenizer = splitter
        own.decoder = decoders.WordPiece()
        own.add_special_tokens(vocabulary[:5])
        # As in many real models, tokenizer.json truncates and pads.
        own.enable_truncation(16)
        own.enable_padding(length=16)
        names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    elif architecture in ("roberta", "deberta"):
        own = Tokenizer(models.BPE())
        own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        own.post_processor = processors.ByteLevel(trim_offsets=True)
        own.train_from_iterator(
            lines,
            trainers.BpeTrainer(
                vocab_size=400,
                special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
                initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            ),
        )
        names = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    else:
        own = unigram_tokenizer(lines, ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], "[UNK]")
        names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=own, **names)


def write_early_exit(folder: Path, margin: float, seed: int = 0) -> None:
    """Give a model with stored int8 weights a random probe after its first layer."""
    labels, width = read_quantised(folder)["classifier.weight"].shape
    chance = np.random.default_rng(seed)
    probe = {
        f"{part}.{kind}": chance.standard_normal(shape)
        for part, outputs, inputs in ((INNER, 8, width), (PROBE, labels, 8))
        for kind, shape in (("weight", (outputs, inputs)), ("bias", (outputs,)))
    }
    weights = {name: array.astype(np.float32) for name, array in probe.items()}
    facts = {"layers": "1", "margin": str(margin), "model": sha256_of(folder / FILE)}
    save_file(weights, folder / EARLY_EXIT_FILE, facts)
