import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { type Figure, ratioOf, type Variant } from "./measure.ts";

const bin = fileURLToPath(new URL("../packages/induscode/bin/indus.js", import.meta.url));
const SERVER = [fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url)), "--era", "legacy"];

/** Configuration files and the state of earlier runs, in a folder of their own. */
interface Place {
  /** Writes a file with servers of these ids. */
  configured(...ids: readonly string[]): string;
  /** Runs the command, as a user does. */
  indus(...args: readonly string[]): void;
}

async function inPlace(measure: (place: Place) => Promise<Figure>): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") };
  const place: Place = {
    configured: (...ids) => {
      const rows = ids.map((id) => [id, { command: process.execPath, args: SERVER }]);
      const file = join(folder, `${ids.length}.json`);
      writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(rows) }));
      return file;
    },
    indus: (...args) => {
      const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { env, encoding: "utf8" });
      if (status !== 0) throw new Error(`indus ${args.join(" ")} failed: ${stderr}`);
    },
  };
  try {
    return await measure(place);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** One node that starts others without input, all at once, and ends after them. Default: with an empty program. */
function nodeStarting(count: number, args: readonly string[] = ["-e", "0"]): Variant {
  const program = `const { spawn } = require("node:child_process");
    for (let i = 0; i < ${count}; i++) spawn(process.execPath, ${JSON.stringify(args)}, { stdio: "ignore" });`;
  return {
    name: `node starting ${count}`,
    run: () => {
      const { status } = spawnSync(process.execPath, ["-e", program]);
      if (status !== 0) throw new Error("node did not start");
    },
  };
}

function node(...args: readonly string[]): Variant {
  return {
    name: args.join(" "),
    run: () => {
      const { status } = spawnSync(process.execPath, args);
      if (status !== 0) throw new Error(`node ${args.join(" ")} failed`);
    },
  };
}

const help: BenchCase = {
  id: "command-help",
  summary: "indus --help / bare node",
  measure: () => ratioOf(node(bin, "--help"), node("-e", "0"), { rounds: 21 }),
};

const oneOfMany: BenchCase = {
  id: "mcp-call-of-40",
  summary: "indus mcp call of one server among 40 / the same with that server alone",
  measure: () =>
    inPlace((place) => {
      const call = (file: string): void =>
        place.indus("mcp", "call", "s7__echo", "text=hello", "--mcp", file);
      const alone = place.configured("s7");
      const many = place.configured(...Array.from({ length: 40 }, (_, index) => `s${index}`));
      return ratioOf({ name: "one of 40", run: () => call(many) }, { name: "alone", run: () => call(alone) });
    }),
};

const toolsOfOne: BenchCase = {
  id: "mcp-tools-of-1",
  summary: "indus mcp tools with one server / node starting one bare node",
  measure: () =>
    inPlace((place) => {
      const file = place.configured("s");
      return ratioOf(
        { name: "mcp tools", run: () => place.indus("mcp", "tools", "--mcp", file) },
        nodeStarting(1),
      );
    }),
};

/** `indus mcp list` with this many servers. */
function listBeside(count: number, base: Variant): BenchCase["measure"] {
  return () =>
    inPlace((place) => {
      const file = place.configured(...Array.from({ length: count }, (_, index) => `s${index}`));
      return ratioOf({ name: "mcp list", run: () => place.indus("mcp", "list", "--mcp", file) }, base);
    });
}

const listCases: readonly BenchCase[] = [
  {
    id: "mcp-list-of-1",
    summary: "indus mcp list with one server / bare node",
    measure: listBeside(1, node("-e", "0")),
  },
  {
    id: "mcp-list-of-10",
    summary: "indus mcp list with ten servers / node starting the same ten servers without input at once",
    measure: listBeside(10, nodeStarting(10, SERVER)),
  },
  {
    id: "mcp-list-of-10-plain",
    summary: "the same / node starting ten bare nodes at once",
    measure: listBeside(10, nodeStarting(10)),
  },
];

export const commandCases: readonly BenchCase[] = [help, oneOfMany, toolsOfOne, ...listCases];
