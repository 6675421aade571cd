import {
  describeExit,
  escapeForDisplay,
  shortenText,
  showDuration,
  systemClock,
  textTable,
} from "../../../core/index.ts";
import type { Job } from "./job.ts";

/** A job's status with its running time. */
export function jobStatus(job: Job): string {
  if (!job.ended) return `running for ${showDuration(systemClock.monotonicMs() - job.startedMs)}`;
  return `${describeExit(job.ended.exit)} after ${showDuration(job.ended.atMs - job.startedMs)}`;
}

/** All jobs as a table, oldest first. */
export function jobsTable(jobs: readonly Job[]): string {
  if (jobs.length === 0) return "no jobs";
  return textTable([
    ["ID", "STATUS", "COMMAND"],
    ...jobs.map((job) => [job.id, jobStatus(job), shownCommand(job)]),
  ]);
}

/** The known ids, for the message about an unknown one. */
export function knownIds(jobs: readonly Job[]): string {
  return jobs.map((job) => job.id).join(", ") || "none";
}

const MAX_COMMAND = 100;

function shownCommand({ command }: Job): string {
  return shortenText(escapeForDisplay(command), MAX_COMMAND);
}
