import type { ServerConfig } from "../interop/contract/index.ts";

/** Where a row comes from, in the order of precedence; `explicit` is a file somebody named by hand. */
export type ConfigScope = "project" | "user" | "legacy" | "explicit";

/** The way to a value in a file: member names and array indexes from the root. */
export type ConfigPath = readonly (string | number)[];

/** One line about a file, a row or a member that is not used as it stands. Never holds a value, only names. */
export interface ConfigDiagnostic {
  /** `error`: a file, row or value was dropped. `warning`: it is used, or without effect, and worth a look. */
  readonly severity: "error" | "warning";
  /** Absent when a bare text was parsed. */
  readonly file?: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Empty for the file as a whole. */
  readonly path: ConfigPath;
  /** Names the thing and the way out. Safe to show: control characters are written out. */
  readonly message: string;
}

/** Where a row stands. */
export interface ConfigSource {
  readonly scope: ConfigScope;
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/**
 * What a row would start or reach, with every `${…}` as it is written in the file. An approval is bound to this:
 * it holds no secret of the environment and does not change when a token does.
 */
export interface LaunchAsWritten {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** Of the row, and of the file it stands in. */
  readonly envFiles?: readonly string[];
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** One usable row of a configuration file. */
export interface ConfigRow {
  /** Ready to be mounted: variables are filled in. Of a row with `enabled: false` they are left as written. */
  readonly config: ServerConfig;
  readonly written: LaunchAsWritten;
  readonly source: ConfigSource;
}

/** What came of one text. */
export interface ParsedConfig {
  /** In file order, one row an id. */
  readonly servers: readonly ConfigRow[];
  /** Ids the text names in rows that had to be dropped. */
  readonly dropped: readonly string[];
  /** Those of them that are marked `required`: somebody counts on these servers. */
  readonly missing: readonly string[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** False when the text as a whole was dropped (malformed, half-written, empty): a watcher keeps what it had. */
  readonly usable: boolean;
}

/** A file to look into. */
export interface ConfigPlace {
  readonly scope: ConfigScope;
  readonly file: string;
}

/** A file's text, or one clause that says why there is none. */
export type TextReading =
  | { readonly text: string }
  | { readonly problem: string; readonly isAbsent?: boolean };
