/** How many jobs of one card may run at the same time. */
export const MAX_RUNNING_DAEMONS = 50;
/** How long a job that is stopped has between SIGTERM and SIGKILL. */
export const STOP_GRACE_MS = 3_000;
/** How many ended jobs are kept, the latest ones. */
export const MAX_ENDED_DAEMONS = 50;
