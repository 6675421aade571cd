import type { ServerConfig } from "indusagi/interop";
import { type Run, workspaceTokens } from "../../boot/internal.ts";
import {
  DEFAULT_HOST,
  httpAccess,
  type PreparedHttp,
  prepareHttp,
  type TokenAccess,
  type TokenStore,
  tokenAccess,
  unknownServers,
  verifierFrom,
} from "../index.ts";
import type { GatewayOptions } from "./gateway-options.ts";

/** Who may use a gateway, and with what. */
export interface GatewayAccess {
  /** What each token allows. Absent over stdio, where the only client is the one that started us, and without a state folder. */
  readonly access?: TokenAccess;
  /** Where they are from. */
  readonly tokens?: TokenStore;
  /** Absent over stdio. */
  readonly http?: {
    readonly prepared: PreparedHttp;
    readonly needsToken: boolean;
    /** A token that was made for this run. */
    readonly madeToken?: string;
  };
}

interface AccessOptions extends Pick<GatewayOptions, "transport" | "profile" | "servers"> {
  /** The ids of the approved servers, see `ToolPattern`. */
  readonly approved: () => readonly string[];
}

/** Reads the tokens. Throws, with the remedy, if one is needed that does not exist. */
export async function openAccess(
  run: Pick<Run, "env" | "report" | "terminal" | "state">,
  { transport, profile = "read-only", servers, approved }: AccessOptions,
): Promise<GatewayAccess> {
  if (transport.kind === "stdio") return {};
  const { host = DEFAULT_HOST, tokenEnv, requireToken } = transport;
  // Before anything is created for the tokens.
  if (tokenEnv !== undefined) verifierFrom(tokenEnv, run.env);
  // Without a folder there are no tokens. That is reported for the memory of the servers, which is in the same folder.
  const store = await workspaceTokens(run).catch(() => undefined);
  const { env, report, terminal } = run;
  const canShow = !terminal.isKept;
  const changes = profile !== "read-only" && profile !== "none";
  const allowed = httpAccess({ host, tokenEnv, requireToken, changes, canShow, env, store, report });
  const { admitsAnonymous, madeToken } = allowed;
  if (store) reportUnknown(store, servers, report);
  return {
    ...(store ? { access: tokenAccess(store, approved), tokens: store } : {}),
    http: {
      prepared: prepareHttp(transport, allowed),
      needsToken: !admitsAnonymous,
      ...(madeToken === undefined ? {} : { madeToken }),
    },
  };
}

/** A file that cannot be used is reported when a token is checked. */
function reportUnknown(
  store: TokenStore,
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
