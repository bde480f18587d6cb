"""The server of the Model Context Protocol on standard input and output, with the official SDK (package `mcp`).

Calls run in a process of their own, one at a time. It has the models, and loads them at the first call that needs them.
A call that is cancelled or takes too long ends with this process, and the next call starts another one: Python cannot
stop a thread. The server ends with its input and at the first signal.
"""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from corpora.commands.command import INTERRUPTED
from corpora.errors import NlmchemError, command, system_error
from corpora.plugins import project_version, unexpected
from nlmchem.companions.annotators.toolbox import Answer, Toolbox

if TYPE_CHECKING:
    from anyio.abc import Process
    from anyio.streams.buffered import BufferedByteReceiveStream
    from mcp.server import MCPServer

INSTRUCTIONS = (
    "Finds chemicals in biomedical text and links them to MeSH, without a network. Offsets are characters from the "
    "start of the text. Check identifiers that you know from elsewhere with define or verify_mentions before you use "
    "them. identifier_probability is the chance that the identifier is right if the text is a chemical."
)
TOOLS = ("annotate_text", "lookup", "define", "explain", "verify_mentions", "find_abbreviations")
MAX_ANSWER = 64 << 20
"""Bytes of an answer between the processes."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def serve(toolbox: Toolbox, seconds: float) -> None:
    """Serve until standard input ends or a signal comes. `seconds`: how long a call may take."""
    import anyio
    from mcp.server import MCPServer

    calls = CallProcess(toolbox, seconds)
    server = MCPServer("nlmchem", instructions=INSTRUCTIONS, version=project_version(), log_level="ERROR")
    for name in TOOLS:
        function = getattr(toolbox, name)
        description = " ".join((function.__doc__ or "").split())
        server.tool(name=name, description=description)(_through(calls, function))
    anyio.run(_serve, server, calls)


def _through(calls: CallProcess, function: Callable[..., Answer]) -> Callable[..., Any]:
    """A tool with the name and arguments of a function, which works in the process of calls."""

    @functools.wraps(function)
    async def tool(**arguments: Any) -> Answer:
        return await calls.call(function.__name__, arguments)

    return tool


async def _serve(server: MCPServer, calls: CallProcess) -> None:
    """Serve the tools of a server, with what its own loop does not do: signals, and answers to lines without sense."""
    import anyio
    from mcp.server.lowlevel import Server
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage
    from mcp_types import CallToolResult, ListToolsResult, TextContent

    async def list_tools(context: Any, params: Any) -> Any:
        return ListToolsResult(tools=await server.list_tools())

    async def call_tool(context: Any, params: Any) -> Any:
        try:
            return await server.call_tool(params.name, params.arguments or {})
        except ToolError as error:
            sentence = _wrong_arguments(params.name, error.__cause__) or str(error)
            return CallToolResult(content=[TextContent(type="text", text=_stored(sentence))], is_error=True)

    async def end_at_signal() -> None:
        handled = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        with anyio.open_signal_receiver(*(s for s in handled if signal.getsignal(s) != signal.SIG_IGN)) as signals:
            async for _ in signals:
                # A thread waits for standard input; only the end of the process ends it.
                calls.kill()
                os._exit(INTERRUPTED)

    async def forward() -> None:
        async with to_loop:
            async for message in incoming:
                if not isinstance(message, Exception):
                    await to_loop.send(message)
                elif (answer := _no_message(message)) is not None:
                    await outgoing.send(SessionMessage(answer))

    loop = Server("nlmchem", version=project_version(), instructions=INSTRUCTIONS,
                  on_list_tools=list_tools, on_call_tool=call_tool)  # fmt: skip
    to_loop, from_forward = anyio.create_memory_object_stream[Any](0)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(end_at_signal)
        tasks.start_soon(forward)
        try:
            await loop.run(from_forward, outgoing, loop.create_initialization_options())
        finally:
            await calls.end()
            tasks.cancel_scope.cancel()


def _wrong_arguments(tool: str, error: BaseException | None) -> str | None:
    """What is wrong with the arguments of a tool, in one sentence; None for another error."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    wrong = [
        f"{'.'.join(map(str, detail['loc']))}: {'it is missing' if detail['type'] == 'missing' else detail['msg']}"
        for detail in error.errors(include_url=False)
    ]
    return f"the arguments of {tool} are wrong ({'; '.join(wrong)}); its description lists them"


