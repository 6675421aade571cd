import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { CallerAbilities, ClientInfo } from "../../../runtime/index.ts";

/** A client's own description of itself. */
export interface Introduction {
  readonly client?: ClientInfo;
  readonly can: CallerAbilities;
}

/**
 * Reads the client descriptions of one connection. Each call needs one, and most repeat the last, so the last is
 * cached.
 */
export class Introductions {
  readonly #server: Server;
  #info: unknown;
  #capabilities: unknown;
  #last: Introduction = { can: {} };

  constructor(server: Server) {
    this.#server = server;
  }

  /** In the modern era each request describes its client; in the legacy era the client did so once. */
  of(ctx: ServerContext): Introduction {
    const envelope: { readonly [key: string]: unknown } = ctx.mcpReq.envelope ?? {};
    return this.#read(
      envelope["io.modelcontextprotocol/clientInfo"] ?? this.#server.getClientVersion(),
      envelope["io.modelcontextprotocol/clientCapabilities"] ?? this.#server.getClientCapabilities(),
    );
  }

  /** The client of a legacy connection. */
  ofConnection(): Introduction {
    return this.#read(this.#server.getClientVersion(), this.#server.getClientCapabilities());
  }

  #read(info: unknown, capabilities: unknown): Introduction {
    if (info === this.#info && capabilities === this.#capabilities) return this.#last;
    this.#info = info;
    this.#capabilities = capabilities;
    const client = clientOf(info);
    this.#last = { ...(client ? { client } : {}), can: abilitiesOf(capabilities) };
    return this.#last;
  }
}

function clientOf(info: unknown): ClientInfo | undefined {
  const { name, version, title } = (info ?? {}) as Partial<ClientInfo>;
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(title === undefined ? {} : { title }),
  };
}

/** What a tool can ask a client, from the client's declared capabilities. */
function abilitiesOf(capabilities: unknown): CallerAbilities {
  const { elicitation, sampling, roots } = recordOf(capabilities);
  return {
    ...(elicitation === undefined ? {} : { elicit: elicitationOf(recordOf(elicitation)) }),
    ...(sampling === undefined ? {} : { sample: samplingOf(recordOf(sampling)) }),
    ...(roots === undefined ? {} : { roots: true }),
  };
}

/** An empty `elicitation: {}` means forms. */
function elicitationOf({ form, url }: Record<string, unknown>): NonNullable<CallerAbilities["elicit"]> {
  return {
    ...(form !== undefined || url === undefined ? { form: true } : {}),
    ...(url === undefined ? {} : { url: true }),
  };
}

function samplingOf({ tools, context }: Record<string, unknown>): NonNullable<CallerAbilities["sample"]> {
  return {
    ...(tools === undefined ? {} : { tools: true }),
    ...(context === undefined ? {} : { context: true }),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
