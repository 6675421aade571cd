import { launchHash } from "indusagi/config";
import type { ClientServer } from "./client-server.ts";

/** A server of ours: its name and the hash of its launch. */
export interface OwnServer {
  readonly name: string;
  readonly launch: string;
}

/** What an import does with one server of another client. */
export type ImportStep =
  /** It is added to our file under this name. */
  | { readonly server: ClientServer; readonly action: "add"; readonly as: string }
  /** We have it already, or an earlier step adds it, under this name. */
  | { readonly server: ClientServer; readonly action: "same"; readonly as: string }
  | { readonly server: ClientServer; readonly action: "skip"; readonly why: string };

/**
 * Decides what to import. A server with the launch of one that we have is not imported again; one whose name is taken gets
 * its client's name as a suffix. Our own gateway is left out.
 */
export function planImport(found: readonly ClientServer[], own: readonly OwnServer[]): ImportStep[] {
  const names = new Set(own.map(({ name }) => name));
  const launches = new Map(own.map(({ name, launch }) => [launch, name]));
  return found
    .filter(({ isGateway }) => !isGateway)
    .map((server): ImportStep => {
      if (server.written === undefined)
        return { server, action: "skip", why: server.problem ?? "cannot be used" };
      const launch = launchHash(server.written);
      const same = launches.get(launch);
      if (same !== undefined) return { server, action: "same", as: same };
      const as = freeName(server, names);
      names.add(as);
      launches.set(launch, as);
      return { server, action: "add", as };
    });
}

function freeName({ name, client }: ClientServer, taken: ReadonlySet<string>): string {
  const candidates = [name, `${name}-${client}`];
  const free = candidates.find((candidate) => !taken.has(candidate));
  if (free !== undefined) return free;
  for (let count = 2; ; count++) {
    const candidate = `${name}-${client}-${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}
