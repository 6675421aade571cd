import { describeError } from "../../../core/index.ts";

/** Calls code that is not ours. An error is reported and goes no further. */
export function attempt(action: () => unknown, report: (message: string) => void): void {
  const failed = (thrown: unknown): void => report(describeError(thrown));
  try {
    const doing = action();
    if (doing instanceof Promise) doing.catch(failed);
  } catch (thrown) {
    failed(thrown);
  }
}
