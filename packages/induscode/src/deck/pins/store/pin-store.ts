import { mkdirSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCode, replaceFileAsync, withFileLock } from "indusagi/core";
import type { ServerPins } from "../pin.ts";
import { type ListingMemo, readListingMemo, writeListingMemo } from "./listing-memo.ts";
import { type PinReading, pinFileName, pinText, readPinFile } from "./pin-file.ts";

/** How long a change waits for another process that changes the same file. */
const LOCK_MS = 10_000;
const NAME = /^[0-9a-f]{32}\.json$/;

/** One file of pins. */
interface PinFile {
  readonly path: string;
  readonly reading: PinReading;
}

/** What a file of pins contains after a change. */
interface StoredPins {
  readonly found: ServerPins | undefined;
  /** See `PinStore.stamp`. Taken before another process can change the file again. */
  readonly stamp: string;
}

/** The pins of the servers of one workspace, in files that only their owner can read. */
export interface PinStore {
  path(server: string, source: string): string;
  /** Never throws. */
  read(server: string, source: string): PinReading;
  /** Every file that exists. Never throws. */
  files(): readonly PinFile[];
  /** A sign that changes when a file does; `""` if there is none. Never throws. */
  stamp(server: string, source: string): string;
  /**
   * Changes a file while no other process does. `change` gets what is in it and returns what to store, or `undefined` to
   * leave it. Resolves to what is stored then. Rejects if the disk refuses or the file cannot be used.
   */
  update(
    server: string,
    source: string,
    change: (now: ServerPins | undefined) => ServerPins | undefined,
  ): Promise<StoredPins>;
  /** The listing of a server that was reviewed last without a finding. Never throws. */
  memo(server: string, source: string): ListingMemo | undefined;
  /** Never rejects. */
  keepMemo(server: string, source: string, memo: ListingMemo): Promise<void>;
  /** Removes a file that cannot be used. The next listing of its server is pinned. */
  remove(path: string): void;
}

/** Nothing is created before the first pin. */
export function openPinStore(stateFolder: string): PinStore {
  const folder = join(stateFolder, "pins");
  const reviewed = join(stateFolder, "reviewed");
  const pathOf = (server: string, source: string): string => join(folder, pinFileName(server, source));
  return {
    path: pathOf,
    read: (server, source) => readPinFile(pathOf(server, source)),
    files: () => namesIn(folder).map((name) => fileAt(join(folder, name))),
    stamp: (server, source) => stampOf(pathOf(server, source)),
    update: async (server, source, change) => {
      const path = pathOf(server, source);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const lock = { folder, name: pinFileName(server, source) };
      return withFileLock(lock, { waitMs: LOCK_MS }, async () => {
        const reading = readPinFile(path);
        if ("problem" in reading) throw new Error(`${path} ${reading.problem}`);
        const next = change(reading.found);
        if (next) await replaceFileAsync({ path, content: Buffer.from(pinText(next)), mode: 0o600 });
        return { found: next ?? reading.found, stamp: stampOf(path) };
      });
    },
    memo: (server, source) => readListingMemo(join(reviewed, pinFileName(server, source))),
    keepMemo: (server, source, memo) => writeListingMemo(reviewed, pinFileName(server, source), memo),
    remove: (path) => {
      try {
        unlinkSync(path);
      } catch (thrown) {
        if (errorCode(thrown) !== "ENOENT") throw thrown;
      }
    },
  };
}

function stampOf(path: string): string {
  try {
    const { ino, ctimeMs, mtimeMs, size } = statSync(path);
    return `${ino}-${ctimeMs}-${mtimeMs}-${size}`;
  } catch {
    return "";
  }
}

function fileAt(path: string): PinFile {
  return { path, reading: readPinFile(path) };
}

/** None if the folder is missing. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}
