import type { HttpListener, HttpPage } from "indusagi/interop";
import {
  type CallObserver,
  gatewayMetrics,
  operationPages,
  shapeOf,
  type TokenAccess,
} from "../../gateway/index.ts";
import { productVersion } from "../product-version.ts";
import type { OpenServers } from "../servers/open-servers.ts";
import type { GatewayRun } from "./gateway-options.ts";

/** What is recorded of calls, and the pages that show how a gateway does. */
export interface GatewayOperations {
  readonly observe: CallObserver;
  readonly pages: { readonly [path: string]: HttpPage };
  /** Resolves to the listener, and knows from then on what is open on it. */
  watched(listening: Promise<HttpListener>): Promise<HttpListener>;
}

export interface OperationsOptions {
  readonly servers: Pick<OpenServers, "statuses" | "missingRequired">;
  /** Whether pages can be looked at, so that calls are counted for them. */
  readonly serves: "stdio" | "http";
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
}

export async function openOperations(
  run: GatewayRun,
  { servers, serves, access }: OperationsOptions,
): Promise<GatewayOperations> {
  const trail = await run.auditTrail();
  let listener: HttpListener | undefined;
  const metrics = gatewayMetrics({
    version: productVersion(),
    statuses: () => servers.statuses(),
    listener: () => listener?.stats(),
  });
  const { log } = run.terminal;
  return {
    observe: (record, input) => {
      trail?.record(record);
      if (serves === "http") metrics.count(record);
      if (!log) return;
      const isBad = record.outcome === "failed" || record.outcome === "timeout";
      log({ level: isBad ? "warning" : "info", event: "call", ...record, arguments: shapeOf(input) });
    },
    pages: operationPages({
      metrics,
      isEnding: () => run.signal.aborted,
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
