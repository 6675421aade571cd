import { CoreError, type CoreErrorOptions } from "../core/index.ts";

/**
 * Why a configuration could not be saved: what stands there is malformed and would be lost (`malformed`), what was
 * given cannot be a configuration (`invalid`), or the disk refused (`unwritable`).
 */
export type ConfigErrorKind = "malformed" | "invalid" | "unwritable";

/** A refused save. Reading never throws: it reports. */
export class ConfigError extends CoreError<ConfigErrorKind> {
  readonly file: string;

  constructor(kind: ConfigErrorKind, file: string, message: string, options: CoreErrorOptions = {}) {
    super(kind, message, options);
    this.file = file;
  }
}
