import { lstatSync, mkdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { replaceFileSync } from "../../core/files/index.ts";
import { describeError, errorCode } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import { ConfigError, MAX_CONFIG_BYTES } from "../contract.ts";
import { readConfigText } from "../places/read-config-text.ts";
import { quoted } from "../report.ts";

/** The texts of a file before and after an edit. */
export interface EditedFile {
  /** The file itself: links are followed. */
  readonly path: string;
  /** Absent: there was no file. */
  readonly before?: string;
  readonly after: string;
}

export interface EditFileOptions {
  /** Called before the file is replaced, to keep a copy of it. If it throws, nothing is changed. */
  readonly backUp?: (file: EditedFile) => void;
  /** False only computes the texts, as a dry run. Default true. */
  readonly write?: boolean;
}

/**
 * Replaces the text of a file in one step, keeping its mode. `edit` gets the current text, `undefined` if there is no file.
 * Nothing is written if the text stays the same. Throws a `ConfigError` if the edit is refused; then nothing has changed.
 */
export function editConfigFile(
  path: string,
  edit: (text: string | undefined) => string,
  { backUp, write = true }: EditFileOptions = {},
): EditedFile {
  try {
    const target = configTarget(path);
    const before = target.existing ? currentText(path, target) : undefined;
    const after = edit(before);
    const edited: EditedFile = definedMembers({ path: target.path, after, before });
    if (!write || after === before) return edited;
    backUp?.(edited);
    saveConfigText(target, after);
    return edited;
  } catch (thrown) {
    throw saveError(path, thrown);
  }
}

function currentText(path: string, target: ConfigTarget): string {
  const reading = readConfigText(target.path);
  if ("text" in reading) return reading.text;
  throw new ConfigError("unwritable", path, `${quoted(path)} ${reading.problem}`);
}

/** Only the owner may read a new file: it may contain tokens. */
const NEW_FILE_MODE = 0o600;

/** The file to write. */
interface ConfigTarget {
  readonly path: string;
  /** Absent: the name is free. */
  readonly existing?: Stats;
}

/** Follows links, and accepts only a regular file or a free name. */
export function configTarget(path: string): ConfigTarget {
  try {
    const real = realpathSync(path);
    const existing = lstatSync(real);
    if (existing.isFile()) return { path: real, existing };
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
    if (!isLink(path)) return { path };
    throw new ConfigError("unwritable", path, `${quoted(path)} is a link to a missing file; remove it`, {
      cause: thrown,
    });
  }
  throw new ConfigError("unwritable", path, `${quoted(path)} is not a regular file; use another path`);
}

/** Replaces the file in one step and creates its folder if needed. */
export function saveConfigText(target: ConfigTarget, text: string): void {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    throw new ConfigError("invalid", target.path, `${quoted(target.path)} would be too large to read again`);
  mkdirSync(dirname(target.path), { recursive: true });
  replaceFileSync({ ...target, content: Buffer.from(text), mode: NEW_FILE_MODE });
}

/** Converts an error thrown while saving to a `ConfigError`. */
export function saveError(path: string, thrown: unknown): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  const why = errorCode(thrown) ?? describeError(thrown);
  return new ConfigError("unwritable", path, `${quoted(path)} cannot be saved (${why})`, { cause: thrown });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
