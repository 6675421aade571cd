import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { listLedgerSegments, readLedgerLog } from "induscode/deck";
// Not the whole kit, which needs vitest: `npm run cluster` uses this too.
import { type BuiltProgram, buildProgram } from "../../../../test/kit/build-program.ts";
import { tempDir } from "../../../../test/kit/temp-dir.ts";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { Stream } from "../../src/cluster/contract.ts";
import { copyLedger } from "../../src/cluster/ledger-segments.ts";
import { messageId, readStream } from "../../src/cluster/streams.ts";
import type { WriterReport } from "./ledger-writer.ts";

/** A server of NATS that is killed and started again. */
interface KilledNode {
  readonly name: string;
  end(signal: "SIGKILL"): Promise<void>;
  start(): void;
  /** Waits until it can be used. */
  untilReady(): Promise<void>;
}

export interface LedgerKillsOptions {
  readonly urls: readonly string[];
  readonly nodes: readonly KilledNode[];
  /** How many processes write the same ledger. */
  readonly writers: number;
  readonly kills: number;
  /** The writer. Default: it is built. */
  readonly program?: BuiltProgram;
  /** Kills all nodes at once at the end. */
  readonly thenAllNodes: boolean;
}

export interface LedgerKills {
  readonly kills: number;
  /** Entries that a writer knows to be stored. */
  readonly acknowledged: number;
  /** How often a writer was refused because another one had begun. */
  readonly refused: number;
  readonly segments: number;
  /** Acknowledged entries that the ledger does not have. */
  readonly lost: readonly string[];
  /** Entries that it has more than once. */
  readonly twice: readonly string[];
  /** Segments that are damaged, or that somebody wrote to after the next had begun. */
  readonly outOfOrder: readonly string[];
}

const SERVER = "notes";
const PROGRESS_MS = 90_000;

/**
 * Kills writers of one ledger, which all want to write it, and nodes of NATS in turns. Each kill waits until an entry was acknowledged since
 * the one before. Then compares what was acknowledged with what the ledger has.
 */
export async function killLedgerWriters(options: LedgerKillsOptions): Promise<LedgerKills> {
  const { urls, nodes, kills, thenAllNodes } = options;
  using program = options.program ?? (await buildProgram(new URL("ledger-writer.ts", import.meta.url)));
  const acked: { readonly segment: string; readonly seq: number; readonly tool: string }[] = [];
  let refused = 0;
  const take = (report: WriterReport): void => {
    if ("locked" in report) refused += 1;
    else acked.push({ segment: report.segment, seq: report.acked, tool: report.tool });
  };
  let started = 0;
  const start = (): ChildProcess =>
    startWriter(program.path, [urls.join(","), SERVER, `w${started++}`], take);
  const writers = Array.from({ length: options.writers }, start);
  const progress = async (): Promise<void> => {
    const before = acked.length;
    for (const untilMs = performance.now() + PROGRESS_MS; acked.length === before; await pause(5))
      if (performance.now() > untilMs) throw new Error(`no entry was acknowledged for ${PROGRESS_MS} ms`);
  };
  const killNode = async (node: KilledNode | undefined): Promise<void> => {
    await node?.end("SIGKILL");
    node?.start();
  };
  try {
    for (let kill = 0; kill < kills; kill++) {
      await progress();
      // A moment that nothing decides.
      await pause(Math.random() * 50);
      if (kill % 3 === 2) await killNode(nodes[Math.floor(kill / 3) % nodes.length]);
      else {
        const at = kill % writers.length;
        await ended(writers[at]);
        writers[at] = start();
      }
    }
    await progress();
    if (thenAllNodes) {
      await Promise.all(nodes.map((node) => node.end("SIGKILL")));
      for (const node of nodes) node.start();
      await progress();
    }
  } finally {
    await Promise.all(writers.map(ended));
  }
  // The last kill may have been a moment ago.
  for (const node of nodes) await node.untilReady();
  return { kills, acknowledged: acked.length, refused, ...(await compare(urls, acked)) };
}

function startWriter(
  program: string,
  args: readonly string[],
  take: (report: WriterReport) => void,
): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    const lines = (text + piece).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as WriterReport);
  });
  return child;
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

async function compare(
  urls: readonly string[],
  acked: readonly { readonly segment: string; readonly seq: number; readonly tool: string }[],
): Promise<Pick<LedgerKills, "segments" | "lost" | "twice" | "outOfOrder">> {
  await using dir = await tempDir();
  await using connection = await connectCluster({ urls }, "compare");
  const folder = await copyLedger(connection, dir.at("ledger"));
  const [stored, twice, outOfOrder] = [new Map<string, string>(), [] as string[], [] as string[]];
  const tools = new Set<string>();
  const segments = await listLedgerSegments(folder);
  for (const { id, path } of segments) {
    let last = 0;
    const reading = await readLedgerLog(path, ({ seq, capability }) => {
      const tool = capability?.descriptor.origin?.tool ?? "";
      if (tools.has(tool)) twice.push(`${id} ${seq} ${tool}`);
      if (seq !== last + 1) outOfOrder.push(`${id} ${seq} after ${last}`);
      last = seq;
      tools.add(tool);
      stored.set(`${id} ${seq}`, tool);
    });
    if (reading.state !== "whole") outOfOrder.push(`${id} is ${reading.state}`);
  }
  const lost = acked.filter(({ segment, seq, tool }) => stored.get(`${segment} ${seq}`) !== tool);
  // The messages themselves: no two alike, and none of a segment after the next has begun.
  const [seen, begun] = [new Set<string>(), [] as string[]];
  await readStream(connection, Stream.LEDGER, { subject: `${Stream.LEDGER}.>` }, (message) => {
    const id = messageId(message);
    const [segment = ""] = id.split(".");
    if (seen.has(id)) twice.push(`message ${id}`);
    seen.add(id);
    if (!begun.includes(segment)) begun.push(segment);
    else if (begun.at(-1) !== segment) outOfOrder.push(`message ${id} after ${begun.at(-1)}`);
  });
  return {
    segments: segments.length,
    lost: lost.map(({ segment, seq, tool }) => `${segment} ${seq} ${tool}`),
    twice,
    outOfOrder,
  };
}
