/** The session with a model: its prompt, its conductor, and `indus -p`. */
export const session = {
  "briefing:sections":
    "the system prompt has ten sections in a fixed order, without those that have nothing to say",
  "briefing:no-tools": "without tools the system prompt promises none",
  "briefing:stable": "the same tools and files give the same prompt",
  "briefing:context":
    "the project's files are read from its root to the folder, within limits and without leaving the root",
  "session:scenario":
    "a model edits a file and calls a server's tool, is refused in plan mode, and a rewind restores the bytes",
  "session:approval": "a question shows the diff or the command, and is answered once, always or no",
  "session:kept-rules": "rules that the user keeps are outside the project and readable by the owner only",
  "session:rule-patterns":
    "the rules that are offered go from the same call to calls like it, and never to programs that run anything",
  "session:plan": "a plan is written to a file and carried out only after an approval",
  "session:transcript": "what was said is on the disk at once, and a crash loses nothing of it",
  "session:full-disk": "a full disk is one line, and what is missing is written later",
  "session:secrets": "the secrets of configured servers are not in the transcript",
  "session:resume": "a session is continued with its conversation, its mode and its long results",
  "session:unanswered":
    "a prompt that fails or is stopped before anything answered it is not sent again with the next one, also when the session is resumed",
  "session:failing-edit": "a change of a file that cannot be made is refused before anyone is asked",
  "session:saved":
    "`indus sessions` lists, searches and deletes saved sessions, of this folder or of all, and leaves those alone that are in use",
  "session:next":
    "another session takes the place of an open one, with the same servers; the one before stays saved",
  "session:rewind":
    "files, conversation or both go back to before a turn; changes of others are not overwritten",
  "session:rewind-attacks":
    "whatever a command or another process does to the folder, a rewind restores a path or names it, and writes nothing outside",
  "session:git-programs":
    "keeping and restoring a folder runs no program, whatever a repository, a nested one or a submodule names",
  "session:rewind-commands":
    "in a git work tree a rewind also undoes what commands changed, and leaves the index alone",
  "session:task":
    "sub-agents work with the session's tools and fewer rights, several at once, within a budget, and their transcript is kept",
  "session:no-tools": "`--no-tools` is prompt-only: no tool is offered, and the system prompt promises none",
  "session:connectors":
    "`--connectors` or a row makes a server the gateway of `saas-action`, and each action is a call of the real tool",
  "session:connectors-record":
    "an action is recorded as a call of the real tool: in the session's transcript, and in the audit trail of a gateway",
  "session:offered":
    "a model gets no two tools for one purpose, and none for services that are not connected; a name in `--tools` is always offered",
  "session:stable-tools":
    "tools have a fixed order, change only between turns, and are searched for when they need too much of the window",
  "session:hidden-tools":
    "a tool that is not listed runs under its own name, and the policy decides about it as about any other",
  "session:context":
    "the use of the window and the share of the cache are known; shortening can be switched off",
  "print:text": "indus -p prints the answer, and takes piped input, files and images",
  "print:tasks":
    "tools of servers that run as tasks are followed to their result, in -p and by sub-agents, with their progress",
  "print:json": "indus -p --json prints one event a line",
  "print:refusal": "what needs an approval is refused with the flag that allows it",
  "print:problems": "each wrong input and each failure of a model is one line and an exit code",
  "print:dying-server": "a server that dies during the turn is an answer for the model, and starts again",
  "print:late-servers":
    "indus -p waits only for servers that were never listed, names those that are missing, and a call of a known tool waits for its server",
  "session:known-servers":
    "a session does not wait for servers whose tools are known: they start after its first request or prompt, a call, a prompt or a resource of one waits for it, and a failure is reported when it happens",
  "print:interrupt": "SIGINT ends a run at any moment with code 130 and loses nothing",
  "print:models": "models are listed for every provider that can be asked",
} as const;
