import { isRecord } from "indusagi/core";

/** What a tool may do, as its hints and the protocol's defaults for missing ones describe it. */
interface Danger {
  readonly changes: boolean;
  readonly destroys: boolean;
  readonly repeats: boolean;
  readonly reachesOut: boolean;
}

const CLAIMS: { readonly [danger in keyof Danger]: string } = {
  changes: "that it changes nothing",
  destroys: "that it destroys nothing",
  repeats: "that it can be repeated",
  reachesOut: "that it reaches nothing outside",
};

/** What a tool claims now and did not before, as clauses. Empty unless it became less dangerous by its own word. */
export function weakerHints(before: unknown, after: unknown): string[] {
  const [old, young] = [dangerOf(before), dangerOf(after)];
  const names = Object.keys(CLAIMS) as (keyof Danger)[];
  const found = names.filter((name) => old[name] && !young[name]);
  // Who changes nothing cannot destroy or repeat either: one clause is enough.
  const isReadOnly = found.includes("changes");
  return found
    .filter((name) => !isReadOnly || (name !== "destroys" && name !== "repeats"))
    .map((name) => CLAIMS[name]);
}

function dangerOf(annotations: unknown): Danger {
  const hints = isRecord(annotations) ? annotations : {};
  const changes = hints["readOnlyHint"] !== true;
  return {
    changes,
    destroys: changes && hints["destructiveHint"] !== false,
    repeats: changes && hints["idempotentHint"] !== true,
    reachesOut: hints["openWorldHint"] !== false,
  };
}
