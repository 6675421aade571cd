import { isUtf8 } from "node:buffer";
import { lstatSync, mkdirSync, readdirSync, readFileSync, type Stats, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  errorCode,
  type FileDisk,
  isRecord,
  readPrivateFile,
  replaceFileAsync,
  replaceFileSync,
  type SyncReplacement,
  withFileLock,
} from "indusagi/core";

/**
 * A small state file, private to its owner: mode 0600 in a folder with mode 0700. It is always replaced as a whole, so a reader,
 * or a restart after a crash, finds either the old content or the new. A file that others could have written is not used.
 *
 * A store is a schema for such a file. It decides what an unusable file means: withhold, or start over.
 */
export interface JsonFile<Value> {
  readonly path: string;
  /** Reads the file. Never throws. */
  read(): StoreReading<Value>;
  /** Reads the file only if it has changed. For files that are read often. */
  current(): StoreReading<Value>;
  /** Replaces the file; the last writer wins. Returns what it stored: see `smaller`. Throws if it cannot be written. */
  write(value: Value): Value;
  /** `write` without blocking. Concurrent writes may finish in any order. */
  writeAsync(value: Value): Promise<Value>;
  /**
   * Reads, changes and writes under a lock. `change` returns what to store, or `undefined` to leave the file as it is; it
   * throws to refuse. Rejects if `change` throws, the file cannot be written, or another process holds the lock too long.
   */
  update(change: (now: StoreReading<Value>) => Value | undefined): Promise<StoredJson<Value>>;
  /** Removes the file if it exists. Throws if that fails. */
  remove(): void;
  /** Changes whenever the file does; `""` if there is no file. Never throws. */
  stamp(): string;
}

/** The value, `undefined` if there is no file; or why the file cannot be used. */
export type StoreReading<Value> = { readonly value: Value | undefined } | StoreProblem;

interface StoreProblem {
  /** Why, and what to do about it: a clause after the path of the file. */
  readonly problem: string;
  /** Only why. */
  readonly reason: string;
  /** The problem is the folder, so it affects every file in it. */
  readonly isOfFolder?: boolean;
  /** The file is private, but its content is damaged or of a newer version. */
  readonly isDamage?: boolean;
}

/** A file after an update. */
interface StoredJson<Value> {
  /** What `change` returned, or else what the file had before. */
  readonly value: Value | undefined;
  /** See `JsonFile.stamp`. Taken under the lock. */
  readonly stamp: string;
}

/** The content of one kind of file. */
export interface StoreSchema<Value> {
  /** Returns `undefined`, or throws, if the text is damaged or of a newer version. */
  readonly parse: (text: string) => Value | undefined;
  readonly text: (value: Value) => string;
  /** Describes a damaged file, with the remedy: a clause after its path. Default: see `DAMAGED`. */
  readonly damage?: string;
  /** The largest file that is read or written. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Shrinks a value that is too large; `undefined` if that is not possible. Default: never possible. */
  readonly smaller?: (value: Value) => Value | undefined;
  /** Writes do not wait for the disk, so a power cut may damage the file. Only for what can be recreated. */
  readonly canLose?: boolean;
}

export interface JsonFileOptions {
  /** How long an update waits for another process. Default 5 s. */
  readonly lockMs?: number;
  /** The disk of `writeAsync`. Default: this machine's. */
  readonly disk?: FileDisk | undefined;
}

const DAMAGED = "is damaged, or of a newer version";
const MAX_BYTES = 4 * 1024 * 1024;
const LOCK_MS = 5_000;

/** Opens a file, which need not exist. Touches nothing; the first write creates its folder. */
export function openJsonFile<Value>(
  path: string,
  schema: StoreSchema<Value>,
  options: JsonFileOptions = {},
): JsonFile<Value> {
  return new StoredFile(path, schema, options);
}

/** A schema for a JSON object whose first member, `format`, is the version of its shape. */
export function versionedJson<Value>(shape: VersionedShape<Value>): StoreSchema<Value> {
  const { format, parse, members, indent, ...limits } = shape;
  return {
    ...limits,
    parse: (text) => {
      const file: unknown = JSON.parse(text);
      if (!isRecord(file)) return undefined;
      const { format: version, ...found } = file;
      return version === format ? parse(found) : undefined;
    },
    text: (value) => `${JSON.stringify({ format, ...members(value) }, undefined, indent)}\n`,
  };
}

export interface VersionedShape<Value> extends Omit<StoreSchema<Value>, "parse" | "text"> {
  /** Increment when the shape changes. */
  readonly format: number;
  /** As `StoreSchema.parse`, for the members besides `format`. */
  readonly parse: (members: { readonly [name: string]: unknown }) => Value | undefined;
  readonly members: (value: Value) => object;
  /** For files that people read. */
  readonly indent?: number;
}

/** The value if there is one. A file that cannot be used counts as absent, so not for stores that withhold. */
export function valueOrNothing<Value>(reading: StoreReading<Value>): Value | undefined {
  return "value" in reading ? reading.value : undefined;
}

