import { CoreError, type CoreErrorOptions } from "../core/index.ts";
import type { OAuthSettings, ServerConfig } from "../interop/contract/index.ts";

/** Where a row comes from, in order of precedence; `explicit` is a file that the user named. */
export type ConfigScope = "project" | "user" | "legacy" | "explicit";

/** The path to a value in a file: member names and array indexes from the root. */
export type ConfigPath = readonly (string | number)[];

/** A problem with a file, a row or a member. Contains names only, never values. */
export interface ConfigDiagnostic {
  /** `error`: a file, row or value was dropped. `warning`: it is used, or has no effect, and should be checked. */
  readonly severity: "error" | "warning";
  /** Absent when a text without a file was parsed. */
  readonly file?: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Empty for the file as a whole. */
  readonly path: ConfigPath;
  /** Names the thing and what to do. Safe to show: control characters are escaped. */
  readonly message: string;
}

/** The position of a row. */
export interface ConfigSource {
  readonly scope: ConfigScope;
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/**
 * What a row starts or connects to, with every `${…}` as written in the file (opencode's `{env:NAME}` as `${env:NAME}`), and its
 * other settings. An approval is bound to all of it (`approvalHash`). It contains no secrets from the environment and does not
 * change when a token does.
 */
export interface LaunchAsWritten {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** From the row and from its file. */
  readonly envFiles?: readonly string[];
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** How to log in. */
  readonly oauth?: OAuthSettings | false;
  /** Variables or headers that commands write. */
  readonly fromCommand?: { readonly [name: string]: readonly string[] };
  /** Present if the row asks for weaker checks of changed tools than usual: a project must not do that unnoticed. */
  readonly pin?: "off" | "warn";
  /** The names of the variables in the row's `envFile`, sorted. Absent if there are none. */
  readonly envFileNames?: readonly string[];
  /**
   * All other members of the row as written, except harmless ones. A number that JavaScript would write differently is an
   * object with its digits, and `type` is included if it decides what `timeout` means. Absent if there are none.
   */
  readonly members?: { readonly [member: string]: unknown };
}

/** One usable row of a configuration file. */
export interface ConfigRow {
  /** Ready to use: variables are expanded, except in a row with `enabled: false`. */
  readonly config: ServerConfig;
  readonly written: LaunchAsWritten;
  readonly source: ConfigSource;
  /** Why the row in the file cannot be used. Then this is its last good form, used instead. */
  readonly problem?: string;
}

/** Which native tools a profile has besides those of servers. */
export type NativeProfile = "none" | "read-only" | "full" | "all";

/** A named subset of what a gateway offers. It only leaves tools out: naming a tool does not make it available. */
export interface ConfigProfile {
  readonly name: string;
  /** The servers, by id; `*` stands for any characters. Absent: all. */
  readonly servers?: readonly string[];
  /** The tools, written as for `--tools`. Absent: all. */
  readonly tools?: readonly string[];
  /** Absent: the same as the gateway. */
  readonly native?: NativeProfile;
  /** How tools are listed. Absent: the same as the gateway. */
  readonly listing?: "all" | "search" | "auto" | "code";
  readonly source: ConfigSource;
}

/** The result of parsing one text. */
export interface ParsedConfig {
  /** In file order, one row per id. */
  readonly servers: readonly ConfigRow[];
  /** In file order, one per name. */
  readonly profiles: readonly ConfigProfile[];
  /** The ids of dropped rows. */
  readonly dropped: readonly string[];
  /** The dropped ids that are marked `required`. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** False if the whole text was dropped (malformed, half-written, empty): a watcher keeps its last configuration. */
  readonly usable: boolean;
}

/** A configuration file to read. */
export interface ConfigPlace {
  readonly scope: ConfigScope;
  readonly file: string;
}

/** The text of a file, or a clause that explains why it could not be read. */
export type TextReading =
  | {
      readonly text: string;
      /** Other users of the machine may read or change the file. */
      readonly isShared?: boolean;
    }
  | { readonly problem: string; readonly isAbsent?: boolean };

/** The largest file that is read or written, in bytes. */
export const MAX_CONFIG_BYTES: number = 4 * 1024 * 1024;

/** The deepest nesting of a file. */
export const MAX_CONFIG_DEPTH = 64;

/** The most rows that are read from one container of a file. */
export const MAX_CONFIG_ROWS = 2000;

/** The most diagnostics for one file; the rest are only counted. */
export const MAX_DIAGNOSTICS = 200;

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
