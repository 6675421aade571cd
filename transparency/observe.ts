import type { Names, Plan } from "./plan/step.ts";
import { pause } from "./plan/step.ts";
import { type Era, WireSession } from "./wire/session.ts";
import type { Target } from "./wire/target.ts";

/** What was seen in each step of a plan, or why nothing could be seen. */
export type Observed =
  | { readonly steps: ReadonlyMap<string, unknown> }
  | {
      /** Why no client could connect. */
      readonly failure: string;
    };

export interface ObserveOptions {
  readonly era: Era;
  readonly plan: Plan;
  readonly names: Names;
}

/** Connects in one era and runs a plan, step after step. Never rejects. */
export async function observe(target: Target, { era, plan, names }: ObserveOptions): Promise<Observed> {
  let session: WireSession;
  try {
    session = await WireSession.open(target, era, plan.extensions);
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  }
  try {
    if (plan.settleMs !== undefined) await pause(plan.settleMs);
    const steps = new Map<string, unknown>();
    for (const { id, run } of plan.steps)
      steps.set(id, await run(session, names).catch((thrown: unknown) => ({ thrown: messageOf(thrown) })));
    return { steps };
  } finally {
    await session.close();
  }
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
