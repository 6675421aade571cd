import type { Run } from "../boot/internal.ts";
import type { GatewayTokens } from "../gateway/index.ts";
import type { GatewayView } from "../gateway/open/internal.ts";
import type { OpenServers } from "../servers/open/index.ts";
import type { ConfigRow, ConsoleFolder, KnownClient } from "./contract.ts";

/** One folder whose gateway the console shows. */
export interface ConsoleSource {
  readonly folder: ConsoleFolder;
  /** The state of the folder, which the data functions of the commands read. */
  readonly run: Pick<Run, "cwd" | "env" | "state" | "signal">;
  readonly servers: OpenServers;
  readonly view: GatewayView;
  tokens(): Promise<GatewayTokens>;
  /** Runs a command line of ours in the folder, in this process and without a terminal. Never rejects. */
  command(words: readonly string[], signal?: AbortSignal): Promise<CommandOutcome>;
  /** The rows of our files, without secrets. */
  rows(): Promise<readonly ConfigRow[]>;
  /** A row with the secrets that the user left hidden, or the reason why it cannot be made whole. */
  revealed(
    name: string,
    row: PlainObject,
  ): Promise<{ readonly row: PlainObject } | { readonly problem: string }>;
  /** Where a new row may go, the usual one first. */
  files(): readonly { readonly scope: ConfigRow["scope"]; readonly file: string }[];
  /** The programs that can be connected. */
  clients(): Promise<readonly KnownClient[]>;
}

export interface PlainObject {
  readonly [member: string]: unknown;
}

/** What a command said. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  /** One line each, without the name of the program. */
  readonly messages: readonly string[];
}

/** The folders that the console can show. A gateway of one folder has one. */
export interface ConsoleSources {
  /** A folder has the same object as long as its servers are the same. */
  list(): readonly ConsoleSource[];
  /** Calls the listener after the list has changed. Absent: it never changes. */
  onChange?(listener: () => void): () => void;
}
