import { startBalancedCluster } from "../../cluster/balancer.ts";
import { CLUSTER } from "../compare/justified.ts";
import { type Gateway, PREFIXED_NAMES, rowOf, SERVER_ID } from "./gateway.ts";

/** Two gateways and two workers behind a load balancer that gives each request to the other gateway. It needs nats-server. */
export const INDUS_CLUSTER: Gateway = {
  name: CLUSTER,
  reaches: ["stdio", "http", "sse"],
  doors: [
    {
      name: "cluster",
      isOwn: false,
      names: PREFIXED_NAMES,
      open: async (server) => {
        const cluster = await startBalancedCluster({ [SERVER_ID]: rowOf(server) });
        return {
          target: { kind: "http", url: cluster.url },
          [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
        };
      },
    },
  ],
};
