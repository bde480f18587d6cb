// A button that copies the commands of a block: of a console only what follows its prompts, without the outputs.
document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) { return; }
  document.querySelectorAll("div.highlight > pre").forEach((block) => {
    const outer = block.closest("[class*='highlight-']");
    if (outer.classList.contains("output")) { return; }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(commands(block.textContent, outer.classList.contains("highlight-console")));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.parentElement.append(button);
  });

  function commands(text, isConsole) {
    if (!isConsole) { return text; }
    let continued = false;
    return text.split("\n").filter((line) => {
      const shown = continued || line.startsWith("$ ");
      continued = shown && line.endsWith("\\");
      return shown;
    }).map((line) => line.replace(/^\$ /, "")).join("\n") + "\n";
  }
});
