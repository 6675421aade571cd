/** The front ends of a session: the interactive mode, the link for driving programs, and the Agent Client Protocol. */
export const terminal = {
  "screen:markdown-stream":
    "Markdown that arrives in pieces is rendered line by line, and looks as if it had come whole",
  "screen:width": "texts are measured in columns of a terminal",
  "screen:fold": "long lines are broken between words at the width of the screen",
  "boot:live-area":
    "the last lines of a screen are replaced in place, with the cursor in them and lines above",
  "repl:keys": "keys and pasted texts are read from the bytes of a terminal",
  "repl:draft": "a prompt of several lines is edited with the usual keys and drawn within the screen",
  "repl:prompt":
    "the prompt is read key by key, with history and completions, and drawn once for keys that arrive together",
  "repl:history": "prompts are remembered in a private file of the state folder",
  "repl:forms": "the form of a server is filled in with the types that its schema asks for",
  "repl:start": "without a terminal or a model, the interactive mode is one clear line or the short help",
  "repl:turn":
    "an answer is streamed and rendered, each running tool has a live line, and nothing breaks at 60 columns",
  "repl:approve":
    "a call that needs an approval shows its diff or command; once, always and no do what they say",
  "repl:stray-keys":
    "keys typed before a question has been on the screen for a moment, pasted text and letters of a word answer nothing; always is a step of its own",
  "repl:menu":
    "a menu opens while a command, a prompt of a server, a file or a resource is typed; it filters, never blocks and fits any screen",
  "repl:output":
    "the first lines of a tool's output are shown, safe and within the screen, and Ctrl-O shows all of it",
  "repl:escape": "Esc stops the turn and nothing more, and no other key is taken for it",
  "repl:modes": "Shift-Tab goes through default, acceptEdits and plan, and never to bypass",
  "screen:diff": "diffs are coloured, with line numbers, and fit the screen",
  "repl:answer-text": "the text of an answer is safe to show, however it is cut into pieces",
  "repl:progress": "while a turn runs, the screen shows what it waits for",
  "repl:continue": "a conversation that is continued shows where it was left",
  "repl:sessions":
    "/new and /clear start a new session, /resume continues an earlier one from a list, by its number or id",
  "repl:failed-prompt": "a prompt that nothing answered comes back as a draft",
  "repl:model":
    "a model that is chosen in the terminal can be kept; without any, three lines say how to get one",
  "repl:commands": "the commands of the interactive mode work, and an unknown one is one line",
  "repl:interrupt": "Ctrl-C stops the turn, twice leaves, Ctrl-D leaves; the terminal is always restored",
  "repl:signals":
    "a signal at any moment of a conversation ends it with its code, restores the terminal, ends every process and keeps what was said",
  "repl:questions":
    "questions of servers are answered on the terminal, addresses and sampling only with consent",
  "repl:untrusted": "text of models and servers cannot move the cursor or forge what a dialog shows",
  "mentions:prompt-words": "the words after a prompt's name become its arguments",
  "mentions:prompts":
    "a prompt of a server is a slash command with its arguments checked, and a resource is added by @server:uri",
  "questions:answers": "the questions of servers about forms, addresses and roots are answered",
  "questions:sampling": "a server's sampling request is answered by the session's model, with an approval",
  "link:bad-lines": "a line that is not a request gets a JSON-RPC error",
  "link:lines":
    "lines of the link are read whole and within a documented limit; a longer one gets an error, and the session goes on",
  "link:methods": "every method and notification of the link is documented, and no other",
  "link:session":
    "a driving program prompts, approves, aborts, rewinds and changes mode and model; the end of its input ends the session",
  "acp:session":
    "an editor opens and loads sessions with its own servers, prompts, gets updates with diffs and plans, and answers permission requests; what is refused has a reason",
} as const;
