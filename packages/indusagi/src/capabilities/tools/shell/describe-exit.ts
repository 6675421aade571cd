import { constants } from "node:os";
import type { ShellExit } from "../../contract/index.ts";

/** How a command ended, in words: always its exit code or its signal. */
export function describeExit({ code, signal }: ShellExit): string {
  if (signal !== undefined) return `ended by ${signal}`;
  if (code === null) return "ended for an unknown reason";
  const meant = code > SIGNAL_BASE ? SIGNAL_NAMES.get(code - SIGNAL_BASE) : undefined;
  return meant === undefined
    ? `exit code ${code}`
    : `exit code ${code} (a program in it was ended by ${meant})`;
}

/** Whether a command did what it was asked to. */
export function isSuccess({ code, signal }: ShellExit): boolean {
  return code === 0 && signal === undefined;
}

/** Shells report a program that a signal ended as 128 and its number. */
const SIGNAL_BASE = 128;
const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
