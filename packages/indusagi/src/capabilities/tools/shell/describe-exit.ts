import { constants } from "node:os";
import type { ShellExit } from "../../contract/index.ts";

/** How a command ended: its exit code or its signal. */
export function describeExit({ code, signal }: ShellExit): string {
  if (signal !== undefined) return `ended by ${signal}`;
  if (code === null) return "ended for an unknown reason";
  const meant = code > SIGNAL_BASE ? SIGNAL_NAMES.get(code - SIGNAL_BASE) : undefined;
  return meant === undefined
    ? `exit code ${code}`
    : `exit code ${code} (a program in it was ended by ${meant})`;
}

export function isSuccess({ code, signal }: ShellExit): boolean {
  return code === 0 && signal === undefined;
}

/** A shell reports a program ended by a signal as 128 plus the signal number. */
const SIGNAL_BASE = 128;
const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
