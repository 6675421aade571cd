import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "indusagi/core";
import type { ResultStore } from "indusagi/runtime";
import { diskProblem } from "./transcript-file.ts";

/** The folder of a session's long results, including the whole output of commands. */
export function resultFolder(session: string): string {
  return join(session, "results");
}

export interface ResultFileOptions {
  readonly redact?: ((text: string) => string) | undefined;
  /** Called once, when the first write fails. */
  readonly report: (message: string) => void;
}

/**
 * Long tool results as files readable only by their owner. A continued session finds them again. If a write fails, the result is
 * kept in memory and the turn continues.
 */
export function createResultFiles(
  folder: string,
  { redact = (text) => text, report }: ResultFileOptions,
): ResultStore {
  const fileOf = (id: string): string => join(folder, `${id.replaceAll(/[^\w-]/g, "_")}.txt`);
  const refused = new Map<string, string>();
  let hasFiles = false;
  const refuse = async (id: string, text: string, thrown: unknown): Promise<void> => {
    if (refused.size === 0)
      report(`long results cannot be written: ${diskProblem(thrown)}; this session keeps them in memory`);
    refused.set(id, text);
    // A partial file must not be taken for the whole.
    await rm(fileOf(id), { force: true }).catch(() => {});
  };
  return {
    keep: async (id, text) => {
      const kept = redact(text);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(fileOf(id), kept, { mode: 0o600 });
        refused.delete(id);
      } catch (thrown) {
        await refuse(id, kept, thrown);
      }
    },
    read: async (id) => {
      const inMemory = refused.get(id);
      if (inMemory !== undefined) return inMemory;
      try {
        return await readFile(fileOf(id), "utf8");
      } catch (thrown) {
        if (errorCode(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
    },
    // Looks into the folder: commands write their long output there themselves, and an earlier run may have.
    isEmpty: () => {
      hasFiles ||= fileNames(folder).some((name) => name.endsWith(".txt"));
      return !hasFiles && refused.size === 0;
    },
  };
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Made with the first result.
  }
}
