import { startBalancedCluster } from "../../cluster/balancer.ts";
import { type Door, PREFIXED_NAMES, rowOf, SERVER_ID } from "./gateway.ts";

/** Two gateways and two workers behind a load balancer that gives each request to the other gateway. Only if it is asked for. */
export const CLUSTER_DOOR: Door = {
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
};
