import type { HostProviders } from "indusagi/interop";

/** Resources that can be watched. Records the calls, and fails on demand. */
export class WatchedShelf implements HostProviders {
  /** `+uri` for each start, `-uri` for each stop. */
  readonly told: string[] = [];
  /** Number of change listeners. */
  listeners = 0;
  readonly #fails: (told: string) => boolean;
  readonly #updated = new Set<(uri: string) => void>();

  constructor(fails: (told: string) => boolean = () => false) {
    this.#fails = fails;
  }

  readonly resources = {
    list: () => ({ resources: [] }),
    read: () => undefined,
    watch: (uri: string) => this.#tell(`+${uri}`),
    unwatch: (uri: string) => this.#tell(`-${uri}`),
    onListChanged: () => this.#listen(() => {}),
    onUpdated: (listener: (uri: string) => void) => {
      this.#updated.add(listener);
      return this.#listen(() => void this.#updated.delete(listener));
    },
  };

  update(uri: string): void {
    for (const listener of this.#updated) listener(uri);
  }

  #tell(told: string): void {
    this.told.push(told);
    if (this.#fails(told)) throw new Error(`no ${told}`);
  }

  #listen(stop: () => void): () => void {
    this.listeners += 1;
    return () => {
      this.listeners -= 1;
      stop();
      if (this.#fails("stop")) throw new Error("no stop");
    };
  }
}
