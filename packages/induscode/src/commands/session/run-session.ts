import type { Run } from "../../boot/internal.ts";
import type { SessionLine } from "../../launch/internal.ts";

/** A line for the session with a model: lists the models, lets a program drive a session, or answers one prompt. */
export async function runSession(run: Run, line: SessionLine): Promise<number> {
  const { invocation } = line;
  if (invocation.listModels) return (await import("./list-models.ts")).listModels(run, invocation);
  if (invocation.json && !invocation.print) return (await import("./link.ts")).link(run, line);
  return (await import("./one-shot.ts")).oneShot(run, line);
}
