import { CoreError, type CoreErrorOptions } from "../core/index.ts";

/**
 * Why a configuration could not be saved: the existing file is malformed and its content would be lost (`malformed`),
 * the given rows are not a valid configuration (`invalid`), or the disk refused (`unwritable`).
 */
export type ConfigErrorKind = "malformed" | "invalid" | "unwritable";

/** A refused save. Reading never throws; it returns diagnostics. */
export class ConfigError extends CoreError<ConfigErrorKind> {
  readonly file: string;

  constructor(kind: ConfigErrorKind, file: string, message: string, options: CoreErrorOptions = {}) {
    super(kind, message, options);
    this.file = file;
  }
}
