import { lstatSync, mkdirSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { replaceFileSync } from "../../core/files/index.ts";
import { describeError, errorCode } from "../../core/index.ts";
import { MAX_CONFIG_BYTES } from "../budget.ts";
import { ConfigError } from "../config-error.ts";
import { quoted } from "../report.ts";

/** Only the owner may read a new file: it may contain tokens. */
const NEW_FILE_MODE = 0o600;

/** The file to write. */
export interface ConfigTarget {
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
