import { describeError } from "../../../core/index.ts";

/** Calls what belongs to somebody else. However it fails, that is reported and stops nothing. */
export function attempt(action: () => unknown, report: (message: string) => void): void {
  const failed = (thrown: unknown): void => report(describeError(thrown));
  try {
    const doing = action();
    if (doing instanceof Promise) doing.catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
