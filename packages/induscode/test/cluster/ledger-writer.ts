import { setTimeout as pause } from "node:timers/promises";
import { CoreError } from "indusagi/core";
import { BridgeCapability, BridgeLedger } from "induscode/deck";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { openServerLedger } from "../../src/cluster/server-ledger.ts";

// A worker that writes the ledger of a server without end, for tests that kill it. Its arguments: the URLs of NATS, the server, and what
// the names of its tools begin with. Others may write the same ledger: whoever is refused waits a little and takes over again.

/** Its output, one JSON value per line. */
export type WriterReport =
  | { readonly segment: string; readonly acked: number; readonly tool: string }
  | { readonly locked: string };

const [urls = "", server = "", name = ""] = process.argv.slice(2);
const say = (line: WriterReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const note = (message: string): void => void process.stderr.write(`${name}: ${message}\n`);

async function connected(): ReturnType<typeof connectCluster> {
  for (;;) {
    try {
      return await connectCluster({ urls: urls.split(",") }, name);
    } catch {
      await pause(100);
    }
  }
}

const connection = await connected();
for (let count = 0; ; ) {
  try {
    await using log = await openServerLedger(connection, server, { report: note });
    for (let ledger = BridgeLedger.empty(); ; ) {
      const tool = `${name}-${count++}`;
      ledger = ledger.enroll({ capability: capability(tool), server }, new Date().toISOString());
      await log.append(ledger.log.slice(-1));
      say({ segment: log.segment, acked: log.nextSeq - 1, tool });
    }
  } catch (thrown) {
    if (CoreError.is(thrown) && thrown.kind === "locked") say({ locked: thrown.message });
    else note(String(thrown));
    await pause(100 + Math.random() * 300);
  }
}

function capability(tool: string): BridgeCapability {
  const descriptor = {
    name: `${server}__${tool}`,
    description: `does ${tool}`,
    parameters: { type: "object" },
    origin: { server, tool },
  } as const;
  return new BridgeCapability(descriptor, { run: () => Promise.reject(new Error("it is not called")) });
}
