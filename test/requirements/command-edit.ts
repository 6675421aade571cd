/** The commands that change files: ours and those of other clients. */
export const commandEdit = {
  "command:add":
    "`mcp add` and `add-json` write a row to the user's, the project's or a named file; what the user adds is approved by that",
  "command:add-forms":
    "`mcp add` takes `--transport`, `-e` and `-H` as other clients do; a command without `--` before it is one line with the corrected command line, without values of variables or headers",
  "command:edit-refusals":
    "What cannot be added or changed is one line with the way out, exit code 1 or 2, and changes nothing",
  "command:edit-keeps":
    "An edit keeps formatting, comments, unknown members and references of the file, and a private copy of it before",
  "command:edit-together":
    "Commands that edit one file at the same time all take effect, and a change by another program is not overwritten",
  "command:shown-tools":
    "`enable`, `disable`, `rename` and `describe` change how a tool is offered, and calls reach it under its shown name",
  "command:env":
    "`mcp env` sets and removes variables of a row, as values or as references, and shows no value; the remedy for a missing variable is this command, and works as printed",
  "command:get": "`mcp get` shows one row with its file and its approval, without secrets",
  "command:edit-clients": "After a change the connected clients are named, with how to restart each",
  "command:trust":
    "`mcp trust` shows the exact launch with control characters escaped and approves only that; `untrust` refuses every launch",
  "command:import":
    "`mcp import` lists the servers of other clients with their origin, and copies them after a question or with `--yes`",
  "command:import-inputs":
    "A `${input:…}` of VS Code is asked for once, kept in a private file, and referred to by the row",
  "command:connect":
    "`connect` lets each client start the gateway, shows the change, keeps a copy, and `--undo` restores the file to the byte",
  "command:connect-move":
    "`connect --move` puts the servers of a client behind the gateway and `--undo` returns them; what was changed meanwhile stays",
  "command:service": "`service install` and `uninstall` write, start, stop and remove a service of the user",
  "command:completion":
    "`completion` prints scripts for bash, zsh and fish, made from the tables of the parser",
  "command:ask":
    "A question is asked on the terminal only; a secret is not shown while it is typed, and Ctrl-C ends the command",
} as const;
