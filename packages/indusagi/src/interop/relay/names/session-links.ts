import type { Caller } from "../../../runtime/index.ts";

export interface LinkLimits {
  /** Clients that are remembered; beyond it, those that got no link for longest are forgotten. */
  readonly clients: number;
  /** Links of one client; beyond it the oldest are forgotten. */
  readonly links: number;
  /** Longer URIs are not remembered. */
  readonly chars: number;
}

const LIMITS: LinkLimits = { clients: 1_000, links: 500, chars: 4_096 };

/** The resources that each client was given in results, with the servers that gave them. */
export class SessionLinks {
  readonly #limits: LinkLimits;
  /** Client → URI → servers. A map keeps its order, so the first entry is the oldest. */
  readonly #clients = new Map<string, Map<string, readonly string[]>>();

  constructor(limits: LinkLimits = LIMITS) {
    this.#limits = limits;
  }

  add(client: string, uri: string, server: string): void {
    if (uri.length > this.#limits.chars) return;
    const links = this.#clients.get(client) ?? new Map<string, readonly string[]>();
    const before = links.get(uri) ?? [];
    renew(links, uri, before.includes(server) ? before : [...before, server], this.#limits.links);
    renew(this.#clients, client, links, this.#limits.clients);
  }

  serversOf(client: string, uri: string): readonly string[] {
    return this.#clients.get(client)?.get(uri) ?? [];
  }
}

/** Puts an entry at the end, and removes the first if there are too many. */
function renew<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) return void map.delete(oldest);
}

/** Whether all requests of a client come over one connection or session. One without is known by its principal or not at all. */
export function hasConnection({
  isSingle = false,
  key,
  principal,
}: Pick<Caller, "isSingle" | "key" | "principal">): boolean {
  return !isSingle && key !== principal;
}

/**
 * Whose links a request may use: those of its session or principal. Clients that have neither are told apart by name only,
 * because each of their requests is independent.
 */
export function linkHolder(caller: Caller | undefined): string {
  if (!caller) return "";
  return caller.isSingle ? `name ${caller.client?.name ?? ""}` : `key ${caller.key}`;
}
