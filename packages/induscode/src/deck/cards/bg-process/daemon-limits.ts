/** How many jobs of one card may run at once. */
export const MAX_RUNNING_DAEMONS = 50;
/** The time between SIGTERM and SIGKILL. */
export const STOP_GRACE_MS = 3_000;
/** How many of the most recently ended jobs are kept. */
export const MAX_ENDED_DAEMONS = 50;
