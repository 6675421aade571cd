import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isAtLeast, OLDEST_SERVER } from "../packages/induscode/src/cluster/contract.ts";
import { killLedgerWriters } from "../packages/induscode/test/cluster/ledger-kills.ts";
import { buildProgram } from "../test/kit/build-program.ts";
import { freePort } from "../test/kit/free-port.ts";
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
  const old = await triedOld(cluster);
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
      {
        goal: `NATS servers before 2.12 (${old.version}) that a gateway, a worker or \`cluster init\` accepts, or refuses with more than one line`,
        wanted: 0,
        found: old.accepted.length,
      },
    ],
    notes: [
      `What they say about ${old.version}: ${old.said}`,
      `${found.acknowledged} entries were acknowledged in ${found.segments} segments; ${found.refused} times a writer was refused because another one had begun.`,
    ],
    texts: [...old.accepted, ...found.lost, ...found.twice, ...found.outOfOrder],
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

/** What an older server meets: who accepted it, and what the others said. */
interface OldServerTrial {
  readonly version: string;
  readonly accepted: readonly string[];
  readonly said: string;
}

async function triedOld(cluster: Cluster): Promise<OldServerTrial> {
  const folder = mkdtempSync(join(tmpdir(), "indus-old-"));
  try {
    await using old = await startOldNats(folder);
    const accepted: string[] = [];
    let said = "";
    for (const words of [["cluster", "init"], ["serve", "--port", "0"], ["worker"]]) {
      const { code, err } = await cluster.indusAt(old.url, ...words);
      const isRefused = code === 1 && err.includes(old.version) && err.trim().split("\n").length === 1;
      if (!isRefused) accepted.push(`indus ${words.join(" ")}: exit code ${code}: ${err}`);
      said = err.trim().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:4222");
    }
    return { version: old.version, accepted, said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface OldNats extends AsyncDisposable {
  readonly url: string;
  readonly version: string;
}

/** Debian's own nats-server where apt has it, else a server that greets as one of that version does. */
async function startOldNats(folder: string): Promise<OldNats> {
  const program = oldProgram(folder);
  if (program === undefined) return greetAsOld();
  const port = await freePort();
  const store = join(folder, "jetstream");
  const child = spawn(program, ["-js", "-sd", store, "-a", "127.0.0.1", "-p", String(port)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  let log = "";
  child.stderr.on("data", (chunk) => (log += String(chunk)));
  for (const untilMs = performance.now() + OLD_START_MS; !log.includes("Server is ready"); await pause(20))
    if (child.exitCode !== null || performance.now() > untilMs)
      throw new Error(`the older nats-server did not start: ${log}`);
  return {
    url: `nats://127.0.0.1:${port}`,
    version: versionOf(program),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const OLD_START_MS = 20_000;
const OLD_VERSION = "2.9.10";
const FETCH_MS = 60_000;

function versionOf(program: string): string {
  const said = execFileSync(program, ["--version"], { encoding: "utf8", timeout: OLD_START_MS });
  return /v([\d.]+)/.exec(said)?.[1] ?? said;
}

function oldProgram(folder: string): string | undefined {
  try {
    execFileSync("apt-get", ["download", "-qq", "nats-server"], {
      ...{ cwd: folder, stdio: "ignore", timeout: FETCH_MS },
    });
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    execFileSync("dpkg", ["-x", join(folder, file), unpacked], { timeout: FETCH_MS });
    const program = ["usr/sbin", "usr/bin"]
      .map((place) => join(unpacked, place, "nats-server"))
      .find((path) => existsSync(path));
    return program !== undefined && !isAtLeast(versionOf(program), OLDEST_SERVER) ? program : undefined;
  } catch {
    return undefined; // No Debian, or no mirror.
  }
}

async function greetAsOld(): Promise<OldNats> {
  const server = createServer((socket) => {
    const { port } = server.address() as AddressInfo;
    const info = {
      ...{ server_id: "OLD", version: OLD_VERSION, proto: 1, host: "127.0.0.1", port },
      ...{ headers: true, jetstream: true, max_payload: 1_048_576 },
    };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on("data", (chunk) => {
      if (String(chunk).includes("PING")) socket.write("PONG\r\n");
    });
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    version: OLD_VERSION,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
