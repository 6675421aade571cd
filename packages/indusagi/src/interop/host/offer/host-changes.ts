import type { HostCore } from "../host-core.ts";
import { attempt } from "../request/attempt.ts";

/** Whoever wants to be told that something on offer has changed. */
export interface ChangeSink {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Follows everything a host offers to all alike. A box chosen for one client is followed where it was chosen. */
export function followChanges(core: HostCore, sink: ChangeSink): () => void {
  const { box, providers } = core;
  const stops = [
    typeof box === "function" ? undefined : box.onChange(() => sink.toolsChanged()),
    providers.prompts?.onListChanged?.(() => sink.promptsChanged()),
    providers.resources?.onListChanged?.(() => sink.resourcesChanged()),
    providers.resources?.onUpdated?.((uri) => sink.resourceUpdated(uri)),
  ];
  return () => {
    for (const stop of stops) if (stop) attempt(stop, (message) => core.report(message));
  };
}
