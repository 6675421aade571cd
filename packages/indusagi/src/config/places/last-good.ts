import type { ConfigDiagnostic, ConfigPlace, ConfigRow, TextReading } from "../contract.ts";
import { readJsonTree } from "../parse/json-tree.ts";
import { createLineIndex } from "../report.ts";
import { readConfigText } from "./read-config-text.ts";

export interface LastGoodOptions {
  /** Called when a file has become unusable, and its last good text is used instead. */
  readonly onBroken: (diagnostic: ConfigDiagnostic) => void;
  /** Default: reads the disk. */
  readonly readText?: (path: string) => TextReading;
}

/**
 * Reads configuration files that others edit meanwhile: for a file that is half-written, broken or unreadable it returns the last
 * good text. A file that was removed is forgotten.
 */
export function lastGoodTexts(options: LastGoodOptions): (path: string) => TextReading {
  const { onBroken, readText = readConfigText } = options;
  const good = new Map<string, TextReading>();
  return (path) => {
    const reading = readText(path);
    const broken = problemIn(path, reading);
    if (!broken) {
      if ("text" in reading) good.set(path, reading);
      else good.delete(path);
      return reading;
    }
    const last = good.get(path);
    if (last) onBroken({ ...broken, message: `${broken.message}; its last good content stays in use` });
    return last ?? reading;
  };
}

/**
 * The last good rows of configuration files that are reread while others edit them. They replace rows that have become
 * unusable. A row that was removed is forgotten.
 */
export interface LastGoodRows {
  /** The last good form of a row. */
  find(place: ConfigPlace, id: string): ConfigRow | undefined;
  /** Keeps the rows of a file as they are used now, and forgets those that it no longer has. */
  keep(place: ConfigPlace, rows: readonly ConfigRow[]): void;
}

export function lastGoodRows(): LastGoodRows {
  const good = new Map<string, ReadonlyMap<string, ConfigRow>>();
  const keyOf = ({ scope, file }: ConfigPlace): string => JSON.stringify([scope, file]);
  return {
    find: (place, id) => good.get(keyOf(place))?.get(id),
    keep: (place, rows) => {
      const named = rows.map(({ problem: _problem, ...row }) => [row.config.id, row] as const);
      good.set(keyOf(place), new Map(named));
    },
  };
}

/** What is wrong with a file as a whole. A file that does not exist is not broken. */
function problemIn(file: string, reading: TextReading): ConfigDiagnostic | undefined {
  const at = { severity: "error", file, line: 1, column: 1, path: [] } as const;
  if ("problem" in reading)
    return reading.isAbsent ? undefined : { ...at, message: `the file ${reading.problem}` };
  const { text } = reading;
  const tree = readJsonTree(text);
  if ("problem" in tree)
    return { ...at, ...createLineIndex(text)(tree.offset), message: `the file ${tree.problem}` };
  return tree.root.type === "object" ? undefined : { ...at, message: "the file does not contain an object" };
}
