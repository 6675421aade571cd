import { describeError, replaceFileSync } from "indusagi/core";

/** The prompts of earlier sessions in a folder, oldest first, in a file readable only by its owner. */
export interface PromptHistory {
  entries(): readonly string[];
  /** Adds a prompt, unless it equals the last one. */
  add(text: string): void;
}

export interface HistoryOptions {
  /** Called once if the file is unusable. The history then lasts as long as the session. */
  readonly report: (message: string) => void;
  /** Default: 1000. */
  readonly maxEntries?: number | undefined;
}

/** One JSON string per line. Skips damaged lines: another process may have been killed. */
export function openPromptHistory(
  path: string,
  { report, maxEntries = 1_000 }: HistoryOptions,
): PromptHistory {
  const { appendFileSync, readFileSync } = process.getBuiltinModule("node:fs");
  let isBroken = false;
  const attempt = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (thrown) {
      isBroken = true;
      report(`the prompt history is not saved: ${describeError(thrown)}`);
    }
  };
  let entries: string[] = [];
  attempt(() => {
    const lines = readIfThere(path, readFileSync).split("\n");
    entries = lines.flatMap(parsed).slice(-maxEntries);
    // Trimmed only occasionally, so a prompt costs one short write.
    if (lines.length > 2 * maxEntries)
      replaceFileSync({ path, content: Buffer.from(entries.map(lineOf).join("")), mode: 0o600 });
  });
  return {
    entries: () => entries,
    add: (text) => {
      if (text.trim() === "" || entries.at(-1) === text) return;
      entries.push(text);
      attempt(() => appendFileSync(path, lineOf(text), { mode: 0o600 }));
    },
  };
}

function readIfThere(path: string, read: (path: string, encoding: "utf8") => string): string {
  try {
    return read(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw thrown;
  }
}

function lineOf(text: string): string {
  return `${JSON.stringify(text)}\n`;
}

function parsed(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}
