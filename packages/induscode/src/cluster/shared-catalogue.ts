import { describeError } from "indusagi/core";
import { addsNothing, type Catalogue, type CatalogueEntry, entrySchema } from "../servers/memory/index.ts";
import { fittingContent } from "../state/index.ts";
import { CLASHES_KEY } from "./shared-clashes.ts";
import type { SharedTexts } from "./shared-texts.ts";

export interface SharedCatalogueOptions {
  readonly report: (message: string) => void;
}

/** How many launches are remembered. Beyond that those that were listed first are forgotten. */
const MAX_LAUNCHES = 6_000;

/**
 * The last known catalogue of all gateways: what servers listed is shared, so a gateway that starts shows tools before a worker has
 * answered. How starts went is known to each process only: a start here is a link.
 */
export function sharedCatalogue(texts: SharedTexts, options: SharedCatalogueOptions): Catalogue {
  return new ClusterCatalogue(texts, options);
}

type Listed = Required<Pick<CatalogueEntry, "server" | "listing">>;

class ClusterCatalogue implements Catalogue {
  readonly #texts: SharedTexts;
  readonly #options: SharedCatalogueOptions;
  readonly #parsed = new Map<string, { readonly stamp: string; readonly listed: Listed | undefined }>();
  readonly #starts = new Map<string, Omit<CatalogueEntry, "listing">>();
  readonly #writes = new Map<string, Promise<void>>();
  /** Listings that are not shared yet. */
  readonly #unshared = new Map<string, Listed>();

  constructor(texts: SharedTexts, options: SharedCatalogueOptions) {
    this.#texts = texts;
    this.#options = options;
  }

  entry(launch: string): CatalogueEntry | undefined {
    const listed = this.#unshared.get(launch) ?? this.#listed(launch);
    const starts = this.#starts.get(launch);
    if (!listed && !starts) return undefined;
    return { failures: 0, server: "", ...starts, ...listed };
  }

  head(launch: string): CatalogueEntry | undefined {
    return this.entry(launch);
  }

  tried(launch: string, server: string): void {
    if (!this.entry(launch)) this.#starts.set(launch, { server, failures: 0 });
  }

  ready(launch: string, server: string, readyMs: number): void {
    this.#starts.set(launch, { server, failures: 0, readyMs: Math.round(readyMs) });
  }

  failed(launch: string, server: string): void {
    const before = this.#starts.get(launch);
    this.#starts.set(launch, { ...before, server, failures: (before?.failures ?? 0) + 1 });
  }

  interrupted(launch: string, server: string): void {
    const before = this.#starts.get(launch);
    const interrupted = (before?.interrupted ?? 0) + 1;
    this.#starts.set(launch, { failures: 0, ...before, server, interrupted });
  }

  listed(launch: string, server: string, listing: Listed["listing"]): void {
    const now = { server, listing };
    const before = this.#unshared.get(launch) ?? this.#listed(launch);
    if (before && addsNothing({ failures: 0, ...before }, { failures: 0, ...now })) return;
    this.#unshared.set(launch, now);
    const writing = (this.#writes.get(launch) ?? Promise.resolve()).then(() => this.#share(launch));
    this.#writes.set(launch, writing);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
  }

  #listed(launch: string): Listed | undefined {
    const found = this.#texts.get(launch);
    if (!found) return undefined;
    const known = this.#parsed.get(launch);
    if (known?.stamp === found.stamp) return known.listed;
    const { server, listing } = entrySchema(launch, () => {}).parse(found.text) ?? {};
    const listed = server !== undefined && listing ? { server, listing } : undefined;
    this.#parsed.set(launch, { stamp: found.stamp, listed });
    return listed;
  }

  async #share(launch: string): Promise<void> {
    const listed = this.#unshared.get(launch);
    if (!listed) return;
    try {
      const schema = entrySchema(launch, () => {});
      const { content } = fittingContent({ failures: 0, ...listed }, schema, "its catalogue");
      await this.#texts.update(launch, () => content.toString());
      await this.#removeOldest();
    } catch (thrown) {
      this.#options.report(
        `the tools of server "${listed.server}" are not shared with other gateways: ${describeError(thrown)}`,
      );
      return;
    }
    if (this.#unshared.get(launch) === listed) this.#unshared.delete(launch);
  }

  async #removeOldest(): Promise<void> {
    const all = this.#texts.keys().filter((key) => key !== CLASHES_KEY);
    if (all.length <= MAX_LAUNCHES) return;
    const revision = (launch: string): number => this.#texts.get(launch)?.revision ?? 0;
    const oldest = [...all].sort((a, b) => revision(a) - revision(b));
    for (const launch of oldest.slice(0, all.length - MAX_LAUNCHES)) await this.#texts.remove(launch);
  }
}
