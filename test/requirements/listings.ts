/** What commands list and advise: complete, once, and under the names that users type. */
export const listings = {
  "listing:cards":
    "`indus tools` shows all 19 cards and marks those that a session offers; `--tools` with the name of any card shows that card",
  "listing:unknown-tools": "an unknown name after `--tools` is one line with all known names",
  "listing:completion":
    "completion offers the names of servers, tools and clients, from the files and the catalogue: nothing is started, and no name in a project's file is run by the shell",
  "listing:arguments": "`mcp tools SERVER` shows the descriptions of parameters, escaped and wrapped",
  "listing:renamed": "a renamed tool is shown under its new name",
  "listing:pending-once":
    "why a row of a project is not started is said once by each command, in its table or in a message",
  "listing:examined": "`mcp doctor A B` counts the servers that it examined, of those that are configured",
  "listing:messages": "on a screen messages wrap between words",
  "listing:gemini": "the command for Gemini CLI that `serve` prints adds the row for the user",
  "add:start":
    "`mcp add` starts the new server once, within the time limits of its row, shows its tools or its fault, names the next step, and remembers what was listed; the row stays in any case",
  "add:not-started":
    "`mcp add` starts nothing with `--no-start`, nor for a row that is disabled or unusable, or hidden by another of its name",
  "add:told":
    "after a change no client is named that lists the tools again when its gateway tells it about the change",
  "connect:twice":
    "`connect` names the servers that the client starts itself and the gateway too, with the command that moves them",
  "connect:profile":
    "`connect` asks which native tools the client gets: by default none if the client has its own; without a terminal it takes the default and says which",
} as const;
