import { join } from "node:path";
import { contentHash, isRecord } from "indusagi/core";
import { hashNamedFiles, type JsonFile, openJsonFile, type StoreSchema } from "../../state/index.ts";
import type { ServerPins } from "./pin.ts";
import { PIN_FILE } from "./pin-file.ts";

/** The pins of one server. */
export type PinFile = Pick<JsonFile<ServerPins>, "path" | "read" | "stamp" | "update">;

/** Where pins are. */
export interface PinStore {
  /** The pins of one server. A file that cannot be used never counts as absent. */
  pins(server: string, source: string): PinFile;
  /** The last listing of a server that was reviewed without findings. If it is lost, the next listing is reviewed. Absent: each is. */
  memo?(server: string, source: string): JsonFile<ListingMemo>;
  /** Calls the listener when others have changed pins. Returns a function that removes it. Absent: ask for `stamp`. */
  onChange?(listener: () => void): () => void;
}

/** The pins of a workspace, in files that only their owner can read. */
export interface WorkspacePinStore extends PinStore {
  pins(server: string, source: string): JsonFile<ServerPins>;
  /** All existing pin files. Never throws. */
  files(): readonly JsonFile<ServerPins>[];
}

/**
 * A listing without findings: every tool has its approved form. The same listing need not be reviewed again while the pins
 * are the same. Most starts bring nothing new, and comparing a thousand tools takes as long as a start.
 */
export interface ListingMemo {
  /** The stamp of the pin file that it was compared with: see `JsonFile.stamp`. */
  readonly pins: string;
  /** See `listingHash`. */
  readonly listing: string;
  /** The versions in the pins. */
  readonly version?: string | undefined;
  readonly packageVersion?: string | undefined;
  /** Instructions in their approved form: see `instructionsHash`. */
  readonly instructions?: string | undefined;
}

/** How long a change waits for another process. */
const LOCK_MS = 10_000;

/** Nothing is created before the first pin. */
export function openPinStore(stateFolder: string): WorkspacePinStore {
  const folder = pinFolder(stateFolder);
  const named = (server: string, source: string): string => `${pinFileName(server, source)}.json`;
  const pinsAt = (path: string): JsonFile<ServerPins> => openJsonFile(path, PIN_FILE, { lockMs: LOCK_MS });
  return {
    pins: (server, source) => pinsAt(join(folder, named(server, source))),
    files: () => hashNamedFiles(folder).map(pinsAt),
    memo: (server, source) => openJsonFile(join(stateFolder, "reviewed", named(server, source)), MEMO),
  };
}

export function pinFolder(stateFolder: string): string {
  return join(stateFolder, "pins");
}

/** The name of a server's pin file, without `.json`. */
export function pinFileName(server: string, source: string): string {
  return contentHash({ server, source });
}

/** Changes pins under a lock: see `JsonFile.update`. Rejects if they cannot be used. */
export function updatePins(
  file: PinFile,
  change: (now: ServerPins | undefined) => ServerPins | undefined,
): ReturnType<JsonFile<ServerPins>["update"]> {
  return file.update((now) => {
    if ("problem" in now) throw new Error(`${file.path} ${now.problem}`);
    return change(now.value);
  });
}

const MEMO: StoreSchema<ListingMemo> = {
  parse: (text) => {
    const memo: unknown = JSON.parse(text);
    return isMemo(memo) ? memo : undefined;
  },
  text: (memo) => `${JSON.stringify(memo)}\n`,
  canLose: true,
};

function isMemo(value: unknown): value is ListingMemo {
  if (!isRecord(value)) return false;
  const { pins, listing, version = "", packageVersion = "", instructions = "" } = value;
  return [pins, listing, version, packageVersion, instructions].every((text) => typeof text === "string");
}
