/** The largest file that is read or written, in bytes. */
export const MAX_CONFIG_BYTES: number = 4 * 1024 * 1024;

/** The deepest nesting of a file. */
export const MAX_CONFIG_DEPTH = 64;

/** The most rows that are read from one container of a file. */
export const MAX_CONFIG_ROWS = 2000;

/** The most diagnostics for one file; the rest are only counted. */
export const MAX_DIAGNOSTICS = 200;
