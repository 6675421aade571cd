import { describeError, type Environment } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import { openInputStore, stateRoot } from "../../state/index.ts";

/**
 * The stored answers to `${input:…}`. Undefined if there are none, or if they cannot be read, which is reported; then rows
 * that need one are not used.
 */
export function keptInputs({ env, report }: Pick<Run, "env" | "report">): Environment | undefined {
  const root = stateRoot({ env });
  if (root === undefined) return undefined;
  try {
    const values = openInputStore(root).values();
    return Object.keys(values).length > 0 ? values : undefined;
  } catch (thrown) {
    report(describeError(thrown));
    return undefined;
  }
}
