import { CoreError, settlesWithin } from "../../../core/index.ts";
import {
  type Audience,
  isTerminalPhase,
  type ServerConfig,
  type ServerEndpoint,
  type WireEvent,
} from "../../contract/index.ts";
import { createServerEndpoint, type EndpointOptions } from "../../endpoint/index.ts";
import { cwdOf, differencesOf, type InstanceScope, instanceKey, userKeyOf } from "./instance-key.ts";
import { type RetirableEndpoint, type SharedConnection, SharedEndpoint } from "./shared-endpoint.ts";
import { SessionWishes } from "./shared-session.ts";

/** The next process of the same launch starts only after the last one has ended, or after this. */
const CLOSE_MS = 10_000;

/** One of the fleets that share instances. */
export interface PoolMember {
  readonly pool: InstancePool;
  readonly scope: InstanceScope;
  /** Who it is, for `InstancePool.instances`. */
  readonly name: string;
}

/** A running instance, as `indus status` shows it. */
export interface InstanceStatus {
  /** The beginning of its key: enough to tell instances apart, and no secret. */
  readonly key: string;
  readonly server: string;
  readonly share: "fleet" | "user";
  /** The folder in which it starts. */
  readonly cwd: string;
  readonly phase: ServerEndpoint["phase"];
  /** Its process. Absent for a server behind HTTP. */
  readonly pid?: number | undefined;
  readonly sinceMs: number;
  /** Instances with the same one would be a single instance with `"share": "user"`. Absent: its row cannot have that, or has it. */
  readonly userKey?: string | undefined;
  /** The members that use it, by name. */
  readonly users: readonly string[];
  /** In what it differs from an older instance of the same server in the same folder. Absent: there is none. */
  readonly differsIn?: readonly string[] | undefined;
}

/**
 * The running servers of several fleets in one process. Fleets whose rows make the same process, or the same connection, use one
 * instance of it; what they ask of it and what it tells them stays apart. An instance ends with its last user.
 */
export class InstancePool {
  readonly #instances = new Map<string, Instance>();
  readonly #closing = new Map<string, Promise<unknown>>();

  /** An endpoint that opens, or joins, the instance of a row. It starts nothing before `open`. */
  endpoint(config: ServerConfig, member: PoolMember, options: PooledOptions): RetirableEndpoint {
    return new SharedEndpoint(config, options.endpoint, {
      name: member.name,
      join: (user) => this.#join(user, { config, member, options }),
      onProcess: options.onProcess,
    });
  }