const HASH_NAME = /^[0-9a-f]{32}\.json$/;

/** The paths of the files in a folder that are named by a hash. Empty if the folder is missing or cannot be read. */
export function hashNamedFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => HASH_NAME.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

class StoredFile<Value> implements JsonFile<Value> {
  readonly path: string;
  readonly #schema: StoreSchema<Value>;
  readonly #options: JsonFileOptions;
  /** The content when last read or written. Only used after the first `current`. */
  #held: { readonly stamp: string; readonly value: Value } | undefined;
  #isHeld = false;

  constructor(path: string, schema: StoreSchema<Value>, options: JsonFileOptions) {
    this.path = path;
    this.#schema = schema;
    this.#options = options;
  }

  read(): StoreReading<Value> {
    const { damage = DAMAGED, maxBytes = MAX_BYTES } = this.#schema;
    const reading = readPrivateFile<{ readonly bytes: Buffer }>(this.path, (file, { size }) =>
      size > maxBytes
        ? { problem: `is larger than ${inMiB(maxBytes)}`, remedy: "remove it" }
        : { bytes: readFileSync(file) },
    );
    if ("bytes" in reading) {
      const value = this.#parsed(reading.bytes);
      return value === undefined ? { problem: damage, reason: damage, isDamage: true } : { value };
    }
    if (reading.isAbsent) return { value: undefined };
    const { problem: reason, remedy, ...rest } = reading;
    return { problem: remedy === undefined ? reason : `${reason}; ${remedy}`, reason, ...rest };
  }

  current(): StoreReading<Value> {
    this.#isHeld = true;
    const stamp = this.stamp();
    if (this.#held?.stamp === stamp) return { value: this.#held.value };
    const reading = this.read();
    const isFound = "value" in reading && reading.value !== undefined;
    this.#held = isFound ? { stamp, value: reading.value } : undefined;
    return reading;
  }

  write(value: Value): Value {
    const fitting = this.#fitting(value);
    makeFolder(this.path);
    replaceFileSync(this.#replacement(fitting));
    return this.#wrote(fitting);
  }

  async writeAsync(value: Value): Promise<Value> {
    const fitting = this.#fitting(value);
    makeFolder(this.path);
    await replaceFileAsync({ ...this.#replacement(fitting), disk: this.#options.disk });
    return this.#wrote(fitting);
  }

  async update(change: (now: StoreReading<Value>) => Value | undefined): Promise<StoredJson<Value>> {
    makeFolder(this.path);
    const lock = { folder: dirname(this.path), name: basename(this.path) };
    return withFileLock(lock, { waitMs: this.#options.lockMs ?? LOCK_MS }, async () => {
      const now = this.read();
      const next = change(now);
      if (next !== undefined) await this.writeAsync(next);
      return { value: next ?? valueOrNothing(now), stamp: this.stamp() };
    });
  }

  remove(): void {
    try {
      unlinkSync(this.path);
    } catch (thrown) {
      // Another process may have removed it.
      if (errorCode(thrown) !== "ENOENT") throw thrown;
    }
  }

  stamp(): string {
    const found = look(this.path);
    return found ? stampOf(found) : "";
  }

  #parsed(bytes: Buffer): Value | undefined {
    try {
      return isUtf8(bytes) ? this.#schema.parse(bytes.toString("utf8")) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The content of the file for a value, shrunk until it fits, so what is written can be read. */
  #fitting(value: Value): Fitting<Value> {
    return fittingContent(value, this.#schema, this.path);
  }

  #replacement({ content }: Fitting<Value>): SyncReplacement {
    return { path: this.path, content, mode: 0o600, canLose: this.#schema.canLose };
  }

  #wrote({ value, content }: Fitting<Value>): Value {
    if (!this.#isHeld) return value;
    const found = look(this.path);
    // Another size: another process has replaced the file since.
    this.#held = found?.size === content.length ? { stamp: stampOf(found), value } : undefined;
    return value;
  }
}

interface Fitting<Value> {
  readonly value: Value;
  readonly content: Buffer;
}

/** The content of a file for a value, shrunk as the schema says. Throws if it stays too large. */
export function fittingContent<Value>(
  value: Value,
  { text, smaller, maxBytes = MAX_BYTES }: StoreSchema<Value>,
  path: string,
): Fitting<Value> {
  let fitting = { value, content: Buffer.from(text(value)) };
  while (fitting.content.length > maxBytes) {
    const next = smaller?.(fitting.value);
    const content = next === undefined ? undefined : Buffer.from(text(next));
    if (next === undefined || content === undefined || content.length >= fitting.content.length)
      throw new Error(`the content of ${path} would be larger than ${inMiB(maxBytes)}`);
    fitting = { value: next, content };
  }
  return fitting;
}

function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
}

/** Does not follow links: they are not used either. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function stampOf({ ino, ctimeMs, mtimeMs, size }: Stats): string {
  return `${ino}-${ctimeMs}-${mtimeMs}-${size}`;
}

function inMiB(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
