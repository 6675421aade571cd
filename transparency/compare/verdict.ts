import type { Observed } from "../observe.ts";
import type { Feature, Plan } from "../plan/step.ts";
import { type Difference, differences, isSamePlace } from "./difference.ts";
import { type Place, reasonFor } from "./justified.ts";
import { neutral } from "./neutral.ts";

/** How one step through a gateway compares with the same step without it. */
export interface StepVerdict {
  readonly step: string;
  readonly feature: Feature;
  readonly kind: "identical" | "justified" | "different";
  /** The reasons of all differences that are right. */
  readonly reasons: readonly string[];
  /** The differences that are not. */
  readonly wrong: readonly Difference[];
}

export interface Compared {
  readonly plan: Plan;
  /** Two runs without a gateway: what differs between them is not compared. */
  readonly direct: readonly [Observed, Observed];
  readonly through: Observed;
  readonly place: Omit<Place, "step">;
}

/** Compares each step of a plan. A client that could not connect has every step different. */
export function verdictsOf({
  plan,
  direct: [first, second],
  through,
  place,
}: Compared): readonly StepVerdict[] {
  if ("failure" in first || "failure" in second)
    throw new Error(`${place.server} cannot be used without a gateway: ${JSON.stringify([first, second])}`);
  if ("failure" in through) {
    const wrong = [{ path: "", direct: "a connection", through: through.failure }];
    return plan.steps.map(({ id: step, feature }) => ({
      step,
      feature,
      kind: "different",
      reasons: [],
      wrong,
    }));
  }
  return plan.steps.map(({ id, feature }) => {
    const expected = neutral(first.steps.get(id));
    const unsteady = differences(expected, neutral(second.steps.get(id)));
    const found = differences(expected, neutral(through.steps.get(id))).filter(
      ({ path }) => !unsteady.some((other) => isSamePlace(path, other.path)),
    );
    const judged = found.map((difference) => ({
      difference,
      reason: reasonFor(difference, { ...place, step: id }),
    }));
    const wrong = judged.filter(({ reason }) => reason === undefined).map(({ difference }) => difference);
    const reasons = [...new Set(judged.flatMap(({ reason }) => reason ?? []))];
    const kind = wrong.length > 0 ? "different" : reasons.length > 0 ? "justified" : "identical";
    return { step: id, feature, kind, reasons, wrong };
  });
}
