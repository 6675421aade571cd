const READ_ONLY = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"] as const;
const MUTATING = ["write", "edit", "bash", "todo_set", "process"] as const;

export type NativeName = (typeof READ_ONLY | typeof MUTATING)[number];

/** The seven native tools that change nothing. */
export const READ_ONLY_NAMES: readonly string[] = Object.freeze([...READ_ONLY]);

/** The five native tools that change files, run programs or keep state. */
export const MUTATING_NAMES: readonly string[] = Object.freeze([...MUTATING]);

/** All native tools. A server's tool must not take one of these names. */
export const NATIVE_NAMES: readonly NativeName[] = Object.freeze([...READ_ONLY, ...MUTATING]);
