import type { ServerConfig } from "indusagi/interop";
import { type Run, workspaceTokens } from "../../boot/internal.ts";
import {
  DEFAULT_HOST,
  type GatewayTokens,
  httpAccess,
  type PreparedHttp,
  prepareHttp,
  type TokenAccess,
  type TokenRecord,
  tokenAccess,
  verifierFrom,
} from "../index.ts";
import type { GatewayOptions } from "./gateway-options.ts";

/** Who may use a gateway, and with what. */
export interface GatewayAccess {
  /** What each token allows. Absent without a state folder, and over stdio, where the only client is the one that started us. */
  readonly access?: TokenAccess | undefined;
  readonly tokens?: GatewayTokens | undefined;
  /** Absent unless it serves over HTTP. */
  readonly http?: {
    readonly prepared: PreparedHttp;
    readonly needsToken: boolean;
    /** A token made for this run. */
    readonly madeToken?: string | undefined;
  };
}

interface AccessOptions extends Pick<GatewayOptions, "transport" | "profile" | "servers" | "workers"> {
  /** The ids of the approved servers, see `ToolPattern`. */
  readonly approved: () => readonly string[];
}

/** Reads the tokens. Throws, with the fix, if a required token does not exist. */
export async function openAccess(
  run: Pick<Run, "env" | "report" | "terminal" | "state">,
  { transport, profile = "read-only", servers, workers, approved }: AccessOptions,
): Promise<GatewayAccess> {
  if (transport.kind !== "http") return {};
  const { host = DEFAULT_HOST, tokenEnv, requireToken } = transport;
  // Check it before creating anything for the tokens.
  if (tokenEnv !== undefined) verifierFrom(tokenEnv, run.env);
  // No state folder, no tokens. Opening the servers' catalogue, in the same folder, reports it.
  const store = await workspaceTokens(run).catch(() => undefined);
  const { env, report, terminal } = run;
  const canShow = !terminal.isKept;
  const changes = profile !== "read-only" && profile !== "none";
  const allowed = httpAccess({ host, tokenEnv, requireToken, changes, canShow, env, store, report });
  const { admitsAnonymous, madeToken } = allowed;
  if (store) reportUnknown(store, servers, report);
  return {
    access: store && tokenAccess(store, approved, workers?.places),
    tokens: store,
    http: {
      prepared: prepareHttp(transport, allowed, workers !== undefined),
      needsToken: !admitsAnonymous,
      madeToken,
    },
  };
}

/** An unusable file is reported when a token is checked. */
function reportUnknown(
  store: GatewayTokens,
  servers: readonly ServerConfig[],
  report: (message: string) => void,
): void {
  try {
    const ids = servers.map(({ id }) => id);
    for (const line of unknownServers(store.list(), ids)) report(line);
  } catch {
    // See above.
  }
}

/** A line for each token that names a server which is not served, usually a misspelt name. */
function unknownServers(tokens: readonly TokenRecord[], served: readonly string[]): readonly string[] {
  const known = served.length === 0 ? "there is none" : `the servers are ${served.join(", ")}`;
  return tokens.flatMap(({ name, servers = [] }) => {
    const missing = servers.filter((id) => !served.includes(id));
    if (missing.length === 0) return [];
    return [`token ${name} allows ${missing.join(", ")}, which is not served here; ${known}`];
  });
}
