"""The tools for agents, and the server that offers them, driven by the client of the SDK."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from nlmchem.companions.annotators.toolbox import MAX_ITEMS, MAX_TEXT, Toolbox


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
    with pytest.raises(ConfigurationError, match="is no name of a file; correct it"):
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
        assert (await session.call_tool("lookup", {"name": 5})).is_error
        assert (await session.call_tool("define", {"identifier": "D999999999"})).is_error
        assert not (await session.call_tool("lookup", {"name": "zinc"})).is_error

    talk(tmp_path, conversation)


@pytest.mark.slow
def test_the_server_ends_with_its_client(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    arguments = [sys.executable, "-m", "nlmchem", "mcp", str(tmp_path), "--tagger", "lexicon"]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"not": "a request"}\nand no JSON\n')
    process.stdin.close()
    assert process.wait(timeout=120) == 0
