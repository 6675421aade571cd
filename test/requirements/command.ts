/** The command: what `indus` promises as a process. */
export const command = {
  "command:arguments":
    "Every word of a command line is understood or refused with one line that names it, and secrets in it are not repeated",
  "command:mcp-list":
    "The servers of a file are shown with their state, tools and, for a broken one, the way out; one that is well is enough unless another is required",
  "command:mcp-call":
    "A call prints text as text and anything else as JSON; failures go to standard error with exit code 1",
  "command:required": "Nothing is served or listed without a required server whose row cannot be used",
  "command:on-screen":
    "What a tool answers reaches a screen without control characters, and a file or a program as it is",
  "command:unknown-tool": "A tool that is not there is one line with the names that come near",
  "command:typed-input": "Arguments become what the tool's schema wants; where it takes a text they stay one",
  "command:config-lines": "What is wrong with a configuration file is told with file and line",
  "command:join-boxes":
    "Two boxes are one: order kept, the first of two names counts, and changes are passed on as differences",
  "command:serve-stdio":
    "Standard output carries frames only, and the end of the input ends the command and every server",
  "command:serve-http":
    "The URL stands alone on standard output, and behind it are the native read-only tools and those of the servers",
  "command:token":
    "Beyond this machine it listens only with a token from the environment, and nobody is served without it",
  "command:demo":
    "The demonstration serves two example servers beside a broken one and tells each client how to connect",
  "command:signals":
    "A signal ends the command with its own exit code, soon, without a stack trace and without leaving a process behind",
  "command:closed-output": "An output nobody reads any more ends the command quietly",
  "command:slow-reader":
    "However slow its reader, a command exits only when all it wrote was taken, unless the reader or a signal ends it",
  "command:orphaned": "The command and its servers end with the process that started it",
} as const;
