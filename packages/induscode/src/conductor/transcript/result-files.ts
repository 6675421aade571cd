import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "indusagi/core";
import type { ResultStore } from "indusagi/runtime";

/** Long answers of tools as files that only the owner can read. A continued session finds them again. */
export function createResultFiles(
  folder: string,
  redact: (text: string) => string = (text) => text,
): ResultStore {
  const fileOf = (id: string): string => join(folder, `${id.replaceAll(/[^\w-]/g, "_")}.txt`);
  return {
    keep: async (id, text) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(fileOf(id), redact(text), { mode: 0o600 });
    },
    read: async (id) => {
      try {
        return await readFile(fileOf(id), "utf8");
      } catch (thrown) {
        if (errorCode(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
    },
  };
}
