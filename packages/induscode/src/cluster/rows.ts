import { type PlainRow, writtenRows } from "indusagi/config";
import { contentHash, isRecord } from "indusagi/core";
import { exactPackageVersion, type ServerConfig } from "indusagi/interop";
import { serverSource } from "../servers/pins/internal.ts";
import type { RowPlacement } from "./contract.ts";

/** A server of the cluster's configuration. */
export interface ClusterRow {
  readonly server: string;
  /** As written. Only a worker resolves its variables. */
  readonly row: PlainRow;
  readonly placement: RowPlacement;
  /** Why its placement cannot be used. */
  readonly problem?: string | undefined;
  /** Changes whenever the row does. */
  readonly hash: string;
}

/** The rows of the configuration, by server. */
export function clusterRows(text: string): ReadonlyMap<string, ClusterRow> {
  const rows = writtenRows(text).map(({ name: server, row: written }): [string, ClusterRow] => {
    const { placement, ...row } = written;
    const hash = contentHash(JSON.stringify(written));
    return [
      server,
      { server, row, hash, placement: placementOf(placement), problem: placementProblem(placement) },
    ];
  });
  return new Map(rows);
}

function placementOf(given: unknown): RowPlacement {
  const labels = isRecord(given) ? given["labels"] : undefined;
  return { labels: Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [] };
}

function placementProblem(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const labels = isRecord(given) ? given["labels"] : undefined;
  const isGood =
    Array.isArray(labels) &&
    labels.length > 0 &&
    labels.every((label) => typeof label === "string" && isLabel(label));
  if (isGood && Object.keys(given as object).length === 1) return undefined;
  return 'its "placement" is not { "labels": ["NAME", …] }, with names of A–Z a–z 0–9 . _ -';
}

function isLabel(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text);
}

/** The configuration as a worker reads it. */
export function workerConfiguration(rows: Iterable<ClusterRow>): string {
  return JSON.stringify({
    mcpServers: Object.fromEntries([...rows].map(({ server, row }) => [server, row])),
  });
}

/** What starts a server, or reaches it. A gateway does neither, and must not learn the values. */
const OF_WORKERS: ReadonlySet<string> = new Set([
  "command",
  "args",
  "cwd",
  "env",
  "envFile",
  "environment",
  "url",
  "httpUrl",
  "serverUrl",
  "headers",
  "http_headers",
  "type",
  "transport",
  "oauth",
  "fromCommand",
  "share",
]);

/** The configuration as a gateway reads it: names, filters and limits. */
export function gatewayConfiguration(rows: Iterable<ClusterRow>): string {
  const shown = [...rows].map(({ server, row, hash }) => {
    const options = Object.entries(row).filter(([member]) => !OF_WORKERS.has(member));
    // With the hash, so a changed row is a changed server.
    return [server, { ...launchShown(server, row), env: { ROW: hash }, ...Object.fromEntries(options) }];
  });
  return JSON.stringify({ mcpServers: Object.fromEntries(shown) });
}

/**
 * A launch that stands for the one in a row: the same for rows that start the same program, whose approved forms stay in use. It
 * shows whether the row names an exact version of a package: then a change is more suspicious.
 */
function launchShown(
  server: string,
  { command, args, url, httpUrl, serverUrl }: PlainRow,
): { readonly command: string; readonly args: readonly string[] } {
  const words = Array.isArray(args) ? args.map(String) : [];
  const config: ServerConfig =
    typeof command === "string"
      ? { id: server, kind: "stdio", command, args: words }
      : {
          id: server,
          kind: "streamable-http",
          url: [url, httpUrl, serverUrl].find((each) => typeof each === "string") ?? "",
        };
  const source = serverSource(config);
  const version = exactPackageVersion(config);
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
    return { command: "indus-cluster-worker", args: [source] };
  return { command: "npx", args: [`row-${source}@${version}`] };
}
