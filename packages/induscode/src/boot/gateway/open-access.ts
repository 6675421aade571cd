import {
  DEFAULT_HOST,
  httpAccess,
  type PreparedHttp,
  prepareHttp,
  type TokenAccess,
  tokenAccess,
  verifierFrom,
} from "../../gateway/index.ts";
import type { ServeProfile } from "../../launch/internal.ts";
import type { GatewayOptions, GatewayRun } from "./gateway-options.ts";

/** Who may use a gateway, and with what. */
export interface GatewayAccess {
  /** What each token allows. Absent over stdio, where the only client is the one that started us, and without a state folder. */
  readonly access?: TokenAccess;
  /** Absent over stdio. */
  readonly http?: {
    readonly prepared: PreparedHttp;
    readonly needsToken: boolean;
    /** A token that was made for this run. */
    readonly madeToken?: string;
  };
}

/** Reads the tokens. Throws, with the remedy, if one is needed that does not exist. */
export async function openAccess(
  run: GatewayRun,
  transport: GatewayOptions["transport"],
  profile: ServeProfile = "read-only",
): Promise<GatewayAccess> {
  if (transport.kind === "stdio") return {};
  const { host = DEFAULT_HOST, tokenEnv, requireToken } = transport;
  // Before anything is created for the tokens.
  if (tokenEnv !== undefined) verifierFrom(tokenEnv, run.env);
  // Without a folder there are no tokens. That is reported for the memory of the servers, which is in the same folder.
  const store = await run.tokens().catch(() => undefined);
  const { env, report, terminal } = run;
  const canShow = !terminal.isKept;
  const changes = profile !== "read-only" && profile !== "none";
  const allowed = httpAccess({ host, tokenEnv, requireToken, changes, canShow, env, store, report });
  const { admitsAnonymous, madeToken } = allowed;
  return {
    ...(store ? { access: tokenAccess(store) } : {}),
    http: {
      prepared: prepareHttp(transport, allowed),
      needsToken: !admitsAnonymous,
      ...(madeToken === undefined ? {} : { madeToken }),
    },
  };
}
