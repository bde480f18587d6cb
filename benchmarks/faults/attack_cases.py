"""The cases of `benchmarks.faults.attacks`: command lines with the files that the user has."""

from __future__ import annotations

import gzip
import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpora.commands.command import INTERRUPTED

DEAF = "DEAF"
"""In a command: the address of a server that accepts connections and never answers."""
SNAPSHOT = "snapshot"
"""In place of a command: `out` gets a copy of hard links, whose files must stay as they are then."""
MINE = "of the user"
TEXT = "Rats were given glucose and aspirin (ASA). ASA helped; ethanol did not."
RUN = "annotate in -o out --steps abbreviate --workers 1"
ANNOTATE = "annotate in -o out --tagger lexicon --lexicon starter --steps tag,normalize --workers 1"
SEARCH = "search out glucose --lexicon starter"


@dataclass(frozen=True, slots=True)
class Attack:
    """A command in a folder with the articles `in/1.txt` to `in/3.txt`, and what must come of it.

    `item`: its number. `files`: the user's, by path. `before`: commands that run first; `then`: what the user writes
    after them; `gone`: what is removed after them, and `damaged`: files with a flipped bit in the middle. `codes`: the
    exit codes that are right. `said`: a part of the messages. `conversation`: what the user types. `locked`: a file
    that another process holds until the command has `said` so, or ends.
    """

    item: int
    command: str
    files: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    then: Mapping[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    codes: tuple[int, ...] = (2,)
    said: str = ""
    conversation: Conversation | None = None
    locked: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the user does: `lines` on standard input, `last` after some seconds, and, when the command has `said` what
    it must say, a signal or (0) the end of the input.
    """

    lines: str = ""
    seconds: float = 0
    last: str = ""
    signal: int = 0


def prepare(folder: Path, attack: Attack) -> None:
    """Write the articles and the files of the user."""
    (folder / "in").mkdir()
    for number in (1, 2, 3):
        (folder / "in" / f"{number}.txt").write_text(TEXT.replace("Rats", f"Rats {number}"))
    for path, text in attack.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, errors="surrogateescape")
    os.mkfifo(folder / "pipe")


def _outputs() -> Iterator[Attack]:
    """Items 1 and 4 to 6: outputs, folders beside outputs, single files."""
    for more in ("", " --restart", " --retry-failed", " --shard 1/2", " --shard 2/2"):
        for name in ("1.xml", "2.xml", "3.xml"):
            codes = (0, 2) if "shard" in more else (2,)
            yield Attack(1, RUN + more, {f"out/{name}": MINE}, codes=codes)
        yield Attack(1, RUN + more, {"out/quarantine/notes.txt": MINE}, said="nlmchem did not write it")
    yield Attack(1, RUN, {"out/manifest.json": MINE}, said="nlmchem did not write it")
    for more in ("", " --restart", " --retry-failed"):
        yield Attack(1, RUN + more, before=(RUN,), then={"out/1.xml": MINE, "in/1.txt": TEXT}, codes=(0, 3))
    bad = {"in/x.xml": "<document><id>x</id><passage><offset>0</offset><text>A</text></passage></document>\x0b"}
    copy = {"out/quarantine/x.xml.0/article.xml": MINE}
    for more in ("", " --restart", " --retry-failed"):
        yield Attack(1, RUN + more, bad, (RUN,), copy, codes=(0, 3))
    yield Attack(1, "replay out", bad, (RUN,), copy, codes=(0, 2, 3))
    for name in (".out.old/x", ".out.partial/x", "out.old/x", "out.part/x", ".out.tmp", "out.bak", ".out.run/x"):
        for command in (RUN, "convert in -o out --format brat", "corpora split in -o out --folds 2"):
            # A run into one folder of brat works in `.out.run`.
            yield Attack(5, command, {name: MINE}, codes=(0, 2))
    yield Attack(5, f"{RUN}.jsonl".replace("-o out --steps abbreviate --workers 1.jsonl",
                 "-o out.jsonl --steps abbreviate --workers 1"), {".out.jsonl.run/x": MINE})  # fmt: skip
    yield Attack(5, "fetch --empty", {"cache/thesis/a.part": MINE, "cache/thesis/b": "b"}, codes=(0,))
    yield Attack(5, "fetch --empty", {"cache/mine/record.json": MINE, "cache/mine/b": "b"}, codes=(0, 3))
    yield Attack(5, "fetch bc5cdr --mirror http://127.0.0.1:1", {"cache/bc5cdr/CDR_Data.zip": MINE})
    for name in (".git/x", "seed-7/x", "base-first/x", "scores.json"):
        yield Attack(
            4, "train tagger --base lexicon --corpus in -o out", {f"out/{name}": MINE, "out/scores.json": MINE}
        )
    for command in ("convert in", "view in --lexicon starter", "annotate in --steps abbreviate --workers 1"):
        for suffix in (".jsonl", ".json", ".html", ".xml", ".tsv"):
            codes = (1, 2)
            yield Attack(6, f"{command} -o mine{suffix}", {f"mine{suffix}": MINE}, codes=codes)


def _waits() -> Iterator[Attack]:
    """Item 12: what never answers."""
    for address in (DEAF, f"tcp://{DEAF}", f"tls://{DEAF}", "127.0.0.1:1", "bogus://x", "tcp://["):
        said = "no Dask scheduler answers at"
        yield Attack(12, f"annotate in -o out --steps abbreviate --dask {address}", said=said)
    for command in ("annotate in -o out --config pipe", "curate import in --selection pipe -o out",
                    "annotate pipe -o out --lexicon pipe", "evaluate spans in in --parents pipe",
                    "lexicon export -o pipe --lexicon starter", "convert in pipe --format jsonl"):  # fmt: skip
        yield Attack(12, command, codes=(1, 2, 3))
    index = "out/.nlmchem/search.sqlite"
    for command in (SEARCH, f"{SEARCH} --json", "summary out"):
        for name in (index, f"{index}.check"):
            held = Attack(12, command, before=(ANNOTATE, SEARCH), said="another process uses", locked=name)
            yield replace(held, codes=(0,), conversation=Conversation())
            for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                yield replace(held, codes=(INTERRUPTED,), conversation=Conversation(signal=ending))
    held = Attack(
        12, RUN, before=(RUN,), then={"in/4.txt": TEXT}, said="another process uses", locked="out/.nlmchem/files"
    )
    yield replace(held, codes=(0,), conversation=Conversation())
    yield replace(held, codes=(INTERRUPTED,), conversation=Conversation(signal=signal.SIGINT))


def _names() -> Iterator[Attack]:
    """Item 16: names that no output can have fail alone."""
    long = "/".join(["n" * 200] * 15)
    names = ("quarantine/a.txt", f"{'n' * 248}.txt", "a\udcffb.txt", "a\x1bb.txt", f"{long}/a.txt", ".nlmchem/a.txt")
    for name in names:
        for command in (RUN, "convert in -o out --format jsonl"):
            yield Attack(16, command, {f"in/{name}": TEXT}, codes=(0, 3))


def _words() -> Iterator[Attack]:
    """Item 17: what is not our defect is named."""
    for mirror in (
        "http://[",
        "http://",
        "'http://a b'",
        "http://h:99999999",
        "ftp://h",
        "file:///etc",
        "http://u:p@h",
    ):
        for source in ("sapbert", "bc5cdr"):
            yield Attack(17, f"fetch {source} --mirror {mirror}", said="the mirror")
    for name in ("tokenizer.json", "config.json", "model.safetensors"):
        for content in ("", "null", "[]", "[" * 50_000, '{"model": {"type": "BPE"}}'):
            files = {"model/config.json": "{}", "model/tokenizer.json": "{}", "model/model.safetensors": "x"}
            files[f"model/{name}"] = content
            yield Attack(17, "annotate in -o out --steps tag --tagger model", files, codes=(1, 2))
            yield Attack(17, "train tagger --base model --corpus in -o out", files, codes=(1, 2))
    for token in ("5", "NaN", '"\\ud800"', "null", "[]", "1e999"):
        row = f'{{"tokens": ["a", {token}], "index": {token}, "short_term": {token}, "long_term": {token}}}\n'
        samples = {"samples/samples.jsonl": row * 4, "samples/dictionary.json": "{}"}
        yield Attack(17, "train encoder samples --base model -o out", samples, codes=(1, 2, 3))
        yield Attack(17, "train senses samples -o out", samples, codes=(1, 2, 3))
        pair = dict.fromkeys(("id", "term1", "term2", "sentence1", "sentence2", "start1", "end1", "label"), 0)
        line = json.dumps(pair).replace("0", token)
        yield Attack(17, "pairs pairs.jsonl", {"pairs.jsonl": line}, codes=(1, 2, 3))
        yield Attack(17, "train pairs pairs.jsonl -o out.json", {"pairs.jsonl": line}, codes=(1, 2, 3))
    yield Attack(17, "annotate in -o out --device cuda", codes=(1, 2), said="no CUDA device found")
    for kind in ("ValueError('a\\nb')", "SystemExit(0)", "BaseException('x')", "GeneratorExit()", "RecursionError()"):
        item = 10 if "Exit" in kind or "Base" in kind else 17
        for command in ("stranger now", "stranger later"):
            yield Attack(item, command, _plugin(kind), codes=(2,), said="the package stranger raised")
    yield Attack(17, "stranger none", _plugin("ValueError()"), said="the package stranger cannot be used")


def _plugin(error: str) -> dict[str, str]:
    """A package with three commands: one raises an error, one when its result is printed, one returns nothing."""
    code = f"""
from dataclasses import dataclass
from corpora.commands.command import Command
from corpora.commands.command import Result

@dataclass(frozen=True)
class Options:
    pass

def fail(*given):
    "Fail."
    raise {error}

def later(options, progress):
    "Fail later."
    return Result(lines=map(fail, "x"))

def none(options, progress):
    "Return nothing."

NOW, LATER, NONE = (
    Command(f"stranger {{name}}", Options, function, "nlmchem stranger now")
    for name, function in (("now", fail), ("later", later), ("none", none))
)
"""
    entries = "".join(f"stranger.{name} = stranger:{name.upper()}\n" for name in ("now", "later", "none"))
    return {
        "plugins/stranger.py": code,
        "plugins/stranger-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n",
        "plugins/stranger-1.0.dist-info/entry_points.txt": f"[nlmchem.commands]\n{entries}",
    }


def _lengths() -> Iterator[Attack]:
    """Item 18: one control character, half of a character, and values of a megabyte."""
    for identifier in ("MESH:D0\x1b", "a\x00b", "\u202e", "\ud800", "x" * 1_000_000):
        for command in (
            "convert in -o out --format biocxml", "convert in -o out --format pubtator", "corpora stats in",
            "index list in", "evaluate identifiers in in --samples 5", "verify in --lexicon starter --fix out.xml",
            "align in --mentions rows.jsonl -o out.xml", "lexicon migrate in --to 2026 -o out",
            "search in glucose --lexicon starter", "summary in -o out.html",
            "curate select in --random -o out --route out.jsonl",
        ):  # fmt: skip
            yield Attack(18, command, _annotated(identifier), codes=(0, 1, 2, 3))


def _beside() -> Iterator[Attack]:
    """Item 6: files that a command writes besides its output."""
    for command in (
        "align in/x.json --mentions rows.jsonl -o out.xml --fates",
        "verify in/x.json --lexicon starter -o out.xml --page",
        "curate select in/x.json --random -o out.xml --route",
    ):
        for place in ("mine", "in/x.json", "./out.xml", "out.xml/below", "in", "-", "pipe", "mine/below", "rows.jsonl"):
            for more in ("", " --overwrite") if place == "in/x.json" and not command.startswith("curate") else ("",):
                yield Attack(6, f"{command} {place}{more}", {"mine": MINE, **_annotated("MESH:D005947")})


def _parts() -> Iterator[Attack]:
    """Item 1: numbered parts, outputs that are removed, indexes of runs, and migrations."""
    run = f"{RUN} --format jsonl --per-file 1"
    for more in ("", " --restart", " --retry-failed", " --prune"):
        for name in ("part-00002.jsonl", "part-00099.jsonl", "part-00001.jsonl/x"):
            yield Attack(1, run + more, {f"out/{name}": MINE})
        changed = {"out/part-00001.jsonl": MINE}
        yield Attack(1, run + more, before=(run,), then=changed, said="or was changed since; move it away")
        yield Attack(1, run + more, before=(run,), then={**changed, "in/0.txt": TEXT})
        yield Attack(1, run + more, before=(run,), codes=(0,))
    for name in ("x", "1.json", "migration.tsv"):
        yield Attack(1, "lexicon migrate in --to 2026 -o out", {f"out/{name}": MINE})
        migrate = "lexicon migrate in/x.json --to 2026 -o out"
        yield Attack(1, migrate, _annotated("MESH:D005947"), (migrate,), {f"out/{name}": MINE})
    yield Attack(1, "lexicon migrate in --to 2026 -o out", {"in/migration.tsv": "MESH:D005947"}, codes=(3,))
    for content in (MINE, "\0" * 8192):
        files = {"in/.nlmchem/search.sqlite": content, **_annotated("MESH:D005947")}
        yield Attack(5, "search in glucose --lexicon starter", files, said="is not an index of nlmchem; move it away")
    yield Attack(6, "verify in -o in/out.xml --lexicon starter", before=("verify in -o in/out.xml --lexicon starter",),
                 files=_annotated("MESH:D005947"), said="a folder of the inputs")  # fmt: skip


def _state() -> Iterator[Attack]:
    """Item 19: what a command finds of earlier ones is missing or damaged."""
    for more in ("", " --format jsonl --per-file 2"):
        run = RUN.replace("annotate in", "annotate in more") + more
        for files in ({"more/a.txt": TEXT}, {"more/a.txt": TEXT, "in/below/a.txt": TEXT}):
            yield Attack(19, f"{run} --prune", files, (run,), gone=tuple(files), said="has no file now")
            yield Attack(19, f"{run} --prune --prune-empty", files, (run,), gone=tuple(files), codes=(0,))
            yield Attack(19, run, files, (run,), gone=("more/a.txt",), codes=(0,), said="has no file that is read")
    run = f"{RUN} --format jsonl --per-file 2"
    for then in ({}, {"in/0.txt": TEXT}):
        yield Attack(19, run, before=(run,), then=then, damaged=("out/part-00001.jsonl",), said="or was changed since")
        store = "out/.nlmchem/parts/articles/00001.articles"
        codes, said = ((1,), "is damaged or shorter") if then else ((0,), "")
        yield Attack(19, run, before=(run,), then=then, damaged=(store,), codes=codes, said=said)
        yield Attack(19, run, before=(run,), then=then, gone=(store,), codes=(0,))
        yield Attack(19, run, before=(run,), then=then, damaged=("out/.nlmchem/ledger.sqlite",), codes=(0, 1, 2))
    index = "out/.nlmchem/search.sqlite"
    for command in (SEARCH, f"{SEARCH} --json", "summary out", "summary out --json"):
        for name in (index, f"{index}.check", "out/.nlmchem/facts.sqlite"):
            # Of a line of text, a flipped bit can leave a line of the same form.
            codes = (0, 2) if name.endswith("check") else (0,)
            yield Attack(19, command, before=(ANNOTATE, SEARCH), damaged=(name,), codes=codes)
            yield Attack(19, command, before=(ANNOTATE, SEARCH), gone=(name,), codes=(0,))
        yield Attack(19, command, before=(ANNOTATE,), damaged=("out/.nlmchem/facts.sqlite",), codes=(0,))


def _snapshots() -> Iterator[Attack]:
    """Item 19: a run and its copy of hard links each keep their own state."""
    for more in ("", " --format jsonl --per-file 2"):
        two = RUN.replace("in ", "in/1.txt in/2.txt ", 1) + more
        three = RUN.replace("in ", "in/1.txt in/2.txt in/3.txt ", 1) + more
        copy = three.replace("-o out", f"-o {SNAPSHOT}")
        for first, second in ((three, copy), (copy, three)):
            # What one of them did is not done in the other.
            said = "done 1 + failed 0 + skipped 2"
            yield Attack(19, second, before=(two, SNAPSHOT, first), codes=(0,), said=said)
        for command in (two, copy):
            for changed in (" --restart", " --prune", " --retry-failed", " --prune --restart"):
                yield Attack(19, command + changed, before=(three, SNAPSHOT), codes=(0,))
            yield Attack(19, command, before=(three, SNAPSHOT), damaged=("in/1.txt",), codes=(0,), said="1 replaced")
    bad = {"in/x.xml": "<document><id>x</id><passage><offset>0</offset><text>A</text></passage></document>\x0b"}
    for command in (f"{RUN} --retry-failed", "replay out", f"{RUN} --restart", RUN):
        for cured in ({}, {"in/x.xml": bad["in/x.xml"][:-1]}):
            files = {} if cured else bad
            yield Attack(19, command, files, (RUN, SNAPSHOT), cured, codes=(0, 2, 3))
    for more in ("", " --format jsonl --per-file 2"):
        for command, said in ((SEARCH, "of 4 articles"), (f"{SEARCH} --json", ""), ("summary out", "4 articles")):
            before = (ANNOTATE + more, SEARCH, SNAPSHOT, ANNOTATE.replace("in ", "in more ", 1) + more)
            yield Attack(19, command, {"more/4.txt": TEXT}, before, codes=(0,), said=said)
            command, said = command.replace("out", SNAPSHOT), said.replace("4", "3")
            yield Attack(19, command, {"more/4.txt": TEXT}, before, codes=(0,), said=said)
    for command in (
        "convert in -o out --format brat", "convert in -o out --format biocjson", "corpora split in -o out --folds 2",
        "lexicon migrate in --to 2026 -o out", "curate select in --random -o out",
    ):  # fmt: skip
        for more in ("", " --restart") if command.startswith("convert") else ("",):
            yield Attack(19, command + more, before=(command, SNAPSHOT), damaged=("in/1.txt",), codes=(0, 2, 3))


def _rows() -> Iterator[Attack]:
    """Item 17: lists of mentions, of passages and of names."""
    values = (
        "1" + "0" * 400, "NaN", "1e999", "-3", "1.5", "true", "null", "[]", "{}", "[" * 300 + "]" * 300, '"\\ud800"',
        '"a\\u0000"', '"\\u001b[2J"', '"0x10"', '["MESH:D001241", {"id": 1}]', "9" * 5000, f'"{"a" * 300_000}"',
    )  # fmt: skip
    for value in values:
        for key in ("document", "text", "start", "identifier", "score", "run", "passage", "mentions"):
            row = f'{{"document": "x", "text": "glucose", "{key}": {value}}}\n'
            files = {**_annotated("MESH:D005947"), "rows.jsonl": row, "route.jsonl": row}
            more = " --route route.jsonl" if key == "passage" else ""
            yield Attack(17, f"align in/x.json --mentions rows.jsonl -o out.xml{more}", files, codes=(0, 2, 3))
    for text in ("", "\0\tLAB:1", "a\tLAB:\x1b", "a" * 300 + "\tLAB:1", '"a\tLAB:1', "\udcff\tLAB:1", "((.*\tLAB:1",
                 f"a\tLAB:{'x' * 1_000_000}", "a\t-\na\tLAB:1", "a\u202e\tLAB:1\tx\x0b"):  # fmt: skip
        for command in ("lexicon lookup a", "annotate in -o out --steps tag,normalize --tagger lexicon --workers 1"):
            names = {"names.tsv": f"{text}\n"}
            yield Attack(17, f"{command} --lexicon starter --names names.tsv", names, codes=(0, 1, 2, 3))


def _annotated(identifier: str) -> dict[str, str]:
    """An article with a mention, and a list of mentions for it."""
    mention = {"id": "1", "infons": {"type": "Chemical", "identifier": identifier}, "text": "Rats",
               "locations": [{"offset": 0, "length": 4}]}  # fmt: skip
    passage = {"offset": 0, "infons": {}, "text": TEXT, "annotations": [mention]}
    article = {"id": "x" if identifier.startswith("MESH:D00") else identifier[:10_000], "passages": [passage]}
    rows = '{"text": "glucose", "identifier": "MESH:D005947"}\n'
    return {"in/x.json": json.dumps({"documents": [article]}), "rows.jsonl": rows}


def _absent() -> Iterator[Attack]:
    """Item 21: absence is no answer, and a licence is not what a sentence denies."""
    mentions = [{"text": "Rats", "start": 0, "end": 4}]
    asked = [json.dumps({"document": str(n), "passage": 0, "text": TEXT, "mentions": mentions}) for n in range(1, 15)]
    for answers, code in ((asked, 3), (asked[:1], 3), ([asked[0].replace(json.dumps(mentions), "null")], 3)):
        files = {"in/x.json": _articles(14), "route.jsonl": "\n".join(asked), "rows.jsonl": "\n".join(answers)}
        said = "" if answers is asked else "passages that were asked for have no answer"
        align = "align in/x.json --mentions rows.jsonl --route route.jsonl -o out.xml"
        yield Attack(21, align, files, codes=(code,) if said else (0,), said=said)
    replace = "align in/x.json --mentions rows.jsonl --existing replace -o out.xml"
    row = '{"document": "1", "text": "glucose"}'
    yield Attack(21, replace, {"in/x.json": _articles(3), "rows.jsonl": row}, codes=(3,), said="without a row: 2, 3")
    for licence in (
        "Figure 2 is CC BY 4.0, all other rights reserved.", "This is not distributed under the CC BY licence.",
        "No Creative Commons licence applies (CC BY is not granted).", "Only the abstract is under CC BY.",
    ):  # fmt: skip
        runs = {f"{name}/x.json": _articles(3, licence) for name in "ab"}
        yield Attack(21, "silver vote a b -o silver --licence 'CC BY'", runs, codes=(2,), said="licence")


def _growing() -> Iterator[Attack]:
    """Items 22 to 24: work grows with its input and can be stopped, and a model that cannot be used."""
    long = json.dumps({"documents": [{"id": "x", "passages": [{"offset": 0, "infons": {}, "text": "zinc " * 20_000}]}]})
    for row in ({"text": "zinc"}, {"text": "zinc", "quote": "zinc " * 2000}, {"text": "ZINC", "quote": "Zinc " * 2000}):
        files = {"in/x.json": long, "rows.jsonl": f"{json.dumps(row)}\n" * 500}
        yield Attack(22, "align in/x.json --mentions rows.jsonl -o out.xml", files, codes=(0,))
    mentions = [("zinc " * number).strip() for number in range(1, 200)]
    endless = _call(2, "verify_mentions", text="zinc " * 39_000, mentions=mentions)
    after = _call(3, "define", identifier="D999999999")
    cancel = '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}\n'
    for ending in (0, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        codes = (INTERRUPTED,) if ending else (0,)
        for lines in ("", _HELLO, _HELLO + endless):
            talk = Conversation(lines, 8, signal=ending)
            yield Attack(23, "mcp in --tagger lexicon", codes=codes, conversation=talk)
        talk = Conversation(_HELLO + endless, 8, cancel + after, ending)
        yield Attack(23, "mcp in --tagger lexicon", codes=codes, said="D999999999", conversation=talk)
    for line, said in (("no JSON\n", "-32700"), ("[]\n", "-32600"), (endless, "took longer than 1 seconds")):
        talk = Conversation(_HELLO + line)
        yield Attack(23, "mcp in --tagger lexicon --timeout 1", codes=(0,), said=said, conversation=talk)
    packed = gzip.compress(b"zinc " * 5_000_000, mtime=0)
    for name, content, said in (("x.txt.gz", packed, "more than 20 MB"), ("x.json", rb'{"documents": [', "x.json")):
        files = {f"in/{name}": content.decode(errors="surrogateescape")}
        talk = Conversation(_HELLO + _call(2, "annotate_text", path=name))
        yield Attack(23, "mcp in --tagger lexicon", files, codes=(0,), said=said, conversation=talk)
    special = {"special": {"first": 0, "separator": 1, "padding": 2}}
    tokenizer = {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "BertPreTokenizer"}, "model": {
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
        "vocab": {"[CLS]": 0, "[SEP]": 1, "[PAD]": 2, "zinc": 3}}}  # fmt: skip
    config = {"model_type": "bert", "vocab_size": 4, "id2label": {"0": "O", "1": "B-Chemical", "2": "I-Chemical"}}
    files = {"model/config.json": json.dumps(config), "model/nlmchem.json": json.dumps(special),
             "model/tokenizer.json": json.dumps(tokenizer), "model/model.int8.safetensors": "x"}  # fmt: skip
    said = "its unknown piece is missing"
    yield Attack(24, "annotate in -o out --steps tag --tagger model --workers 1", files, codes=(1, 2), said=said)


_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "attack", "version": "1"}}
_HELLO = (
    json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT})
    + '\n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)


def _call(number: int, tool: str, **arguments: object) -> str:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}) + "\n"


def _articles(number: int, licence: str = "") -> str:
    """Articles with a mention each."""
    mention = {"id": "1", "infons": {"type": "Chemical"}, "text": "Rats", "locations": [{"offset": 0, "length": 4}]}
    infons = {"license": licence} if licence else {}
    passage = {"offset": 0, "infons": infons, "text": TEXT, "annotations": [mention]}
    return json.dumps({"documents": [{"id": str(at), "passages": [passage]} for at in range(1, number + 1)]})


ATTACKS = (
    *_absent(), *_growing(), *_outputs(), *_parts(), *_state(), *_snapshots(), *_beside(), *_waits(), *_names(),
    *_words(), *_rows(), *_lengths(),
)  # fmt: skip
