import { test } from "vitest";
import type { RequirementId } from "../requirements/index.ts";

export interface VerifyOptions {
  readonly timeoutMs?: number;
  /** The platforms the behaviour exists on. Elsewhere the test is reported as skipped. */
  readonly only?: readonly NodeJS.Platform[];
  /** False reports the test as skipped: this machine lacks something it needs, such as the right to mount. */
  readonly when?: boolean;
}

type Verify = (id: RequirementId, message: string, body: () => unknown, options?: VerifyOptions) => void;

/** A test that proves a requirement. `test/requirements-gate` reads the id from the name of each test that ran. */
export const verifies: Verify = (...given) => define(given, false);

/** The same for a test that mostly waits, for timers or processes: several such tests of a file run at a time. */
export const verifiesTogether: Verify = (...given) => define(given, true);

function define([id, message, body, options = {}]: Parameters<Verify>, concurrent: boolean): void {
  const { only, when, timeoutMs: timeout } = options;
  const runs = (!only || only.includes(process.platform)) && when !== false;
  const run = async (): Promise<void> => void (await body());
  test.runIf(runs)(`[${id}] ${message}`, { concurrent, ...(timeout === undefined ? {} : { timeout }) }, run);
}
