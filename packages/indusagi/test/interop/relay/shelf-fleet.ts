import {
  createProviderHost,
  type HostProviders,
  type InjectedTransport,
  linkedTransports,
  type ServerFleetImpl,
  startServerFleet,
} from "indusagi/interop";
import { createTableBox } from "indusagi/runtime";
import { withoutDiscovery } from "../../mcp/kit/legacy-only.ts";

/** A fleet of hosts in this process, each with its own providers. A name that ends in `-legacy` speaks that era. */
export function shelfFleet(
  shelves: { readonly [server: string]: HostProviders },
  others: { readonly [server: string]: () => InjectedTransport } = {},
): Promise<ServerFleetImpl> {
  const ids = [...Object.keys(shelves), ...Object.keys(others)];
  const servers = ids.map((id) => ({ kind: "stdio" as const, id, command: "(in this process)" }));
  const transport = ({ id }: { readonly id: string }): InjectedTransport => {
    const other = others[id];
    if (other) return other();
    const [ours, theirs] = linkedTransports();
    void createProviderHost(createTableBox([]).box, undefined, shelves[id]).connect(theirs);
    return id.endsWith("-legacy") ? withoutDiscovery(ours) : ours;
  };
  return startServerFleet({ servers }, { transport, supervision: false });
}
