import { startBalancer } from "../../cluster/balancer.ts";
import { Cluster, loopback } from "../../cluster/set-up.ts";
import { type Door, PREFIXED_NAMES, rowOf, SERVER_ID } from "./gateway.ts";

/** Two gateways and two workers behind a load balancer that gives each request to the other gateway. Only if it is asked for. */
export const CLUSTER_DOOR: Door = {
  name: "cluster",
  isOwn: false,
  names: PREFIXED_NAMES,
  open: async (server) => {
    const cluster = await Cluster.start({
      ...{ servers: [], rows: { [SERVER_ID]: rowOf(server) }, places: loopback(1), isOpen: true },
    });
    try {
      const nodes = ["w1", "w2"].map((name) => cluster.worker(name));
      const gateways = await Promise.all(["g1", "g2"].map((name) => cluster.gateway(name)));
      await Promise.all(nodes);
      const balancer = await startBalancer(gateways.map(({ url }) => url));
      return {
        target: { kind: "http", url: balancer.url },
        [Symbol.asyncDispose]: async () => {
          await balancer[Symbol.asyncDispose]();
          await cluster[Symbol.asyncDispose]();
        },
      };
    } catch (thrown) {
      await cluster[Symbol.asyncDispose]();
      throw thrown;
    }
  },
};
