import type { HostCore } from "../host-core.ts";
import { attempt } from "../request/attempt.ts";

/** Receives changes of what is offered. */
export interface ChangeSink {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Follows everything a host offers to all clients. A box chosen for one client is followed where it is chosen. */
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
