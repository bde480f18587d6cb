"""`nlmchem mcp`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import argument, group
from corpora.commands.progress import Progress
from corpora.commands.result import Result
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """The options of `nlmchem mcp`."""

    folder: Path | None = argument(
        "The only folder whose files the tools may read.", default=None, default_text="no file is read"
    )
    tagger: str = tagger_option()
    source: LexiconOptions = group(LexiconOptions)


def serve_tools(options: McpOptions, progress: Progress) -> Result:
    """Serve tools for agents by the Model Context Protocol, on standard input and output.

    The tools: annotate_text, lookup, define, explain, verify_mentions, find_abbreviations. The server opens no port and
    no connection, and ends with its input. An agent starts it; docs/howto/agents.md has the configuration.
    """
    from corpora.errors import OptionError
    from corpora.extras import require
    from nlmchem.companions.annotators.server import serve
    from nlmchem.companions.annotators.toolbox import Toolbox

    require("mcp", extra="mcp", purpose="the server for agents")
    if options.folder is not None and not options.folder.is_dir():
        raise OptionError("folder", f"is {options.folder}, which is no folder")
    serve(Toolbox(options.folder, options.source.lexicon, options.tagger or "default"))
    return Result()


MCP = Command("mcp", McpOptions, serve_tools, Call({"folder": "articles"}), forms=())
