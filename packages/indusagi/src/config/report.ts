import { escapeForDisplay, shortenText } from "../core/index.ts";
import { definedMembers } from "../core/internal.ts";
import { type ConfigDiagnostic, type ConfigPath, MAX_DIAGNOSTICS } from "./contract.ts";

/** A position in a file that a diagnostic is about. */
export interface Spot {
  readonly offset: number;
  readonly path: ConfigPath;
}

/** Collects the diagnostics of one text. */
export interface Report {
  error(spot: Spot, message: string): void;
  warning(spot: Spot, message: string): void;
  position(spot: Spot): Position;
  /** The diagnostics so far; if there are too many, the first ones and a count. */
  diagnostics(): ConfigDiagnostic[];
}

/** The file as a whole. */
export const WHOLE_FILE: Spot = { offset: 0, path: [] };

export function createReport(text: string, file?: string): Report {
  const kept: ConfigDiagnostic[] = [];
  let omitted = 0;
  let index: ((offset: number) => Position) | undefined;
  const position = ({ offset }: Spot): Position => {
    index ??= createLineIndex(text);
    return index(offset);
  };
  const add = (severity: ConfigDiagnostic["severity"], spot: Spot, message: string): void => {
    if (kept.length >= MAX_DIAGNOSTICS) omitted += 1;
    else kept.push(definedMembers({ severity, file, ...position(spot), path: spot.path, message }));
  };
  return {
    error: (spot, message) => add("error", spot, message),
    warning: (spot, message) => add("warning", spot, message),
    position,
    diagnostics: () => {
      if (omitted === 0) return [...kept];
      const message = `${omitted} more problems in this file are not listed; fix the ones above first`;
      return [
        ...kept,
        definedMembers({ severity: "error" as const, file, line: 1, column: 1, path: [], message }),
      ];
    },
  };
}

/** A name from a file, safe to show: quoted, escaped and shortened. */
export function quoted(name: string): string {
  return `"${escapeForDisplay(shortenText(name, 80))}"`;
}

/** A position in a text; both numbers count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns a function that finds the line and column of an offset. A line ends at LF, CRLF or CR. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    const line = lastAtMost(starts, Math.min(offset, text.length));
    return { line: line + 1, column: Math.min(offset, text.length) - (starts[line] ?? 0) + 1 };
  };
}

function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
