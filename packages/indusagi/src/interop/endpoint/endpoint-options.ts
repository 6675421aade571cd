import type { CallerAbilities } from "../../runtime/index.ts";
import type { QuestionAnswerer, ServerTimeouts } from "../contract/index.ts";
import type { StdioTransportOptions } from "../wire/index.ts";
import type { EraMemory } from "./connect/era-memory.ts";

/** How the model is shown a tool's schema: portable, as the sister editions reshape it, or as the server wrote it. */
export type SchemaProfile = "portable" | "seed" | "identity";

/** Gives a bearer token for a server behind HTTP, and hears that it was refused. */
export interface TokenProvider {
  token(): Promise<string | undefined>;
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

export interface EndpointOptions {
  /** For a server that names none of its own. */
  readonly timeouts?: ServerTimeouts;
  /** Answers questions on behalf of calls nobody stands behind; what it can do is told to the server. */
  readonly answers?: QuestionAnswerer;
  /** What callers of this endpoint will be able to do, told to a legacy server when it is connected. */
  readonly relays?: CallerAbilities;
  readonly schemaProfile?: SchemaProfile;
  /** Longest wire name. Default 64. */
  readonly nameLimit?: number;
  readonly fetch?: typeof fetch;
  readonly auth?: TokenProvider;
  readonly eras?: EraMemory;
  /** How long an unknown server is given to answer `server/discover`. Default 3 s. */
  readonly probeMs?: number;
  readonly stdio?: StdioTransportOptions;
  /** When the tools of a server behind HTTP are listed once more after connecting. Default 1 s. */
  readonly relistMs?: number;
  /** How long the stream of a legacy server's notices may be gone before it is opened again by hand. Default 5 s. */
  readonly reopenMs?: number;
}

/** Deadlines with nothing left open. */
export function resolveTimeouts(...given: readonly (ServerTimeouts | undefined)[]): Required<ServerTimeouts> {
  const merged: ServerTimeouts = Object.assign({}, ...given.toReversed());
  return {
    connectMs: merged.connectMs ?? 30_000,
    listMs: merged.listMs ?? 30_000,
    callMs: merged.callMs ?? 120_000,
    totalMs: merged.totalMs ?? 600_000,
  };
}
