import { join } from "node:path";
import { describeError } from "indusagi/core";
import { type ClashRecord, createClashRecord } from "indusagi/interop";
import { openJsonFile, valueOrNothing } from "../../state/index.ts";
import { listSchema } from "./list-file.ts";

/** URIs that several servers had, in a file: they stay namespaced after a restart. Closing waits for the disk. */
export interface StoredClashes extends ClashRecord, AsyncDisposable {}

export interface StoredClashesOptions {
  /** Called with one line if the file cannot be used or written. */
  readonly report: (message: string) => void;
}

type Clash = readonly [uri: string, servers: readonly string[]];

/** Opens the record in an existing folder. Several processes may use it: a write adds to what the file has. */
export function openClashedUris(folder: string, { report }: StoredClashesOptions): StoredClashes {
  const file = openJsonFile(join(folder, "clashed-uris.json"), CLASHES);
  const found = file.read();
  if ("problem" in found)
    report(
      `${file.path} is not used: it ${found.reason}; it is rewritten when two servers have the same URI`,
    );
  const record = createClashRecord(new Map(valueOrNothing(found)));
  const unwritten = new Map<string, readonly string[]>();
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    try {
      await file.update((now) => {
        const merged = withClashes(valueOrNothing(now), unwritten);
        unwritten.clear();
        return merged;
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

/** Oldest first: these are kept if not all fit. */
function withClashes(
  before: readonly Clash[] = [],
  added: ReadonlyMap<string, readonly string[]>,
): readonly Clash[] {
  const merged = new Map(before);
  for (const [uri, servers] of added)
    merged.set(uri, [...new Set([...(merged.get(uri) ?? []), ...servers])].sort());
  return [...merged];
}

const CLASHES = listSchema("uris", (value): value is Clash => {
  if (!Array.isArray(value)) return false;
  const [uri, servers] = value as readonly unknown[];
  const areTexts = Array.isArray(servers) && servers.every((server) => typeof server === "string");
  return typeof uri === "string" && areTexts && servers.length > 0;
});
