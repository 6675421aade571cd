export const config = {
  "config:shapes": "servers as list or object, mcpServers, and VS Code's forms are read, in file order",
  "config:real-files": "files as other clients write them are read, and what has no effect is said",
  "config:jsonc": "comments, trailing commas and a byte order mark are fine; whatever JSON reads, we read",
  "config:transport": "type pins the transport; a url without type is Streamable HTTP with fallback",
  "config:members": "every member of a row reaches the configuration, and bad ones are named",
  "config:coercion":
    "numbers and booleans become texts as written; other values are left out with a diagnostic",
  "config:variables": "${VAR}, ${VAR:-default}, ${env:VAR} and the editor's names are filled in, once",
  "config:missing-variable": "a variable that is missing drops the row and is named",
  "config:env-file": "variables of an envFile are used beneath exported ones and given only to its row",
  "config:disabled": "a row that is switched off stays visible, as written",
  "config:diagnostics": "every dropped file and row has one line with file, line, column and path",
  "config:never-throws": "any text is parsed without an exception, and diagnostics point into it",
  "config:half-written": "a prefix of a file counts for nothing of it",
  "config:hostile-values":
    "line breaks, NUL and impossible names in commands, arguments, headers and urls drop the row",
  "config:prototype": "keys like __proto__ are plain keys",
  "config:no-secrets": "no value of a file or of the environment is in a diagnostic",
  "config:budgets": "depth, size and the number of diagnostics are bounded",
  "config:read": "reading never waits and never reads more than the budget",
  "config:places": "four places in order: project, user, and two legacy files; home and XDG as they are now",
  "config:precedence":
    "the first file that names an id wins; within a file the last row; losers are reported",
  "config:required":
    "a required server whose row had to be dropped is named, unless another row is used in its place",
  "config:pending": "rows of a project are pending until approved, and shadow nothing until then",
  "config:written": "a row keeps its launch as written, apart from what the variables hold",
  "config:write": "a save is atomic, keeps mode and links, and drops undefined",
  "config:write-comments": "comments, shape and foreign members of an existing file stay",
  "config:write-refusals": "a save that would lose something is refused and changes nothing",
  "config:round-trip": "what is written is read again as the same servers",
} as const;
