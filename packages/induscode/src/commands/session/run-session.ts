import type { Run } from "../../boot/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";

/** A line that prints its result: the list of models, or the answer to one prompt. */
export async function runSession(run: Run, line: SessionLine): Promise<number> {
  const { invocation } = line;
  if (invocation.listModels) return (await import("./list-models.ts")).listModels(run, invocation);
  return (await import("./one-shot.ts")).oneShot(run, line);
}
