export const config = {
  "config:shapes": "servers as list or object, mcpServers, and VS Code's forms are read, in file order",
  "config:real-files": "files of other clients are read, and members without effect are reported",
  "config:jsonc":
    "comments, trailing commas and a byte order mark are accepted; every valid JSON file is read",
  "config:transport": "type pins the transport; a url without type is Streamable HTTP with fallback",
  "config:members": "every member of a row reaches the configuration, and invalid ones are named",
  "config:coercion":
    "numbers and booleans become strings as written; other values are left out with a diagnostic",
  "config:variables": "${VAR}, ${VAR:-default}, ${env:VAR} and the editor's names are filled in, once",
  "config:missing-variable": "a missing variable drops the row and is named",
  "config:env-file":
    "variables of an envFile apply to its row only, exported variables override them, and a file that others may read is reported",
  "config:from-command":
    "a value of env or headers may be a command as a list; it is part of the launch and is not run by reading",
  "config:disabled": "a disabled row stays visible, as written",
  "config:diagnostics": "every dropped file and row has one line with file, line, column and path",
  "config:never-throws": "any text is parsed without an exception, and diagnostics point into it",
  "config:half-written": "a truncated file yields no rows",
  "config:hostile-values":
    "line breaks, NUL and impossible names in commands, arguments, headers and urls drop the row",
  "config:prototype": "keys like __proto__ are plain keys",
  "config:no-secrets": "no diagnostic contains a value of a file or of the environment",
  "config:budgets": "depth, size and the number of diagnostics are bounded",
  "config:read": "reading never blocks and never reads more than the budget",
  "config:places":
    "four places in order: project, user, and two legacy files; home and XDG are read at each call",
  "config:precedence":
    "the first file that names an id wins; within a file the last row; losers are reported",
  "config:required": "a required server whose row was dropped is named, unless another row is used for it",
  "config:pending":
    "rows of a project are pending until approved, and shadow nothing until then; no file contains or clears the mark",
  "config:written": "a row keeps its launch as written, with variable names and not their values",
  "config:write": "a save is atomic, keeps mode and links, and leaves out undefined members",
  "config:write-rights": "a save that cannot keep the owner or group gives no user rights they did not have",
  "config:write-leftovers": "temporary files of a killed writer are removed by the next save",
  "config:write-comments": "comments, shape and foreign members of an existing file stay",
  "config:write-refusals": "a save that would lose content is refused and changes nothing",
  "config:edit-row":
    "one row is added, removed or changed, and every other character of the file stays: comments, order, indentation, unknown members and ${…}",
  "config:edit-law": "an edited text has the wanted value, and all other values are unchanged",
  "config:edit-refusals":
    "an edit that would guess or lose something is refused, and the reason names the file",
  "config:edit-file":
    "an edited file is replaced in one step, keeps its mode, and is not changed if no copy of it can be kept",
  "config:tool-overrides":
    "a row gives tools other names and descriptions; what cannot be used in it is named and left out",
  "config:round-trip": "what is written is read again as the same servers",
  "config:line": "the line of each value of a text is known, for diagnostics",
  "config:oauth":
    "the settings of a login are checked: a secret needs its issuer, and a callback this machine",
} as const;
