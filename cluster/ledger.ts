import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killLedgerWriters } from "../packages/induscode/test/cluster/ledger-kills.ts";
import { buildProgram } from "../test/kit/build-program.ts";
import { startNats } from "../test/kit/nats-server.ts";
import type { Proof } from "./proof.ts";
import { Cluster } from "./set-up.ts";

const WRITER = new URL("../packages/induscode/test/cluster/ledger-writer.ts", import.meta.url);
const CACHE = fileURLToPath(new URL("../node_modules/.cache/indus/", import.meta.url));

export interface LedgerProof {
  readonly kills: number;
  readonly print: (line: string) => void;
}

/** Kills writers that want the same ledger, and NATS servers, in turns; then all NATS servers at once. */
export async function proveLedger({ kills, print }: LedgerProof): Promise<Proof> {
  await using cluster = await Cluster.start({ servers: [] });
  const { nodes } = cluster.nats;
  print(`ledger: ${kills} kills`);
  const found = await killLedgerWriters({
    // Built here: this program is a bundle, in which files are not found from where they were.
    program: await buildProgram(WRITER, CACHE),
    ...{ urls: nodes.map(({ url }) => url), nodes, writers: 3, kills, thenAllNodes: true },
  });
  return {
    title: "The ledger",
    did: `${kills} times SIGKILL, two of three to one of 3 processes that write the same ledger and one of three to one of 3 NATS servers, each only after an entry was acknowledged; then to all NATS servers at once.`,
    goals: [
      { goal: "acknowledged entries that are lost", wanted: 0, found: found.lost.length },
      { goal: "entries that are there twice", wanted: 0, found: found.twice.length },
      { goal: "segments out of order", wanted: 0, found: found.outOfOrder.length },
      {
        goal: "NATS servers without flushing that `cluster init --monitor` accepts",
        wanted: 0,
        found: await acceptsLazy(cluster),
      },
    ],
    notes: [
      `${found.acknowledged} entries were acknowledged in ${found.segments} segments; ${found.refused} times a writer was refused because another one had begun.`,
    ],
    texts: [...found.lost, ...found.twice, ...found.outOfOrder],
  };
}

async function acceptsLazy(cluster: Cluster): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "indus-lazy-"));
  try {
    await using lazy = await startNats(join(folder, "nats"), { flushes: false });
    const { code, err } = await cluster.indusAt(lazy.url, "cluster", "init", "--monitor", lazy.monitor);
    return code !== 0 && err.includes("sync_interval") && err.trim().split("\n").length === 1 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
