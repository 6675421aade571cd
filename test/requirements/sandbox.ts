/** The sandbox of the operating system for the commands of a session. */
export const sandbox = {
  "sandbox:isolation":
    "a command in the sandbox changes only its workspace, has no network, sees no other processes, leaves none, and cannot stop us by what it puts under a name that we read",
  "sandbox:protected":
    "protected paths in the workspace cannot be changed from the sandbox, also if they do not exist yet, and nothing is left of what protects them; with more of them than can be protected it is refused",
  "sandbox:litter":
    "what takes a protected name while a command runs is of the type that its readers expect, empty and valid, hidden from git in the sandbox, in no snapshot, and removed also after kill -9; what others put there stays",
  "sandbox:plan":
    "in plan mode, and for read-only sub-agents, a command in the sandbox changes nothing but temporary files, has no network, reaches no listed socket, and makes nothing in the project; a folder without a sandbox for writing has one for this",
  "sandbox:secrets": "our state and configuration and the keys of the user cannot be read from the sandbox",
  "sandbox:permission":
    "a command in the sandbox needs no approval; outside it needs one as before, and denials, protected paths and plan mode do not change",
  "sandbox:note": "a command that fails in the sandbox names its limits and how to run outside",
  "sandbox:setting":
    "the sandbox is used if there is one, demanded, or switched off; where there is none, one line says why",
} as const;
