// Compares servers through `indus serve` and other gateways with the same servers alone, and writes docs/transparency.md.
//   npm run transparency                         everything; the other gateways are installed into a scratch folder, and the cluster needs nats-server
//   npm run transparency -- --only features      only these servers; prints the result and writes nothing
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endMarked } from "../fleet/processes.ts";
import { natsServer } from "../test/kit/nats-server.ts";
import { type Cell, observeCells } from "./cells.ts";
import { INDUS_CLUSTER } from "./doors/cluster.ts";
import type { Gateway } from "./doors/gateway.ts";
import { givenGateway } from "./doors/given.ts";
import { INDUS } from "./doors/indus.ts";
import { installPeers } from "./doors/install-peers.ts";
import { peerGateways } from "./doors/peers.ts";
import { SUBJECTS } from "./doors/subject.ts";
import { messageOf } from "./observe.ts";
import { isWholeRun, parseOptions, type TransparencyOptions, USAGE } from "./options.ts";
import { OURS, transparencyPage } from "./page/page.ts";
import { inRepository } from "./repository.ts";

const print = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await main();
// A connection that does not close must not keep the script alive.
process.exit();

async function main(): Promise<number> {
  let options: TransparencyOptions | "servers";
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (thrown) {
    print(`transparency: ${messageOf(thrown)}\n\n${USAGE}`);
    return 2;
  }
  try {
    return options === "servers" ? await printServers() : await run(options);
  } catch (thrown) {
    print(`transparency: ${messageOf(thrown)}`);
    return 1;
  }
}

async function printServers(): Promise<number> {
  for (const subject of SUBJECTS) {
    await using opened = await subject.start("list.");
    const { target } = opened;
    const how =
      target.kind === "stdio" ? [target.command, ...target.args].join(" ") : `(${subject.transport})`;
    process.stdout.write(`${subject.name}: ${how}\n`);
  }
  return 0;
}

async function run(options: TransparencyOptions): Promise<number> {
  const mark = randomUUID();
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const])
    process.once(signal, () => {
      endMarked(mark);
      process.exit(code);
    });
  const subjects = SUBJECTS.filter(({ name }) => isNamed(options.only, name));
  if (subjects.length === 0) throw new Error(`no server has a name like ${options.only.join(", ")}`);
  const gateways = chosenGateways(options);
  const folder = mkdtempSync(join(tmpdir(), "indus-t-"));
  let cells: readonly Cell[];
  try {
    cells = await observeCells({ gateways, subjects, mark, folder, atOnce: options.atOnce, print });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  const where = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${process.platform}`;
  const page = transparencyPage({ where, cells });
  if (isWholeRun(options)) writeFileSync(inRepository("docs/transparency.md"), page);
  else process.stdout.write(page);
  if (options.isVerbose) printDifferences(cells);
  const ours = cells.filter(({ gateway }) => OURS.includes(gateway));
  return ours.some(({ verdicts }) => verdicts.some(({ kind }) => kind === "different")) ? 1 : 0;
}

function chosenGateways(options: TransparencyOptions): readonly Gateway[] {
  if (options.url !== undefined) return [givenGateway(options.url, options.prefix)];
  const isOnlyOurs = options.gateways.length > 0 && options.gateways.every((name) => OURS.includes(name));
  const hasCluster = options.doors.includes("cluster") || (isWholeRun(options) && natsServer !== undefined);
  const peers = (): readonly Gateway[] => {
    mkdirSync(options.cache, { recursive: true });
    return peerGateways(installPeers(options.cache, print));
  };
  return [INDUS, ...(hasCluster ? [INDUS_CLUSTER] : []), ...(isOnlyOurs ? [] : peers())]
    .filter(({ name }) => isNamed(options.gateways, name))
    .map((gateway) => ({
      ...gateway,
      doors: gateway.doors.filter(({ name }) => isNamedExactly(options.doors, name)),
    }));
}

function isNamed(words: readonly string[], name: string): boolean {
  return words.length === 0 || words.some((word) => name.includes(word));
}

function isNamedExactly(words: readonly string[], name: string): boolean {
  return words.length === 0 || words.includes(name);
}

function printDifferences(cells: readonly Cell[]): void {
  for (const { gateway, door, subject, clientEra, verdicts } of cells)
    for (const { step, wrong } of verdicts)
      for (const { path, direct, through } of wrong)
        print(
          `${gateway} ${door}, ${subject.name}, ${clientEra} client, ${step}: ${path}\n  ${JSON.stringify(direct)?.slice(0, 400)}\n  ${JSON.stringify(through)?.slice(0, 400)}`,
        );
}
