import type { Caller } from "../../runtime/index.ts";
import { isSharedByAll, ProtocolFault, type ServerConfig } from "../contract/index.ts";

export interface InstanceLimits {
  /** Instances of one server at the same time. Default 32. */
  readonly max?: number;
  /** An instance that has not been used for this long is stopped. Default 5 min. */
  readonly idleMs?: number;
}

export const STANDARD_INSTANCES: Required<InstanceLimits> = { max: 32, idleMs: 300_000 };

/** An instance of a server for one client or principal. */
export interface ClientInstance {
  /** True while a call uses it or waits for it, or something is watched on it. */
  readonly isInUse: boolean;
  /** When it was last used. */
  readonly usedMs: number;
}

/** The owner of an instance. */
export interface InstanceOwner {
  readonly key: string;
  /** The only client that uses it; absent if several clients of one principal may. */
  readonly client?: string;
}

/** The owner of the instance for a caller; `undefined` if all callers share the server. */
export function ownerOf(config: ServerConfig, caller: Caller | undefined): InstanceOwner | undefined {
  if (!caller || isSharedByAll(config)) return undefined;
  if (config.share === "principal") return { key: `principal ${caller.principal ?? ""}` };
  return { key: `session ${caller.key}`, client: caller.key };
}

interface Entry<Instance> {
  readonly server: string;
  readonly owner: InstanceOwner;
  readonly instance: Instance;
}

/** The instances of servers that clients do not share. */
export class ClientInstances<Instance extends ClientInstance> {
  readonly #max: number;
  readonly #end: (instance: Instance) => void;
  readonly #entries = new Map<string, Entry<Instance>>();

  /** `end` is called with an instance that is evicted to make room for another. */
  constructor(max: number, end: (instance: Instance) => void) {
    this.#max = max;
    this.#end = end;
  }

  count(server: string): number {
    return this.#where((entry) => entry.server === server).length;
  }

  all(): readonly Instance[] {
    return this.#where(() => true).map(({ instance }) => instance);
  }

  ofClient(client: string): readonly Instance[] {
    return this.#where(({ owner }) => owner.client === client).map(({ instance }) => instance);
  }

  /**
   * The instance of an owner; created if there is none. If there are too many, the least recently used one is ended. Throws
   * a fault if all are in use.
   */
  of(server: string, owner: InstanceOwner, create: () => Instance): Instance {
    const key = keyOf(server, owner);
    const known = this.#entries.get(key);
    if (known) return known.instance;
    this.#makeRoom(server);
    const instance = create();
    this.#entries.set(key, { server, owner, instance });
    return instance;
  }

  /** Removes an instance; false if it is not here. */
  remove(gone: Instance): boolean {
    return this.#take(({ instance }) => instance === gone).length > 0;
  }

  /** Removes and returns the instances of a client. */
  removeOfClient(client: string): readonly Instance[] {
    return this.#take(({ owner }) => owner.client === client);
  }

  /** Removes and returns all instances of a server. */
  removeOfServer(server: string): readonly Instance[] {
    return this.#take((entry) => entry.server === server);
  }

  #makeRoom(server: string): void {
    const instances = this.#where((entry) => entry.server === server).map(({ instance }) => instance);
    if (instances.length < this.#max) return;
    const [idlest] = instances.filter(({ isInUse }) => !isInUse).sort((a, b) => a.usedMs - b.usedMs);
    if (!idlest) throw allInUse(server, this.#max);
    this.remove(idlest);
    this.#end(idlest);
  }

  #take(matches: (entry: Entry<Instance>) => boolean): readonly Instance[] {
    return this.#where(matches).map(({ server, owner, instance }) => {
      this.#entries.delete(keyOf(server, owner));
      return instance;
    });
  }

  #where(matches: (entry: Entry<Instance>) => boolean): readonly Entry<Instance>[] {
    return [...this.#entries.values()].filter(matches);
  }
}

function keyOf(server: string, { key }: InstanceOwner): string {
  return JSON.stringify([server, key]);
}

function allInUse(server: string, max: number): ProtocolFault {
  const message = `server "${server}" runs once for each client ("share"), and all ${max} instances are in use; call again when one is free`;
  return new ProtocolFault("not_connected", message, { server, reason: "busy", retrySafe: true });
}
