import type { BoxSource, HostProviders } from "../contract/index.ts";

/** Whoever wants to be told that something on offer has changed. */
export interface ChangeSink {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Follows everything a host offers to all alike. A box chosen for one client is followed where it was chosen. */
export function followChanges(box: BoxSource, providers: HostProviders, sink: ChangeSink): () => void {
  const stops = [
    typeof box === "function" ? undefined : box.onChange(() => sink.toolsChanged()),
    providers.prompts?.onListChanged?.(() => sink.promptsChanged()),
    providers.resources?.onListChanged?.(() => sink.resourcesChanged()),
    providers.resources?.onUpdated?.((uri) => sink.resourceUpdated(uri)),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}
