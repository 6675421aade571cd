import { PACKAGE_VERSION } from "../../core/internal.ts";
import type { BoxSource, ProviderHost, ProviderHostInfo, ProviderSource } from "../contract/index.ts";
import { connectHost } from "./connect-host.ts";
import type { HostCore, ProviderHostOptions } from "./host-core.ts";
import { FirstListings } from "./offer/first-listings.ts";
import { ParkedCalls, STANDARD_PARKING } from "./questions/parked-calls.ts";
import { STANDARD_JSON_BUDGET } from "./request/json-budget.ts";
import { ResourceWatchers } from "./subscriptions/resource-watchers.ts";

export const HOST_NAME = "indus-provider-host";
export const HOST_VERSION: string = PACKAGE_VERSION;

const cores = new WeakMap<ProviderHost, HostCore>();

/**
 * Offers a tool box, and optionally resources, prompts and completion, as an MCP server for any number of clients in
 * both eras.
 */
export function createProviderHost(
  box: BoxSource,
  info: ProviderHostInfo = { name: HOST_NAME, version: HOST_VERSION },
  providers: ProviderSource = {},
  options: ProviderHostOptions = {},
): ProviderHost {
  const parking = { ...STANDARD_PARKING, ...options.questions };
  const report = options.report ?? (() => {});
  const core: HostCore = {
    box,
    info,
    providers,
    json: { ...STANDARD_JSON_BUDGET, ...options.json },
    questionMs: parking.questionMs,
    parked: new ParkedCalls(parking),
    watches: new ResourceWatchers(report),
    clients: options.clients ?? {},
    listsAsReceived: options.listsAsReceived ?? false,
    reportedLists: new Set(),
    introduction: options.introduction,
    afterFirstListing: options.afterFirstListing,
    firstListings: new FirstListings(options.beforeFirstListing),
    stateKey: crypto.getRandomValues(new Uint8Array(32)),
    report,
  };
  const host: ProviderHost = { info, connect: (transport) => connectHost(core, transport) };
  cores.set(host, core);
  return host;
}

/** The internals of a host made by `createProviderHost`. */
export function coreOf(host: ProviderHost): HostCore {
  const core = cores.get(host);
  if (!core) throw new TypeError("the host was not made by createProviderHost");
  return core;
}
