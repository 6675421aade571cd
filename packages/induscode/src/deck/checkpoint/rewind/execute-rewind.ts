import { tempName } from "indusagi/core";
import { CheckpointError, checkpointRefusal } from "../checkpoint-error.ts";
import { isFolderMark } from "../file-mark.ts";
import type { SessionLog } from "../store/session-log.ts";
import { applyStep, closeFolders, flushSteps, openFolders, revertStep, tidyStep } from "./apply-step.ts";
import type { PlannedStep } from "./plan-rewind.ts";
import type { RewindStep } from "./rewind-step.ts";
import { type RewindSite, stageFile } from "./stage-file.ts";

/** A rewind that is about to be carried out. */
export interface RewindTask {
  readonly log: SessionLog;
  /** The first node that it undoes. */
  readonly node: string;
  readonly planned: readonly PlannedStep[];
}

/**
 * Carries out the steps, all or none. First writes the new files near their places; after that only names change, which needs
 * no space. Logs every step in advance, so a killed rewind can be finished or undone.
 */
export async function executeRewind(site: RewindSite, task: RewindTask): Promise<void> {
  const { log, node, planned } = task;
  const steps = planned.map(withNames);
  if (steps.length > 0) {
    await log.append(steps.map((step) => ({ op: "stage", step })));
    await stageAll(site, task, steps);
    await applyAll(site, task, steps);
    await tidyAll(site, steps);
    await closeFolders(site, steps, "to");
  }
  try {
    await log.append([{ op: "end", node }]);
  } catch (cause) {
    const message = "has restored the files, but could not note that; the next rewind does it";
    throw new CheckpointError("failed", site.folder, message, { cause });
  }
}

function withNames({ path, from, to, room }: PlannedStep): RewindStep {
  const temp = to === "absent" || isFolderMark(to) ? {} : { temp: tempName() };
  const old = from === "absent" || isFolderMark(from) ? {} : { old: tempName() };
  return { path, from, to, ...(room === undefined ? {} : { room }), ...temp, ...old };
}

async function stageAll(
  site: RewindSite,
  { log, node }: RewindTask,
  steps: readonly RewindStep[],
): Promise<void> {
  try {
    await openFolders(site, steps);
    for (const step of steps) await stageFile(site, step);
    await log.append([{ op: "commit", node }]);
  } catch (thrown) {
    await tidyAll(site, steps);
    await closeFolders(site, steps, "from");
    // If this fails too, the next start does it.
    await log.append([{ op: "end" }]).catch(() => {});
    throw checkpointRefusal(site.folder, "rewound, so nothing was changed", thrown);
  }
}

async function applyAll(
  site: RewindSite,
  { log, planned }: RewindTask,
  steps: readonly RewindStep[],
): Promise<void> {
  const made = new Set(steps.flatMap(({ path, from }) => (from === "absent" ? [path] : [])));
  let done = 0;
  try {
    for (const step of steps) {
      await applyStep(site, step, planned[done]?.info, made.has(step.path));
      done += 1;
    }
    await flushSteps(site, steps);
  } catch (thrown) {
    try {
      for (const [index, step] of [...steps.entries()].slice(0, done + 1).toReversed())
        await revertStep(site, step, index < done);
      await tidyAll(site, steps);
      await closeFolders(site, steps, "from");
      await log.append([{ op: "end" }]);
    } catch (cause) {
      const message = "stopped in the middle of a rewind; it is finished when the store is opened again";
      throw new CheckpointError("failed", site.folder, message, { cause });
    }
    throw checkpointRefusal(site.folder, "rewound, so everything was put back", thrown);
  }
}

/**
 * Tries twice, in case the failure was temporary. Leftovers do no harm: the file tools remove them later.
 */
async function tidyAll(site: RewindSite, steps: readonly RewindStep[]): Promise<void> {
  const tidy = (step: RewindStep): Promise<void> => tidyStep(site, step);
  for (const step of steps)
    await tidy(step)
      .catch(() => tidy(step))
      .catch(() => {});
}
