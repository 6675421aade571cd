import type { BoxSource, HostProviders } from "../../contract/index.ts";
import { attempt } from "../request/attempt.ts";

/** Receives changes of what is offered. */
export interface ChangeSink {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** What is followed, and where failures to remove a listener are reported. */
export interface Followed {
  /** A box chosen for one client is followed where it is chosen. */
  readonly box?: BoxSource;
  readonly providers: HostProviders;
  readonly report: (message: string) => void;
}

/** Follows what is offered. Returns a function that stops. */
export function followChanges({ box, providers, report }: Followed, sink: ChangeSink): () => void {
  const stops = [
    typeof box === "function" ? undefined : box?.onChange(() => sink.toolsChanged()),
    providers.prompts?.onListChanged?.(() => sink.promptsChanged()),
    providers.resources?.onListChanged?.(() => sink.resourcesChanged()),
    providers.resources?.onUpdated?.((uri) => sink.resourceUpdated(uri)),
  ];
  return () => {
    for (const stop of stops) if (stop) attempt(stop, report);
  };
}
