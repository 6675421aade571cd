import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Results on disk, so that a run that was interrupted can go on. */
export interface KeptResults {
  /** The kept value if it was made under the same key, else a new one, which is kept. */
  of<Value>(name: string, key: unknown, produce: () => Promise<Value>): Promise<Value>;
}

export function keptResults(folder: string, { resume }: { readonly resume: boolean }): KeptResults {
  return {
    of: async (name, key, produce) => {
      const file = join(folder, `${name}.json`);
      const wanted = JSON.stringify(key);
      const kept = resume ? read(file) : undefined;
      if (kept?.key === wanted) return kept.value as never;
      const value = await produce();
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ key: wanted, value }));
      return value;
    },
  };
}

function read(file: string): { readonly key: string; readonly value: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { key: string; value: unknown };
  } catch {
    // There is none yet, or the run ended while it was written.
    return undefined;
  }
}
