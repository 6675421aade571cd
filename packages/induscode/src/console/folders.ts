import { createHash } from "node:crypto";
import { Listeners } from "indusagi/core";
import type { GatewayView } from "../gateway/open/internal.ts";
import type { ConsoleSource, ConsoleSources } from "./source.ts";

/** A client of a background gateway: a gateway of its own in the same process, for its folder. */
export interface AttachedClient {
  /** The folder. */
  readonly path: string;
  readonly view: GatewayView;
  /** What the console shows of it. Called once, if the console is open and no other client of the folder came first. */
  source(): ConsoleSource;
}

/**
 * The folders of a background gateway. A folder has the servers, rows and commands of the client that has been attached to it longest,
 * and the calls and connections of all its clients.
 */
export class AttachedFolders implements ConsoleSources {
  readonly #folders = new Map<string, Folder>();
  readonly #changes = new Listeners();

  /** Adds a client. The returned function removes it. */
  attach(client: AttachedClient): () => void {
    const { path } = client;
    const folder = this.#folders.get(path) ?? new Folder(path);
    this.#folders.set(path, folder);
    const leave = folder.add(client);
    this.#changes.emit();
    return () => {
      leave();
      if (folder.isEmpty && this.#folders.get(path) === folder) this.#folders.delete(path);
      this.#changes.emit();
    };
  }

  list(): readonly ConsoleSource[] {
    return [...this.#folders.values()].map((folder) => folder.source()).toSorted(byPath);
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }
}

function byPath(a: ConsoleSource, b: ConsoleSource): number {
  return a.folder.path < b.folder.path ? -1 : 1;
}

/** The id of a folder, the same for every run, so a page finds its folder again. */
export function folderId(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

class Folder {
  readonly #path: string;
  readonly #clients = new Set<AttachedClient>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #changes = new Listeners();
  #made: { readonly leader: AttachedClient; readonly source: ConsoleSource } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }

  add(client: AttachedClient): () => void {
    this.#clients.add(client);
    for (const subscription of this.#subscriptions) subscription.add(client);
    this.#changes.emit();
    return () => {
      this.#clients.delete(client);
      for (const subscription of this.#subscriptions) subscription.remove(client);
      this.#changes.emit();
    };
  }

  /** Another object when another client leads: what follows the old one's servers would see nothing any more. */
  source(): ConsoleSource {
    const [leader] = this.#clients;
    if (!leader) throw new Error(`no client is attached to ${this.#path}`);
    if (this.#made?.leader !== leader) this.#made = { leader, source: this.#join(leader) };
    return this.#made.source;
  }

  #join(leader: AttachedClient): ConsoleSource {
    const [path, clients] = [this.#path, this.#clients];
    const { view } = leader;
    return {
      ...leader.source(),
      folder: {
        id: folderId(path),
        path,
        get attached(): number {
          return clients.size;
        },
      },
      view: {
        ...view,
        clients: () => [...clients].flatMap((client) => client.view.clients()),
        onCall: (listener) => this.#subscribe((client) => client.view.onCall(listener)),
        onClients: (listener) => {
          const stops = [
            this.#subscribe((client) => client.view.onClients(listener)),
            this.#changes.add(listener),
          ];
          return () => stops.forEach((stop) => stop());
        },
      },
    };
  }

  /** Listens to every client, also to those that are attached later. */
  #subscribe(listen: Subscription["listen"]): () => void {
    const subscription = new Subscription(listen);
    this.#subscriptions.add(subscription);
    for (const client of this.#clients) subscription.add(client);
    return () => {
      this.#subscriptions.delete(subscription);
      subscription.end();
    };
  }
}

class Subscription {
  readonly listen: (client: AttachedClient) => () => void;
  readonly #stops = new Map<AttachedClient, () => void>();

  constructor(listen: Subscription["listen"]) {
    this.listen = listen;
  }

  add(client: AttachedClient): void {
    this.#stops.set(client, this.listen(client));
  }

  remove(client: AttachedClient): void {
    this.#stops.get(client)?.();
    this.#stops.delete(client);
  }

  end(): void {
    for (const client of this.#stops.keys()) this.remove(client);
  }
}
