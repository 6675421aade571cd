/** The way back from the changes of `write` and `edit`. */
export const checkpoint = {
  "checkpoint:wrap": "only write and edit are wrapped, only with a store, and a model sees no difference",
  "checkpoint:before":
    "the store has the exact state of a file before the tool changes it, or that there was none",
  "checkpoint:unknown": "a file that cannot be read is recorded as unknown, and the write goes on",
  "checkpoint:refused": "a call whose file cannot be kept is refused, and changes nothing",
  "checkpoint:after": "the store gets the state after a call that succeeded, and only then",
  "checkpoint:order":
    "calls for one file keep their order, and the first of them is recorded with the original",
  "checkpoint:rewind": "a rewind restores the bytes, the mode and the absence of every file",
  "checkpoint:nodes":
    "the first state of a path in a node counts, and a rewind undoes its node and all later ones",
  "checkpoint:conflict": "a file that differs from what we last wrote stops the rewind, unless it is forced",
  "checkpoint:links":
    "a rewind never writes through a link or outside the workspace; it reports what it skipped",
  "checkpoint:swapped-folder":
    "a folder that is swapped for a link while a rewind runs, at whatever step, leads nothing outside",
  "checkpoint:ignore-rules": "files are ignored by the rules of git, and by no others",
  "checkpoint:only-copy":
    "a rewind does not remove the only copy of what was never kept, wherever a command moved it",
  "checkpoint:owner": "a restored file gives nobody the rights of a user who did not own it",
  "checkpoint:rule-limits": "the ignore rules of a folder take a limited amount of memory",
  "checkpoint:all-or-nothing": "a rewind that fails in the middle leaves every file as it was",
  "checkpoint:read-only-folders": "a rewind changes read-only folders of the user, and leaves them read-only",
  "checkpoint:private": "only the owner can read a store",
  "checkpoint:leftovers": "a snapshot that does not come to its end leaves no copies of files",
  "checkpoint:limits": "old nodes are dropped by age and size, never the current one",
  "checkpoint:processes": "processes share a store without harm",
  "faults:d16-full-disk": "on a full disk the write is refused, and the way back is not lost",
  "faults:d16-kill": "a rewind killed at any step is finished or undone by the next start",
  "faults:d16-large": "a large file is kept and restored in little memory",
} as const;
