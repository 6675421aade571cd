/** The folder in which the product keeps its state. */
export const state = {
  "state:test-home":
    "tests have an empty home of their own: they neither read nor change the user's configuration",
  "state:place":
    "State is kept in $XDG_STATE_HOME/indusvx, by default ~/.local/state/indusvx, read from the environment at each call",
  "state:workspace-name": "The folder of a workspace is named by a readable slug and a hash of its real path",
  "state:one-per-workspace": "A workspace has one state folder, and a file inside names the workspace",
  "state:private": "Only the owner can enter a state folder; a wider mode is tightened",
  "state:refused": "A state folder that is a link, a file or the property of another user is refused",
  "state:own-files":
    "a file of another user, that others may read or change, or that is a link is not used: pins, decisions, tokens, logins and rules are withheld with one line, and a catalogue is made again",
  "state:json-file":
    "a small store reads back exactly what was written, from a private file that is replaced as a whole; a torn, foreign or newer file is a reading with a reason, never an exception",
  "state:json-update":
    "changes of one small store by several processes happen one after the other: none is lost",
  "state:backups": "a file is copied before it is changed: the copy is private, and the newest ones are kept",
  "state:inputs":
    "answers to the questions of a file are kept for that file, readable by the owner only; damaged ones are refused",
} as const;
