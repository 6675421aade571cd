/** The command: what `indus` promises as a process. */
export const command = {
  "command:pasted":
    "commands that messages suggest are quoted for a shell, whatever id a project's file contains",
  "command:roots":
    "`indus -p`, the terminal and `mcp call` offer their folder as the root, also to a server that asks while it starts",
  "command:start-build": "`npm start` builds only if a source, a manifest, a library or the build changed",
  "command:arguments":
    "Each word of a command line is understood, or refused with one line that names it and repeats no secret",
  "command:bundle":
    "The command is one bundle with the framework and its libraries, in parts that are loaded when they are needed",
  "command:code-cache":
    "The command keeps its compiled code for later runs, in a folder that only the user can change; code that is damaged or missing costs only time",
  "command:node-version": "With a Node that is too old the command only says which version it needs",
  "command:notices": "The licences of all bundled code are beside it",
  "command:flag-table": "One table of flags makes both the parser and the help",
  "command:pins": "The verbs, their flags and the text of the help change only on purpose",
  "command:grammar":
    "The first word selects a subcommand of the table; `indus -- WORDS` and everything else is for the session with a model",
  "command:sources":
    "Servers come from the files, folders, URLs and command lines that are given or, without any, from the files of the folder and of the user; a server of a project is started only after its approval",
  "serve:profile":
    "`indus serve` offers the tools of its profile and of the approved servers, as far as `--tools`, `--no-tools` and `--deny` leave them",
  "serve:approval":
    "`indus serve` runs tools of approved servers and readers at once; other calls need a rule, or the approval of the client's user by elicitation",
  "serve:token":
    "Over HTTP the profiles `full` and `all` are served only to clients with a token; one is made if none is given",
  "serve:two": "Two `indus serve --stdio` of one folder work at the same time",
  "boot:ledger": "A run has one fleet and one ledger, whose log is in the state folder",
  "boot:session-tools":
    "A session has the deck, filtered by `--tools`, then the tools of the approved servers, then extras; `--no-tools` mounts nothing",
  "boot:late-servers":
    "Servers connect in parallel behind a bounded wait; late ones join live, and what is missing is said with the reason",
  "boot:required": "A required server that fails is tried again within the wait; then the command fails",
  "command:overview":
    "`indus` alone shows a short help and what is known about the servers of the folder, `indus tools` also the tools that approved servers offered last time, and neither starts anything",
  "command:suggestion": "An unknown command or flag is exit code 2 and one line that suggests a similar one",
  "command:first-word":
    "A first word that is similar to a command, or to a verb of a family, gets that command as the suggestion, also before flags that only the command has; any other words are a prompt without -p",
  "command:aliases":
    "`indus mcp rm` and `delete` mean `remove`, and `ls` means `list`, also in the help; no alias is the name of another command",
  "command:help":
    "`indus COMMAND --help` and `indus help COMMAND` show that command with its flags and examples; an error in the usage of a command points to it",
  "command:help-groups":
    "The help lists commands as everyday, repair and team; a family such as `indus mcp` without a second word prints its menu",
  "command:wrapped-notes": "On a screen the notes of a table are wrapped to its width",
  "command:serve-log": "The log of `serve` has one line for each server until its state changes",
  "command:run":
    "A run opens its parts in order and closes them in reverse, also when a later part fails to open",
  "command:mcp-list":
    "`mcp list` shows each server with its state, its tools and, if it is broken, the remedy; one ready server is enough unless another is required",
  "command:list-failed": "A server whose tools could not be listed is shown as failed, with the reason",
  "command:list-progress": "On a screen `mcp list` shows which servers it waits for",
  "command:exit-code": "`mcp list --exit-code` exits with 1 if any server that is not disabled failed",
  "command:tool-names":
    "`mcp list`, `mcp call` and `serve` use the same name for a tool, of at most 48 characters",
  "command:mcp-call":
    "A call prints text as text and other content as JSON; failures go to standard error with exit code 1",
  "command:check":
    "Arguments are compared with the tool's schema before they are sent; a mismatch is exit code 2 with the field and the signature, and `--no-check` sends them",
  "command:call-options": "`call` and `mcp call` take the same options for arguments, output and time",
  "command:diff": "A diff in an answer is shown as a diff, coloured where the terminal has colours",
  "command:colours":
    "Colours are used on a screen, and `FORCE_COLOR`, `NO_COLOR` and `TERM=dumb` are respected",
  "command:required": "Nothing is served or listed if the row of a required server cannot be used",
  "command:on-screen":
    "Control characters in the answer of a tool are escaped on a screen and kept in a file or a pipe",
  "command:unknown-tool": "An unknown tool is one line with similar names",
  "command:typed-input":
    "Arguments get the types that the tool's schema asks for; where it accepts a string they stay text",
  "command:config-lines": "A problem in a configuration file is reported with file and line",
  "command:join-boxes":
    "Two boxes are joined into one: order is kept, the first of two equal names counts, and changes are passed on as differences",
  "command:serve-stdio":
    "Standard output carries only protocol messages, and the end of the input ends the command and every server",
  "command:serve-http":
    "The URL is alone on standard output; it offers the native read-only tools and the tools of the servers",
  "command:token":
    "The command listens for other machines only with a token from the environment, and requests without it are refused",
  "command:demo":
    "The demonstration serves two example servers beside a broken one and shows how to connect each client",
  "command:signals":
    "A signal ends the command soon, with the signal's exit code, without a stack trace and without leftover processes",
  "command:closed-output": "A closed output ends the command without an error",
  "command:slow-reader":
    "A command exits only when its whole output was read, however slowly, unless the reader closes it or a signal arrives",
  "command:orphaned": "The command and its servers end when the process that started them ends",
} as const;
