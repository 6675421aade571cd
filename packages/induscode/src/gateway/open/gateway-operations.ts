import type { HttpListener, HttpListenerStats, HttpPage } from "indusagi/interop";
import { productVersion, type Run } from "../../boot/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { type CallObserver, gatewayMetrics, operationPages, shapeOf, type TokenAccess } from "../index.ts";

/** The record of calls, and the pages for health and metrics. */
interface GatewayOperations {
  readonly observe: CallObserver;
  /** Who else gets each call. A plain set: this runs for each call. */
  readonly watchers: Set<CallObserver>;
  stats(): HttpListenerStats | undefined;
  readonly pages: { readonly [path: string]: HttpPage };
  /** Adds the listener's connections to the metrics, once it listens. */
  watched(listening: Promise<HttpListener>): Promise<HttpListener>;
}

interface OperationsOptions {
  readonly servers: OpenServers;
  /** Calls are counted only over HTTP, which has pages to show them. */
  readonly serves: "stdio" | "http";
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
}

/** Opens what records and counts the calls of a gateway. */
export async function openOperations(
  { signal, state, terminal: { log } }: Run,
  { servers, serves, access }: OperationsOptions,
): Promise<GatewayOperations> {
  const trail = await state.auditTrail();
  let listener: HttpListener | undefined;
  const watchers = new Set<CallObserver>();
  const metrics = gatewayMetrics({
    version: productVersion(),
    statuses: () => servers.statuses(),
    listener: () => listener?.stats(),
  });
  return {
    observe: (record, input) => {
      trail?.record(record);
      for (const watch of watchers) watch(record, input);
      if (serves === "http") metrics.count(record);
      if (!log) return;
      const isBad = record.outcome === "failed" || record.outcome === "timeout";
      log({ level: isBad ? "warning" : "info", event: "call", ...record, arguments: shapeOf(input) });
    },
    watchers,
    stats: () => listener?.stats(),
    pages: operationPages({
      metrics,
      isEnding: () => signal.aborted,
      isReady: () => servers.missingRequired() === undefined,
      allowsAll: (principal) => access?.allowsAll(principal) ?? true,
    }),
    watched: async (listening) => {
      const opened = await listening;
      listener = opened;
      return opened;
    },
  };
}
