/** The log of each server, the report of its status, and the commands that show what servers do. */
export const serverLog = {
  "wire:log-lines": "Standard error of a server is split into lines of limited length, however it arrives",
  "wire:log-events":
    "Messages of a connection are described for a log in brief, without arguments, results and secrets, and never more than a limited number a second",
  "server-log:bounded":
    "The log of a server is two private files of limited size; logs of servers that are not used any more are removed",
  "server-log:read": "The entries of servers are read in the order of time, and a reader can follow them",
  "report:standing":
    "Every status of a server has one report: usable, starting, restarting, not listed, down, waiting for its user, disabled or closed, with the reason, the remedy and the command",
  "report:unlisted":
    "A server whose tools were never listed because listing fails is not usable for `/readyz`, `required`, metrics, `indus__status`, instructions, `mcp list` and `mcp doctor`; its phase stays ready, and its prompts and resources work",
  "report:outdated":
    "A server whose tools could not be refreshed stays usable with those of an earlier listing, also of an earlier run; the failure is shown as a note",
  "doctor:explain": "The doctor explains each state of a server and of this machine, with the way out",
  "doctor:exit-code":
    "`mcp doctor` exits with 0 if all is well, 1 if a server failed, 3 for errors in files, 4 for servers that are not approved, 5 for logins",
  "command:doctor":
    "`mcp doctor` starts each server and explains, in one block each, what is wrong and what to do; the log keeps what servers wrote, without secrets",
  "command:watch":
    "`mcp watch` shows the state of the servers until it is ended: one table on a screen, otherwise one line for each change",
  "command:log-follow": "`mcp log --follow` shows what other runs add to the logs",
  "command:interrupted":
    "Ctrl-C in any phase of a command, once or several times, ends it within 3 s with code 130; no process is left, terminal and ledger are intact",
  "command:real-clients": "mcp-remote and the Inspector's command line work as clients of `indus serve`",
  "command:narrow": "A terminal of 60 columns breaks no line of help, tables and reports",
  "docs:servers-guide": "The commands of the page about servers run in order and print what it shows",
} as const;
