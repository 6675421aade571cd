// Proves what a cluster promises, with real NATS servers, gateways, workers and clients, and writes docs/cluster.md.
//   npm run cluster                    everything
//   npm run cluster -- workers nats    only these parts; the others keep their last figures
//   npm run cluster -- --quick         small sizes; prints the result and writes nothing
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endMarked } from "../fleet/processes.ts";
import { MARK_VARIABLE } from "../fleet/scratch.ts";
import { natsServer } from "../test/kit/nats-server.ts";
import { proveAccess } from "./access.ts";
import { crossTalk } from "./cross-talk.ts";
import { proveLedger } from "./ledger.ts";
import { killNats, restartAll } from "./nats.ts";
import { clusterPage, type ProvenPart } from "./page.ts";
import { cutApart } from "./partitions.ts";
import { missesOf, type Proof } from "./proof.ts";
import { measureScaling } from "./scaling.ts";
import { killWorkers } from "./workers.ts";

const print = (line: string): void => void process.stderr.write(`${line}\n`);

interface PartSize {
  readonly isQuick: boolean;
}

const PARTS: { readonly [name: string]: (size: PartSize) => Promise<Proof> } = {
  workers: ({ isQuick }) => killWorkers({ kills: isQuick ? 5 : 200, print }),
  nats: ({ isQuick }) => killNats({ kills: isQuick ? 6 : 60, print }),
  partitions: ({ isQuick }) =>
    cutApart({ rounds: isQuick ? 1 : 3, leaseS: isQuick ? 6 : 10, leases: 2, print }),
  ledger: ({ isQuick }) => proveLedger({ kills: isQuick ? 6 : 100, print }),
  access: ({ isQuick }) =>
    proveAccess({
      ...(isQuick
        ? { revocations: 2, renewals: 3, calls: 500 }
        : { revocations: 20, renewals: 50, calls: 10_000 }),
      print,
    }),
  "cross-talk": ({ isQuick }) =>
    crossTalk({ calls: isQuick ? 400 : 20_000, clientsPerEra: isQuick ? 3 : 6, print }),
  restarts: ({ isQuick }) => restartAll({ rounds: isQuick ? 1 : 5, print }),
  scaling: ({ isQuick }) => measureScaling({ seconds: isQuick ? 5 : 20, print }),
};

// Everything that is started inherits the mark, so nothing is left when this is interrupted.
const mark = `cluster-${randomUUID()}`;
process.env[MARK_VARIABLE] = mark;
for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
  process.once(signal, () => {
    endMarked(mark);
    process.exit(code);
  });

process.exitCode = await main(process.argv.slice(2));
process.exit();

async function main(words: readonly string[]): Promise<number> {
  const isQuick = words.includes("--quick");
  const asked = words.filter((word) => word !== "--quick");
  const unknown = asked.filter((name) => !PARTS[name]);
  if (unknown.length > 0) {
    print(
      `cluster: unknown part or option ${unknown.join(" ")}; use --quick or ${Object.keys(PARTS).join(" ")}`,
    );
    return 2;
  }
  if (natsServer === undefined) {
    print(
      "cluster: there is no nats-server 2.12 or newer; put one on the path, name it in NATS_SERVER, or run scripts/ci-extras",
    );
    return 2;
  }
  const kept = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "indus-cluster");
  mkdirSync(kept, { recursive: true });
  const fileOf = (name: string): string => join(kept, `${name}.json`);
  const misses: string[] = [];
  for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) {
    print(`${name} …`);
    const startMs = performance.now();
    const proof = await PARTS[name]?.({ isQuick });
    if (!proof) continue;
    const { texts, ...shown } = proof;
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const part: ProvenPart = { ...shown, date: new Date().toISOString().slice(0, 10), seconds };
    print(JSON.stringify(part, undefined, 2));
    for (const text of texts?.slice(0, 20) ?? []) print(`  ${text}`);
    misses.push(...missesOf(proof));
    if (!isQuick) writeFileSync(fileOf(name), JSON.stringify(part));
  }
  if (!isQuick) {
    const parts = Object.keys(PARTS).map((name) => {
      const file = fileOf(name);
      return [
        name,
        existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ProvenPart) : undefined,
      ] as const;
    });
    const page = clusterPage(parts, { node: process.version, nats: natsServer });
    writeFileSync(fileURLToPath(new URL("../docs/cluster.md", import.meta.url)), page);
  }
  for (const miss of misses) print(miss);
  return misses.length > 0 ? 1 : 0;
}
