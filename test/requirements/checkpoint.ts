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
} as const;