  instances(): readonly InstanceStatus[] {
    const all = [...this.#instances.values()].map((instance) => ({ instance, status: instance.status() }));
    return all.map(({ instance, status }, at) => {
      const { server, share, cwd } = status;
      const older = all
        .slice(0, at)
        .find(({ status: it }) => it.server === server && it.share === share && it.cwd === cwd);
      return older ? { ...status, differsIn: instance.differencesTo(older.instance) } : status;
    });
  }

  /** Whether an instance of a row runs that another fleet uses. */
  has(config: ServerConfig, scope: InstanceScope): boolean {
    return this.#instances.has(instanceKey(config, scope));
  }

  async #join(user: SharedEndpoint, { config, member, options }: Joining): Promise<Instance> {
    const key = instanceKey(config, member.scope);
    for (let before = this.#closing.get(key); before; before = this.#closing.get(key)) await before;
    let instance = this.#instances.get(key);
    if (!instance) {
      instance = new Instance(key, { config, member, options, onOver: (over) => this.#over(over) });
      this.#instances.set(key, instance);
    }
    instance.users.add(user);
    return instance;
  }

  #over(instance: Instance): void {
    const { key } = instance;
    if (this.#instances.get(key) !== instance) return;
    this.#instances.delete(key);
    const closed = settlesWithin(instance.endpoint.close(), CLOSE_MS).then(() => {
      if (this.#closing.get(key) === closed) this.#closing.delete(key);
    });
    this.#closing.set(key, closed);
  }
}

interface PooledOptions {
  readonly endpoint: EndpointOptions;
  /** Called with the process of the instance, also if it runs already. */
  readonly onProcess: (pid: number) => void;
}

interface Joining {
  readonly config: ServerConfig;
  readonly member: PoolMember;
  readonly options: PooledOptions;
}

interface InstanceOptions extends Joining {
  /** Called when nobody should join it any more. */
  readonly onOver: (instance: Instance) => void;
}

/** A server that runs for several fleets. */
class Instance implements SharedConnection {
  readonly key: string;
  readonly users: Set<SharedEndpoint> = new Set();
  readonly wishes: SessionWishes<SharedEndpoint> = new SessionWishes();
  readonly endpoint: ServerEndpoint;
  readonly config: ServerConfig;
  readonly #options: InstanceOptions;
  readonly #sinceMs = Date.now();
  /** Whose request is being sent. */
  #sending: SharedEndpoint | undefined;
  /** Whose requests are waiting for an answer, by their ids. */
  readonly #asked = new Map<string | number, SharedEndpoint>();
  #pid: number | undefined;

  constructor(key: string, options: InstanceOptions) {
    const { config, member, options: given } = options;
    this.key = key;
    this.#options = options;
    this.config = config.kind === "stdio" ? { ...config, cwd: cwdOf(config, member.scope) } : config;
    const { startTree } = given.endpoint.stdio ?? {};
    this.endpoint = createServerEndpoint(this.config, undefined, {
      ...given.endpoint,
      place: member.scope.place,
      ...(given.endpoint.answers && { answers: this.#answers(given.endpoint.answers) }),
      onLog: (server, entry, audience) => {
        for (const user of this.users)
          if (this.#mayHear(user, audience)) user.options.onLog?.(server, entry, audience);
      },
      onWire: (server, event) => this.#onWire(server, event),
      stdio: {
        ...given.endpoint.stdio,
        ...(startTree && {
          startTree: async (...launch) => {
            const tree = await startTree(...launch);
            this.#pid = tree.pid;
            for (const user of this.users) user.started(tree.pid);
            return tree;
          },
        }),
      },
    });
    this.endpoint.onEnd((fault) => {
      options.onOver(this);
      for (const user of [...this.users]) user.ended(fault);
      this.users.clear();
    });
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  as<Result>(user: SharedEndpoint, send: () => Result): Result {
    const before = this.#sending;
    this.#sending = user;
    try {
      return send();
    } finally {
      this.#sending = before;
    }
  }

  async leave(user: SharedEndpoint): Promise<void> {
    if (!this.users.delete(user)) return;
    for (const [id, asker] of this.#asked) if (asker === user) this.#asked.delete(id);
    if (this.users.size > 0)
      return this.wishes.leave(this.endpoint.phase === "ready" ? this.endpoint.session() : undefined, user);
    await this.end();
  }

  async end(): Promise<void> {
    this.#options.onOver(this);
    if (!isTerminalPhase(this.endpoint.phase)) await this.endpoint.close();
  }

  status(): InstanceStatus {
    const { config, users, key } = this;
    const { scope } = this.#options.member;
    return {
      key: key.slice(0, 12),
      server: config.id,
      share: config.share === "user" ? "user" : "fleet",
      cwd: cwdOf(config, scope),
      userKey: userKeyOf(this.#options.config, scope)?.slice(0, 12),
      phase: this.endpoint.phase,
      pid: this.#pid,
      sinceMs: this.#sinceMs,
      users: [...users].map(({ name }) => name),
    };
  }

  differencesTo(other: Instance): readonly string[] {
    const [ours, theirs] = [this.#options, other.#options];
    return differencesOf(
      { config: ours.config, scope: ours.member.scope },
      { config: theirs.config, scope: theirs.member.scope },
    );
  }

  /** A question that belongs to no call goes to the only user. With several, nobody can know whom it means. */
  #answers(given: NonNullable<EndpointOptions["answers"]>): NonNullable<EndpointOptions["answers"]> {
    return {
      can: given.can,
      ask: async (requests, signal, asker) => {
        const [only, ...others] = this.users;
        const { answers } = only?.options ?? {};
        if (!answers || others.length > 0)
          throw new CoreError("unable", "it belongs to no call, and several clients share the server");
        return answers.ask(requests, signal, asker);
      },
    };
  }

  #mayHear(user: SharedEndpoint, audience: Audience): boolean {
    if (this.users.size < 2 || audience.kind === "all") return true;
    return audience.kind === "client" && user.hasCaller(audience.key);
  }

  /** What the server writes to standard error concerns all users; a message only the one whose request it is about. */
  #onWire(server: string, event: WireEvent): void {
    const owner = this.#ownerOf(event);
    for (const user of this.users)
      if (this.users.size < 2 || owner === "all" || owner === user) user.options.onWire?.(server, event);
  }

  #ownerOf(event: WireEvent): SharedEndpoint | "all" | undefined {
    if (event.kind === "stderr" || event.kind === "dropped") return "all";
    const { id, isAnswer } = event;
    if (event.kind === "sent") {
      if (id !== undefined && !isAnswer && this.#sending) this.#asked.set(id, this.#sending);
      return this.#sending;
    }
    if (id === undefined || !isAnswer) return event.method?.endsWith("list_changed") ? "all" : undefined;
    const owner = this.#asked.get(id);
    this.#asked.delete(id);
    return owner;
  }
}
