import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { configPlaces } from "indusagi/config";
import { discoverMcpConfig, openTrustStore } from "induscode/deck";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A session provisions once, so this is the first deck of a process, with the box. The import comes before. */
const PROVISION = `
import { createDeckContext, provisionDeck } from "induscode/deck";
const start = performance.now();
const deck = provisionDeck("all", createDeckContext("."));
const count = deck.intoToolBox().descriptors().length;
console.log(performance.now() - start);
await deck.close();
if (count !== 19) throw new Error("expected 19 cards, got " + count);
`;

/** Has no base: the figure and the budget are milliseconds. */
const provision: BenchCase = {
  id: "deck-provision",
  summary: "provisioning a deck of all 19 cards, the first of a process, in milliseconds",
  measure: async () => figureOf(Array.from({ length: 15 }, () => Number(printedBy(PROVISION)))),
};

/** The first discovery of a process: all four places with 5 servers each, those of the project approved. */
const DISCOVER = `
import { discoverMcpConfig, openTrustStore } from "induscode/deck";
const [, folder] = process.argv;
const trust = openTrustStore(folder + "/state");
const start = performance.now();
const { servers } = discoverMcpConfig(folder, { home: folder + "/home", env: {}, trust });
console.log(performance.now() - start);
const free = servers.filter(({ config }) => !config.pending).length;
if (free !== 20) throw new Error("expected 20 servers that may start, got " + free);
`;

const discover: BenchCase = {
  id: "config-discovery",
  summary:
    "discovery of 20 servers in the four places, 5 of them approved, the first of a process, in milliseconds",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
    try {
      fillPlaces(folder);
      return figureOf(Array.from({ length: 15 }, () => Number(printedBy(DISCOVER, folder))));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function fillPlaces(folder: string): void {
  const options = { cwd: folder, home: join(folder, "home"), env: {} };
  for (const [place, { file }] of configPlaces(options).entries()) {
    const rows = Array.from({ length: 5 }, (_, n) => [`server-${place}-${n}`, ROW] as const);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }, undefined, 2));
  }
  const trust = openTrustStore(join(folder, "state"));
  for (const { config, launch } of discoverMcpConfig(folder, options).servers)
    if (config.pending) trust.approve(config.id, launch);
}

const ROW = {
  command: "npx",
  args: ["-y", "some-server@1.2.3", "--root", "."],
  env: { LEVEL: "info", TOKEN: "${TOKEN:-none}" },
};

function printedBy(script: string, ...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script, ...args],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export const deckCases: readonly BenchCase[] = [provision, discover];
