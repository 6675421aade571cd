import { test } from "vitest";
import type { RequirementId } from "../requirements/index.ts";

export interface VerifyOptions {
  readonly timeoutMs?: number;
  /** The platforms the behaviour exists on. Elsewhere the test is shown as skipped. */
  readonly only?: readonly NodeJS.Platform[];
}

/** A test that proves a requirement. The gate in `test/requirements.test.ts` matches ids and tests both ways. */
export function verifies(
  id: RequirementId,
  message: string,
  body: () => unknown,
  options: VerifyOptions = {},
): void {
  const runs = !options.only || options.only.includes(process.platform);
  const name = `[${id}] ${message}`;
  const run = async (): Promise<void> => void (await body());
  if (options.timeoutMs === undefined) test.runIf(runs)(name, run);
  else test.runIf(runs)(name, { timeout: options.timeoutMs }, run);
}
