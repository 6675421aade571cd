export const diagnose = {
  "diagnose:reason":
    "the note about a server that ended quotes the line of standard error that says why, found in the output of real programs",
  "diagnose:remedy":
    "of what a failed server printed, the reason is the line that names what to set: an error above usage text, the message in a JSON log, the remedy after an error; the advice is then to set it, with what to write",
  "diagnose:repeated":
    "`serve` shows the standard error of a server that fails again and again once, and counts it from then on",
  "diagnose:variables":
    "if the server names a variable that is set here but was not passed on, the remedy says so and how to pass it, with the command; its value is never shown",
  "diagnose:exit":
    "a server that exits while we write to it is reported with its exit code and standard error, not with the failed write",
  "diagnose:http":
    "a missing host, a refused connection, a bad port, a 404, each kind of bad certificate and a wrong scheme have their own advice, in plain words",
  "diagnose:verbose":
    "`mcp list --verbose` shows up to three lines of standard error for a server that failed, `serve` shows all of them, escaped and without secrets",
  "serve:survives":
    "`serve --port` outlives its shell, SIGHUP without a terminal and a closed output unless `--with-parent` is given, and says on standard error why it ends",
  "serve:setup":
    "`serve` at a port prints the set-up of common clients, with the variable of the token where one is used, and never the token",
  "command:one-server":
    "`mcp call` starts only the server that the catalogue or the beginning of the name points to, and the others only if that one does not list the tool",
  "command:list-named":
    "`mcp list NAME …` starts only the servers named, and suggests a name for an unknown one",
  "diagnose:misspelled-program":
    "A command that does not exist and is one letter away from a well-known program, such as npxx, is answered with that program",
  "diagnose:missing-program":
    "A well-known program that is not in PATH, such as npx, is named with what to install and where it was looked for; a missing working folder is named as one",
  "diagnose:unknown-tools":
    "A row that names a tool which its server does not have, in `includeTools`, `excludeTools` or `toolOverrides`, has one note with the most similar name: in `mcp list`, in the doctor and in the log of `serve`",
} as const;
