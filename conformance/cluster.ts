// The server that the conformance suite calls, through a cluster: two gateways and two workers, behind a load balancer that gives each
// request to the other gateway.
//   node scripts/run-ts.mjs conformance/cluster.ts URL
// Prints its address on one line, or that there is no NATS server, and ends when its standard input does.
import { startBalancedCluster } from "../cluster/balancer.ts";
import { natsServer } from "../test/kit/nats-server.ts";

const [url = ""] = process.argv.slice(2);
process.on("SIGTERM", () => {}); // The end of its input ends it, and everything that it started.
if (natsServer === undefined) process.stdout.write("no nats-server\n");
else {
  const cluster = await startBalancedCluster({ fixture: { url } });
  process.stdin.once("end", () => void cluster[Symbol.asyncDispose]().then(() => process.exit()));
  process.stdin.resume();
  process.stdout.write(`${cluster.url}\n`);
}
