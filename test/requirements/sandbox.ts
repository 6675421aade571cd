/** The sandbox of the operating system for the commands of a session. */
export const sandbox = {
  "sandbox:isolation":
    "a command in the sandbox changes only its workspace, has no network, sees no other processes, and leaves none",
  "sandbox:protected":
    "protected paths in the workspace cannot be changed from the sandbox, also if they do not exist yet, and nothing is left of what protects them",
  "sandbox:secrets": "our state and configuration and the keys of the user cannot be read from the sandbox",
  "sandbox:permission":
    "a command in the sandbox needs no approval; outside it needs one as before, and denials, protected paths and plan mode do not change",
  "sandbox:note": "a command that fails in the sandbox names its limits and how to run outside",
  "sandbox:setting":
    "the sandbox is used if there is one, demanded, or switched off; where there is none, one line says why",
} as const;
