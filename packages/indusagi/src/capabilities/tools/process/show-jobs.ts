import { escapeForDisplay, shortenText, systemClock, textTable } from "../../../core/index.ts";
import { describeExit } from "../shell/describe-exit.ts";
import { showDuration } from "../shell/show-duration.ts";
import type { Job } from "./job.ts";

/** How a job stands: running and since when, or how it ended and how long it ran. */
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

/** The ids a model may use, for messages that refuse another. */
export function knownIds(jobs: readonly Job[]): string {
  return jobs.map((job) => job.id).join(", ") || "none";
}

const MAX_COMMAND = 100;

function shownCommand({ command }: Job): string {
  return shortenText(escapeForDisplay(command), MAX_COMMAND);
}
