import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { CallerAbilities, ClientInfo } from "../../../runtime/index.ts";
import { abilitiesOf } from "./client-abilities.ts";

/** What a client has said of itself. */
export interface Introduction {
  readonly client?: ClientInfo;
  readonly can: CallerAbilities;
}

/** Reads introductions, one connection's. Most repeat the last, and every call asks. */
export class Introductions {
  readonly #server: Server;
  #info: unknown;
  #capabilities: unknown;
  #last: Introduction = { can: {} };

  constructor(server: Server) {
    this.#server = server;
  }

  /** In the modern era every request says who its client is and what it can do; before, the client said so once. */
  of(ctx: ServerContext): Introduction {
    const envelope: { readonly [key: string]: unknown } = ctx.mcpReq.envelope ?? {};
    const info = envelope["io.modelcontextprotocol/clientInfo"] ?? this.#server.getClientVersion();
    const capabilities =
      envelope["io.modelcontextprotocol/clientCapabilities"] ?? this.#server.getClientCapabilities();
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
