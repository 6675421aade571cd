import { join } from "node:path";
import { describeError, replaceFileAsync, withFileLock } from "indusagi/core";
import { type ClashRecord, createClashRecord } from "indusagi/interop";
import { readEntryFile } from "./entry-file.ts";
import { listText, parseList } from "./list-file.ts";

/** The URIs that several servers had, in a file: they stay namespaced after a restart. Closing it waits for the disk. */
export interface StoredClashes extends ClashRecord, AsyncDisposable {}

export interface StoredClashesOptions {
  /** Called if the file cannot be used or written, with one line. */
  readonly report: (message: string) => void;
}

type Clashes = ReadonlyMap<string, readonly string[]>;

const NAME = "clashed-uris.json";
/** How long a write waits for another process. */
const LOCK_MS = 5_000;

/** Opens the record in a folder, which exists. Several processes may use it: a write adds to what the file has. */
export function openClashedUris(folder: string, { report }: StoredClashesOptions): StoredClashes {
  const record = createClashRecord(readClashes(folder, report));
  const unwritten = new Map<string, readonly string[]>();
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    try {
      await withFileLock({ folder, name: NAME }, { waitMs: LOCK_MS }, async () => {
        const merged = createMerged(
          readClashes(folder, () => {}),
          unwritten,
        );
        unwritten.clear();
        // The oldest are kept if not all fit.
        const content = Buffer.from(listText("uris", [...merged]));
        await replaceFileAsync({ path: join(folder, NAME), content, mode: 0o600 });
      });
    } catch (thrown) {
      unwritten.clear();
      report(`URIs that several servers have are not remembered: ${describeError(thrown)}`);
    }
    writing = unwritten.size > 0 ? write() : undefined;
    await writing;
  };
  return {
    serversOf: (uri) => record.serversOf(uri),
    add: (found) => {
      record.add(found);
      for (const uri of found.keys()) {
        const servers = record.serversOf(uri);
        if (servers) unwritten.set(uri, servers);
      }
      if (unwritten.size > 0) writing ??= write();
    },
    [Symbol.asyncDispose]: async () => writing,
  };
}

function createMerged(before: Clashes, added: Clashes): Clashes {
  const merged = new Map(before);
  for (const [uri, servers] of added)
    merged.set(uri, [...new Set([...(merged.get(uri) ?? []), ...servers])].sort());
  return merged;
}

function readClashes(folder: string, report: (message: string) => void): Clashes {
  const path = join(folder, NAME);
  const reading = readEntryFile(path);
  if ("problem" in reading && reading.isAbsent) return new Map();
  const clashes = "text" in reading ? parseList("uris", reading.text, isClash) : undefined;
  if (clashes) return new Map(clashes);
  const why = "problem" in reading ? reading.problem : "is damaged";
  report(`${path} is not used: it ${why}; it is written again when two servers have the same URI`);
  return new Map();
}

function isClash(value: unknown): value is readonly [string, readonly string[]] {
  if (!Array.isArray(value)) return false;
  const [uri, servers] = value as readonly unknown[];
  const areTexts = Array.isArray(servers) && servers.every((server) => typeof server === "string");
  return typeof uri === "string" && areTexts && servers.length > 0;
}
