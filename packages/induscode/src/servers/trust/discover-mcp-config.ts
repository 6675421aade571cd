import {
  approvalHash,
  type ConfigDiagnostic,
  type ConfigProfile,
  type ConfigSource,
  type LaunchAsWritten,
  type LoadConfigOptions,
  type LoadedFile,
  type LoadedRow,
  loadServerConfigs,
} from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";
import { type RowApproval, rowApproval, type TrustReader } from "./row-approval.ts";

/** `own`: from the user's file, so it needs no approval. The others are rows of a project. */
export type TrustState = "own" | "approved" | "pending" | "refused";

export interface DiscoverOptions
  extends Pick<
    LoadConfigOptions,
    "home" | "env" | "platform" | "inputs" | "readText" | "readPlace" | "lastGood"
  > {
  /** The user's decisions. Default: none, so every row of a project is pending. */
  readonly trust?: TrustReader;
}

export interface DiscoveredServer {
  /** Marked `pending` unless it may be started. */
  readonly config: ServerConfig;
  readonly origin: ConfigSource;
  readonly trust: TrustState;
  /** The hash that decisions are bound to. */
  readonly launch: string;
  /** What to show to a user who decides: the launch with every `${…}` as written. */
  readonly written: LaunchAsWritten;
  /** The parts of the row that have changed since it was approved. Absent if there are none, or if they are unknown. */
  readonly changed?: readonly string[];
  /** Why the row in the file cannot be used. Then this is its last good form. */
  readonly problem?: string;
}

export interface DiscoveredConfig {
  /** In order of precedence, including disabled rows. A row that may not be started does not hide other rows of its name. */
  readonly servers: readonly DiscoveredServer[];
  /** One per name. A project's profile does not hide the user's. */
  readonly profiles: readonly ConfigProfile[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  readonly files: readonly LoadedFile[];
  /** Required servers of the user whose row cannot be used. */
  readonly missing: readonly string[];
}

/**
 * Finds the servers of a project folder: in its own file, the user's file and the two older places, each with its origin and
 * whether it may be started. Never throws, starts nothing.
 */
export function discoverMcpConfig(
  cwd: string = process.cwd(),
  { trust, ...reading }: DiscoverOptions = {},
): DiscoveredConfig {
  const approval = rowApproval(trust, reading.env);
  const loaded = loadServerConfigs({ ...reading, cwd, isApproved: approval.isApproved });
  return {
    servers: loaded.servers.map((row) => discovered(row, approval)),
    profiles: loaded.profiles,
    diagnostics: [...loaded.diagnostics, ...approval.diagnostics()],
    files: loaded.files,
    missing: loaded.missing,
  };
}

function discovered(row: LoadedRow, approval: RowApproval): DiscoveredServer {
  const { config, source, written, problem } = row;
  const trust = stateOf(row, approval.isRefused(row));
  const changed = approval.changed(row);
  return {
    ...{ config, origin: source, trust, launch: approvalHash(written), written },
    ...(changed.length > 0 && { changed }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function stateOf({ pending, source }: LoadedRow, isRefused: boolean): TrustState {
  if (source.scope !== "project") return "own";
  if (!pending) return "approved";
  return isRefused ? "refused" : "pending";
}
