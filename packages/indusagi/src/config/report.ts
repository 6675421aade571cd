import { escapeForDisplay } from "../core/index.ts";
import { MAX_DIAGNOSTICS } from "./budget.ts";
import type { ConfigDiagnostic, ConfigPath } from "./contract.ts";
import { createLineIndex, type Position } from "./text-positions.ts";

/** A place in a file to say something about. */
export interface Spot {
  readonly offset: number;
  readonly path: ConfigPath;
}

/** Collects what is to be said about one text. */
export interface Report {
  error(spot: Spot, message: string): void;
  warning(spot: Spot, message: string): void;
  position(spot: Spot): Position;
  /** Everything said so far; when it was too much, the first of it and a count. */
  diagnostics(): ConfigDiagnostic[];
}

/** The file as a whole. */
export const WHOLE_FILE: Spot = { offset: 0, path: [] };

export function createReport(text: string, file?: string): Report {
  const said: ConfigDiagnostic[] = [];
  let unsaid = 0;
  let index: ((offset: number) => Position) | undefined;
  const position = ({ offset }: Spot): Position => {
    index ??= createLineIndex(text);
    return index(offset);
  };
  const say = (severity: ConfigDiagnostic["severity"], spot: Spot, message: string): void => {
    if (said.length >= MAX_DIAGNOSTICS) unsaid += 1;
    else said.push({ severity, ...at(file), ...position(spot), path: spot.path, message });
  };
  return {
    error: (spot, message) => say("error", spot, message),
    warning: (spot, message) => say("warning", spot, message),
    position,
    diagnostics: () =>
      unsaid === 0
        ? [...said]
        : [...said, { severity: "error", ...at(file), line: 1, column: 1, path: [], message: more(unsaid) }],
  };
}

/** A name from a file, fit to be shown: in quotes, on one line, not longer than a line. */
export function quoted(name: string): string {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return `"${escapeForDisplay(shown)}"`;
}

function at(file: string | undefined): { readonly file?: string } {
  return file === undefined ? {} : { file };
}

function more(count: number): string {
  return `${count} more problems in this file are not listed; mend the ones above first`;
}
