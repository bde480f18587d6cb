"""The tools for agents, and the server that offers them, driven by the client of the SDK."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.companions.annotators.serving import CallProcess, answered
from nlmchem.companions.annotators.toolbox import MAX_FILE, MAX_ITEMS, MAX_TEXT, Toolbox


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    folder = tmp_path_factory.mktemp("articles")
    (folder / "a.txt").write_text("Aspirin was given.", "utf-8")
    (folder / "outside").symlink_to("/etc")
    return Toolbox(folder, tagger="lexicon")


def test_a_text_and_a_file_are_annotated(toolbox: Toolbox) -> None:
    for answer in (toolbox.annotate_text("Aspirin was given."), toolbox.annotate_text(path="a.txt")):
        [mention] = answer["mentions"]
        assert (mention["start"], mention["end"], mention["identifier"]) == (0, 7, "MESH:D001241")


def test_names_concepts_reasons_and_abbreviations(toolbox: Toolbox) -> None:
    assert toolbox.lookup("Ca2+")["concepts"][0]["identifier"] == "MESH:D002118"
    assert toolbox.define("D002118")["name"] == "Calcium"
    assert toolbox.explain("Aspirin was given.", "aspirin")["texts"][0]["is_mention"]
    assert toolbox.find_abbreviations("Nitric oxide (NO) rose.")["abbreviations"][0]["long_form"] == "Nitric oxide"


def test_mentions_of_a_model_are_verified(toolbox: Toolbox) -> None:
    given = [
        {"text": "aspirin", "identifier": "MESH:D001241"},
        {"text": "zinc", "identifier": "D009569"},
        "unobtainium",
    ]
    answer = toolbox.verify_mentions("Aspirin and zinc.", given)
    assert [(row["text"], row["finding"], row["suggested"]) for row in answer["mentions"]] == [
        ("Aspirin", "confirmed", ""),
        ("zinc", "name of another concept", "MESH:D015032"),
    ]
    assert answer["not_placed"] == [{"text": "unobtainium", "fate": "not in the text", "remark": ""}]


@pytest.mark.parametrize("path", ["../a.txt", "/etc/passwd", "outside/passwd", "none.txt", "."])
def test_no_file_outside_of_the_folder_is_read(toolbox: Toolbox, path: str) -> None:
    with pytest.raises(ConfigurationError, match="folder that the server may read"):
        toolbox.annotate_text(path=path)


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "loop"])
def test_what_is_no_name_of_a_file_is_one_sentence(toolbox: Toolbox, path: str) -> None:
    assert toolbox.folder is not None
    (toolbox.folder / "loop").unlink(missing_ok=True)
    (toolbox.folder / "loop").symlink_to("loop")
    with pytest.raises(ConfigurationError, match="is not the name of a file; correct it"):
        toolbox.annotate_text(path=path)


def test_without_a_folder_no_file_is_read() -> None:
    with pytest.raises(ConfigurationError, match="started without a folder"):
        Toolbox().find_abbreviations(path="a.txt")


def test_inputs_and_answers_are_bounded(toolbox: Toolbox) -> None:
    with pytest.raises(ConfigurationError, match=f"and {MAX_TEXT} are read"):
        toolbox.annotate_text("a" * (MAX_TEXT + 1))
    with pytest.raises(ConfigurationError, match="either a text or a path"):
        toolbox.annotate_text()
    answer = toolbox.annotate_text("Aspirin. " * (MAX_ITEMS + 3))
    assert (len(answer["mentions"]), answer["total"], answer["left_out"]) == (MAX_ITEMS, MAX_ITEMS + 3, 3)


def talk(folder: Path, conversation: Callable[[Any], Awaitable[None]]) -> None:
    anyio = pytest.importorskip("anyio", reason="needs the extra mcp")
    pytest.importorskip("mcp", reason="needs the extra mcp")
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "nlmchem", "mcp", str(folder), "--tagger", "lexicon"],
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[4])},
    )

    async def whole() -> None:
        with anyio.fail_after(120):
            async with stdio_client(server) as streams, ClientSession(*streams) as session:
                await session.initialize()
                await conversation(session)

    anyio.run(whole)


@pytest.mark.slow
def test_a_client_calls_every_tool(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Aspirin was given.", "utf-8")
    calls: dict[str, dict[str, object]] = {
        "annotate_text": {"path": "a.txt"},
        "lookup": {"name": "Ca2+"},
        "define": {"identifier": "D002118"},
        "explain": {"text": "Aspirin was given."},
        "verify_mentions": {"text": "Aspirin was given.", "mentions": ["aspirin"]},
        "find_abbreviations": {"text": "Nitric oxide (NO) rose."},
    }

    async def conversation(session: Any) -> None:
        tools = await session.list_tools()
        assert {tool.name for tool in tools.tools} == set(calls)
        assert all(tool.description for tool in tools.tools)
        for name, arguments in calls.items():
            answer = await session.call_tool(name, arguments)
            assert not answer.is_error, name
            assert json.loads(answer.content[0].text)
        refused = await session.call_tool("annotate_text", {"path": "/etc/passwd"})
        assert refused.is_error
        assert "is not in the folder that the server may read" in refused.content[0].text
        # Wrong arguments do not end the server.
        for arguments, what in (({"name": 5}, "name: Input should be a valid string"), ({}, "name: it is missing")):
            wrong = await session.call_tool("lookup", arguments)
            assert wrong.is_error
            sentence = f"the arguments of lookup are wrong ({what}); its description lists them"
            assert wrong.content[0].text == sentence
        assert (await session.call_tool("define", {"identifier": "D999999999"})).is_error
        assert not (await session.call_tool("lookup", {"name": "zinc"})).is_error

    talk(tmp_path, conversation)


def _as_in_a_terminal() -> None:
    # Processes that a shell starts in the background ignore SIGINT, those of `nohup` SIGHUP, and so do their children.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Connection:
    """A server, and messages as lines: what the client of the SDK cannot send."""

    def __init__(self, folder: Path, *more: str) -> None:
        pytest.importorskip("mcp", reason="needs the extra mcp")
        line = [sys.executable, "-m", "nlmchem", "mcp", str(folder), "--tagger", "lexicon", *more]
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=_as_in_a_terminal
        )
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.ask("initialize", client)
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, object] | bytes) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, params: object) -> Any:
        self.send({"id": 1, "method": method, "params": params})
        return self.answer()

    def call(self, tool: str, **arguments: object) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def call_without_end(self) -> None:
        """A call within the limits of inputs that takes minutes."""
        mentions = [("zinc " * number).strip() for number in range(1, MAX_ITEMS)]
        arguments = {"text": "zinc " * (MAX_TEXT // 5), "mentions": mentions}
        self.send({"id": 2, "method": "tools/call", "params": {"name": "verify_mentions", "arguments": arguments}})
        time.sleep(2)


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[..., Connection]]:
    connections: list[Connection] = []

    def connected(*more: str) -> Connection:
        connections.append(Connection(tmp_path, *more))
        return connections[-1]

    yield connected
    for connection in connections:
        connection.process.kill()
        connection.process.wait()


QUICK = 30
"""Seconds for what takes less than one on a machine without other work. The call would take minutes."""


@pytest.mark.slow
@pytest.mark.parametrize("busy", [False, True])
def test_the_server_ends_with_its_input(connect: Callable[..., Connection], busy: bool) -> None:
    connection = connect()
    if busy:
        connection.call_without_end()
    assert connection.process.stdin is not None
    connection.process.stdin.close()
    assert connection.process.wait(QUICK) == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_server_ends_at_the_first_signal(connect: Callable[..., Connection], number: signal.Signals) -> None:
    connection = connect()
    connection.call_without_end()
    connection.process.send_signal(number)
    assert connection.process.wait(QUICK) == 130


@pytest.mark.slow
def test_a_cancelled_call_ends_and_the_next_one_is_answered(connect: Callable[..., Connection]) -> None:
    connection = connect()
    connection.call_without_end()
    connection.send({"method": "notifications/cancelled", "params": {"requestId": 2}})
    begun = time.monotonic()
    assert connection.call("lookup", name="zinc")["structuredContent"]["concepts"]
    assert time.monotonic() - begun < QUICK


@pytest.mark.slow
def test_a_process_that_ended_between_two_calls_is_replaced(tmp_path: Path) -> None:
    anyio = pytest.importorskip("anyio", reason="needs the extra mcp")
    pytest.importorskip("mcp", reason="needs the extra mcp")

    async def conversation() -> None:
        calls = CallProcess(Toolbox(tagger="lexicon"), QUICK)
        for _ in range(2):
            assert (await calls.call("define", {"identifier": "D015032"}))["name"] == "Zinc"
            calls.kill()
            await anyio.sleep(1)
        await calls.end()

    anyio.run(conversation)


@pytest.mark.slow
def test_a_call_has_a_time_limit(connect: Callable[..., Connection]) -> None:
    connection = connect("--timeout", "1")
    connection.call_without_end()
    assert "took longer than 1 seconds and was stopped" in connection.answer()["result"]["content"][0]["text"]


@pytest.mark.slow
def test_a_line_that_is_no_message_is_answered(connect: Callable[..., Connection]) -> None:
    connection = connect()
    for line, code in (
        (b"no JSON", -32700),
        (b'{"not": "a request"}', -32600),
        (b"[]", -32600),
        (b'"\\ud800"', -32700),
    ):
        connection.send(line)
        answer = connection.answer()
        assert (answer["id"], answer["error"]["code"]) == (None, code)
    connection.send(b"")
    assert connection.call("define", identifier="D015032")["structuredContent"]["name"] == "Zinc"


def test_a_lone_surrogate_is_an_unknown_character_of_an_answer(toolbox: Toolbox) -> None:
    assert toolbox.folder is not None
    text = "Nitric oxide \ud800 (NO\ud800) rose. \ud800 aspirin"
    passage = {"offset": 0, "infons": {}, "text": text, "annotations": []}
    document = {"documents": [{"id": "\ud800", "passages": [passage]}]}
    (toolbox.folder / "half.json").write_text(json.dumps(document))
    for tool in ("annotate_text", "find_abbreviations"):
        answer = answered(toolbox, tool, {"path": "half.json"})
        assert "error" not in answer or "\\ud800" in answer["error"], answer
    assert answered(toolbox, "lookup", {"name": "\ud800"}).keys() <= {"answer", "error"}


def test_an_unexpected_error_is_a_sentence(toolbox: Toolbox) -> None:
    assert answered(toolbox, "define", {})["error"].startswith("unexpected TypeError: ")


@pytest.mark.parametrize("packed", ["zip", "gz", "xz", "tar.gz"])
def test_the_limit_counts_what_comes_out_of_a_packed_file(toolbox: Toolbox, packed: str) -> None:
    assert toolbox.folder is not None
    text = b"Aspirin was given. " * (MAX_FILE // 19 + 1)
    path = toolbox.folder / f"large.{packed}"
    open_packed = {"gz": gzip.open, "xz": lzma.open}
    if packed in open_packed:
        with open_packed[packed](path, "wb") as file:
            file.write(text)
    elif packed == "tar.gz":
        with tarfile.open(path, "w:gz") as archive:
            for name in ("a.txt", "b.txt"):
                member = tarfile.TarInfo(name)
                member.size = len(text) // 2 + 1
                archive.addfile(member, io.BytesIO(text))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as outer:
            outer.writestr("a.txt", text)
    assert path.stat().st_size < MAX_FILE // 20
    for tool in (toolbox.annotate_text, toolbox.find_abbreviations):
        with pytest.raises(ConfigurationError, match="has more than 20 MB; annotate it with `nlmchem annotate`"):
            tool(path=path.name)


@pytest.mark.parametrize("outside", ["b.ann", "b.txt"])
def test_what_is_read_with_a_file_is_in_the_folder_too(toolbox: Toolbox, tmp_path: Path, outside: str) -> None:
    assert toolbox.folder is not None
    texts = {"b.txt": "Aspirin was given.", "b.ann": "T1\tSecret 0 7\tAspirin\n"}
    for name, text in texts.items():
        (toolbox.folder / name).unlink(missing_ok=True)
        (tmp_path / name).write_text(text)
        if name == outside:
            (toolbox.folder / name).symlink_to(tmp_path / name)
        else:
            (toolbox.folder / name).write_text(text)
    [inside] = texts.keys() - {outside}
    with pytest.raises(ConfigurationError, match=f"{inside} is read with {outside}, which is not in the folder"):
        toolbox.annotate_text(path=inside)
