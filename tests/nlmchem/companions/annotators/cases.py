"""The cases of annotators in tests that go over all commands and formats (`companion_cases`)."""

COMMANDS = {
    "verify": ("verify", "{in}/a", "--lexicon", "starter", "--fix", "{work}/out.xml"),
    "align": ("align", "{in}/a", "--mentions", "{in}/gold.jsonl", "--existing", "replace", "-o", "{work}/out.xml"),
}
PAGES = {"howto/language-models.md": (), "howto/other-taggers.md": ()}
DOCS = ("howto/language-models.md", "howto/other-taggers.md", "howto/agents.md", "reference/annotators.md")
SEVERAL_MEANINGS = dict.fromkeys(("run", "route", "folder", "all", "page", "timeout"))
WRITING = {"align": ("a", "--mentions", "b/all.json"), "verify": ("a",)}
WRITING_FILES = {"align": (), "verify": ()}
OUT_FILES = {
    "align": ("align", "a/all.json", "--mentions", "b/all.json"),
    "verify": ("verify", "a/all.json", "--lexicon", "starter"),
}
REPLACING = {"verify": (("verify", "a", "--lexicon", "starter", "--fix"), "out.xml")}
FILLING = {
    "verify": ("verify", "{in}", "--lexicon", "starter", "--fix", "{disk}/out.xml"),
    "findings": ("verify", "{in}", "--lexicon", "starter", "--all", "--page", "{disk}/out.html"),
}