def _no_message(error: Exception) -> Any:
    """The answer to a line that is no message, which the SDK drops; None for a blank line."""
    from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
    from pydantic import ValidationError

    details = error.errors(include_url=False) if isinstance(error, ValidationError) else []
    if details and not str(details[0]["input"]).strip():
        return None
    if any(detail["type"] == "json_invalid" for detail in details):
        what = ErrorData(code=PARSE_ERROR, message="the line is not JSON; send one JSON-RPC message in each line")
    else:
        what = ErrorData(code=INVALID_REQUEST, message="the line is no JSON-RPC message; send one in each line")
    return JSONRPCError(jsonrpc="2.0", id=None, error=what)


# -- calls --------------------------------------------------------------------------------------


class CallProcess:
    """A process that answers calls of a toolbox, started when it is needed."""

    def __init__(self, toolbox: Toolbox, seconds: float) -> None:
        import anyio

        folder = None if toolbox.folder is None else str(toolbox.folder)
        self._settings = json.dumps([folder, toolbox.lexicon, toolbox.tagger])
        self._seconds = seconds
        self._turn = anyio.Lock()
        self._process: Process | None = None
        self._answers: BufferedByteReceiveStream | None = None

    async def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """The answer of a tool. Raises `ToolError` with a sentence."""
        import anyio
        from mcp.server.mcpserver.exceptions import ToolError

        async with self._turn:
            try:
                with anyio.fail_after(self._seconds):
                    answer = await self._answer(name, arguments)
            except TimeoutError as error:
                raise ToolError(
                    f"it took longer than {self._seconds:g} seconds and was stopped; give a smaller text, or "
                    f"annotate the file with {command('annotate')}"
                ) from error
            except (
                anyio.EndOfStream,
                anyio.IncompleteRead,
                anyio.BrokenResourceError,
                anyio.DelimiterNotFound,
            ) as error:
                raise ToolError(
                    "it ended without an answer, perhaps because memory was short; give a smaller text"
                ) from error
        if "error" in answer:
            raise ToolError(answer["error"])
        result: Answer = answer["answer"]
        return result

    async def _answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            process, answers = await self._started()
            assert process.stdin is not None
            await process.stdin.send(json.dumps([name, arguments]).encode() + b"\n")
            answer: dict[str, Any] = json.loads(await answers.receive_until(b"\n", MAX_ANSWER))
        except BaseException:
            # Also for a cancelled call: the process would go on.
            await self.end()
            raise
        return answer

    async def _started(self) -> tuple[Process, BufferedByteReceiveStream]:
        import anyio
        from anyio.streams.buffered import BufferedByteReceiveStream

        if self._process is not None and self._process.returncode is not None:
            # It was ended from outside, between two calls.
            await self.end()
        if self._process is None or self._answers is None:
            # With the paths of this process: the folder of work must not hide modules.
            code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer_calls; answer_calls()"
            line = [sys.executable, "-P", "-c", code, self._settings]
            self._process = await anyio.open_process(line, stderr=None, start_new_session=True)
            assert self._process.stdout is not None
            self._answers = BufferedByteReceiveStream(self._process.stdout)
        return self._process, self._answers

    def kill(self) -> None:
        """End the process, and do not wait for it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def end(self) -> None:
        """End the process."""
        import anyio

        process, self._process = self._process, None
        if process is not None:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    process.kill()
                await process.aclose()


def answer_calls() -> None:
    """Answer calls on standard input until it ends, which also ends a call: the process of `CallProcess`."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    folder, lexicon, tagger = json.loads(sys.argv[1])
    toolbox = Toolbox(None if folder is None else Path(folder), lexicon, tagger)
    calls: SimpleQueue[tuple[str, dict[str, Any]]] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            calls.put(json.loads(line))
        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        name, arguments = calls.get()
        answers.write(_stored(json.dumps(answered(toolbox, name, arguments), ensure_ascii=False)) + "\n")
        answers.flush()


def answered(toolbox: Toolbox, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The `answer` of a tool, or its `error` in one sentence."""
    try:
        return {"answer": getattr(toolbox, name)(**arguments)}
    except NlmchemError as error:
        return {"error": str(error)}
    except OSError as error:
        return {"error": system_error(error, "a file cannot be read")}
    except MemoryError:
        return {"error": "there is not enough memory; give less, or end other programs"}
    except Exception as error:
        return {"error": unexpected(error)}


def _stored(text: str) -> str:
    """A text that UTF-8 can store: offsets stay as they are."""
    return _SURROGATE.sub("\ufffd", text)
