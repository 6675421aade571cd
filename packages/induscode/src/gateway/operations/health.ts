import type { HttpPage, HttpPageAnswer } from "indusagi/interop";
import type { GatewayMetrics } from "./gateway-metrics.ts";

export interface OperationPages {
  readonly metrics: GatewayMetrics;
  /** Whether the gateway is shutting down. */
  readonly isEnding: () => boolean;
  /** Whether every required server is ready. */
  readonly isReady: () => boolean;
  /** Whether a principal may know about all servers. */
  readonly allowsAll: (principal: string) => boolean;
}

/** The pages besides the endpoint: health, readiness and metrics. */
export function operationPages({ metrics, isEnding, isReady, allowsAll }: OperationPages): {
  readonly [path: string]: HttpPage;
} {
  return {
    // For load balancers, which have no token. Neither names a server.
    "/healthz": { isOpen: true, answer: () => status(true, "ok") },
    "/readyz": {
      isOpen: true,
      answer: () => {
        if (isEnding()) return status(false, "ending");
        return isReady() ? status(true, "ready") : status(false, "a required server is not ready");
      },
    },
    "/metrics": {
      // It names all servers.
      allows: allowsAll,
      answer: async () => {
        const { type, text } = await metrics.page();
        return { status: 200, type, body: text };
      },
    },
  };
}

function status(isGood: boolean, text: string): HttpPageAnswer {
  return {
    status: isGood ? 200 : 503,
    type: "application/json",
    body: `${JSON.stringify({ status: text })}\n`,
  };
}
