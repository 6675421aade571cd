import { test } from "vitest";
import type { RequirementId } from "../requirements/index.ts";

export interface VerifyOptions {
  readonly timeoutMs?: number;
  /** The platforms the behaviour exists on. Elsewhere the test is reported as skipped. */
  readonly only?: readonly NodeJS.Platform[];
  /** False reports the test as skipped: this machine lacks something it needs, such as the right to mount. */
  readonly when?: boolean;
}

/** A test that proves a requirement. `test/requirements-gate` reads the id from the name of each test that ran. */
export function verifies(
  id: RequirementId,
  message: string,
  body: () => unknown,
  options: VerifyOptions = {},
): void {
  const runs = (!options.only || options.only.includes(process.platform)) && options.when !== false;
  const name = `[${id}] ${message}`;
  const run = async (): Promise<void> => void (await body());
  if (options.timeoutMs === undefined) test.runIf(runs)(name, run);
  else test.runIf(runs)(name, { timeout: options.timeoutMs }, run);
}
