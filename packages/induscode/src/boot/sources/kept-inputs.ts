import { describeError, type Environment } from "indusagi/core";
import { openInputStore, stateRoot } from "../../state/index.ts";

/** The answers to `${input:…}` that were kept. Undefined if there are none; then a row that needs one is not used. */
export function keptInputs(env: Environment, report: (message: string) => void): Environment | undefined {
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
