"""A server of the Model Context Protocol on standard input and output: the tools of `Toolbox` for agents.

It opens no port and no connection. The official SDK (package `mcp`, extra `mcp`) speaks the protocol.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from corpora.errors import NlmchemError
from corpora.system_errors import explained
from nlmchem.companions.annotators.toolbox import Toolbox

INSTRUCTIONS = (
    "Finds chemicals in biomedical text and links them to MeSH, without a network. Offsets are characters from the "
    "start of the text. Check identifiers that you know from elsewhere with define or verify_mentions before you use "
    "them. identifier_probability is the chance that the identifier is right if the text is a chemical."
)
TOOLS = ("annotate_text", "lookup", "define", "explain", "verify_mentions", "find_abbreviations")


def serve(toolbox: Toolbox) -> None:
    """Serve until standard input ends."""
    from mcp.server import MCPServer

    server = MCPServer("nlmchem", instructions=INSTRUCTIONS, version=version("nlmchem"), log_level="ERROR")
    for name in TOOLS:
        function = getattr(toolbox, name)
        server.tool(name=name, description=_description(function))(_with_sentences(function))
    server.run("stdio")


def _description(function: Callable[..., Any]) -> str:
    return " ".join((function.__doc__ or "").split())


def _with_sentences(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with errors that an agent reads as a sentence."""

    @functools.wraps(function)
    def tool(*args: Any, **kwargs: Any) -> Any:
        from mcp.server.mcpserver.exceptions import ToolError

        try:
            return function(*args, **kwargs)
        except NlmchemError as error:
            raise ToolError(str(error)) from error
        except OSError as error:
            raise ToolError(explained(error, "a file cannot be read")) from error

    return tool
