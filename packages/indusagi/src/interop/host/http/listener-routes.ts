import { hostCoreOf } from "../create-provider-host.ts";
import type { HostCore } from "../host-core.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import type { HttpLimits, HttpRoutes, HttpServeOptions } from "./http-options.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { EraRouter } from "./route-eras.ts";

export interface ListenerRoutesOptions {
  /** The path of the main host. */
  readonly path: string;
  readonly core: HostCore;
  /** Hosts at other paths. */
  readonly routes?: HttpRoutes | undefined;
  readonly sdk: Awaited<ReturnType<typeof loadServerSdk>>;
  readonly limits: HttpLimits;
  /** How to allow more sessions. */
  readonly sessionsHint?: string | undefined;
  readonly elsewhere?: HttpServeOptions["elsewhere"];
}

/** The paths of one listener. Each host has one router, created by its first request. */
export class ListenerRoutes {
  readonly sessions: LegacySessions;
  readonly #options: ListenerRoutesOptions;
  readonly #routers = new Map<HostCore, EraRouter>();
  #isClosed = false;

  constructor(options: ListenerRoutesOptions) {
    this.#options = options;
    const { sdk, limits, sessionsHint: hint, elsewhere } = options;
    this.sessions = new LegacySessions(sdk, limits, { hint, elsewhere });
  }

  /** The router of a path; undefined if there is nothing for this principal. */
  find(path: string, principal?: string): EraRouter | undefined {
    if (this.#isClosed) return undefined; // A new router would never be closed.
    const { core, routes } = this.#options;
    const host = path === this.#options.path ? undefined : routes?.find(path, principal);
    const found = path === this.#options.path ? core : host && hostCoreOf(host);
    if (!found) return undefined;
    let router = this.#routers.get(found);
    if (!router) {
      router = new EraRouter(found, { ...this.#options, sessions: this.sessions });
      this.#routers.set(found, router);
    }
    return router;
  }

  /** All paths of this principal, the main one first. */
  paths(principal?: string): readonly string[] {
    const { path, routes } = this.#options;
    return [path, ...(routes?.paths(principal) ?? [])];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const routers = [...this.#routers.values()];
    await Promise.all([this.sessions.close(), ...routers.map((router) => router.close())]);
  }
}
