import type { ResolveHost } from "./address-guard.ts";

/** All addresses of a name from the system's resolver, hosts file included. */
export const systemResolveHost: ResolveHost = async (hostname) => {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map((entry) => entry.address);
};
