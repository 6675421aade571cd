/** The largest file that is read or written, in bytes. */
export const MAX_CONFIG_BYTES: number = 4 * 1024 * 1024;

/** How deep a file may be nested. */
export const MAX_CONFIG_DEPTH = 64;

/** How many rows one container of a file may have. */
export const MAX_CONFIG_ROWS = 2000;

/** How many diagnostics one file may give; the rest is counted. */
export const MAX_DIAGNOSTICS = 200;
