import type { CallerAbilities } from "../../runtime/index.ts";
import type { QuestionAnswerer, ServerTimeouts } from "../contract/index.ts";
import type { StdioTransportOptions } from "../wire/index.ts";
import type { EraMemory } from "./connect/era-memory.ts";

/**
 * The form in which a model sees a tool's schema: `portable`, `seed` (as the sister editions reshape it), or
 * `identity` (as the server wrote it).
 */
export type SchemaProfile = "portable" | "seed" | "identity";

/** Supplies a bearer token for a server behind HTTP. `onUnauthorized` is called when the server refuses it. */
export interface TokenProvider {
  token(): Promise<string | undefined>;
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

export interface EndpointOptions {
  /** For a server without time limits of its own. */
  readonly timeouts?: ServerTimeouts;
  /** Answers questions for calls that have no caller. Its abilities are advertised to the server. */
  readonly answers?: QuestionAnswerer;
  /** Abilities that callers of this endpoint will have. Advertised to a legacy server when it is connected. */
  readonly relays?: CallerAbilities;
  readonly schemaProfile?: SchemaProfile;
  /** Longest wire name. Default 64. */
  readonly nameLimit?: number;
  readonly fetch?: typeof fetch;
  readonly auth?: TokenProvider;
  readonly eras?: EraMemory;
  /** How long to wait for an unknown server to answer `server/discover`. Default 3 s. */
  readonly probeMs?: number;
  readonly stdio?: StdioTransportOptions;
  /** Delay after which the tools of a server behind HTTP are listed once more after connecting. Default 1 s. */
  readonly relistMs?: number;
  /** How long the notification stream of a legacy server may be gone before we reopen it. Default 5 s. */
  readonly reopenMs?: number;
}

/** Time limits with all defaults filled in. */
export function resolveTimeouts(...given: readonly (ServerTimeouts | undefined)[]): Required<ServerTimeouts> {
  const merged: ServerTimeouts = Object.assign({}, ...given.toReversed());
  return {
    connectMs: merged.connectMs ?? 30_000,
    listMs: merged.listMs ?? 30_000,
    callMs: merged.callMs ?? 120_000,
    totalMs: merged.totalMs ?? 600_000,
  };
}
