import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { compareServers } from "../../fleet/compare/observe-all.ts";
import { freshState, writeConfiguration } from "../../fleet/configuration.ts";
import { Gateway } from "../../fleet/figures/gateway.ts";
import { keptResults } from "../../fleet/kept-results.ts";
import { markedProcesses } from "../../fleet/processes.ts";
import { openScratch, type Scratch } from "../../fleet/scratch.ts";
import type { FleetServer, HarmlessCall } from "../../fleet/server-list.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const indus = here("../../packages/induscode/bin/indus.js");
const scripted = here("../servers/server.mjs");

/** The scripted server as if npm had installed it. */
function installed(scratch: Scratch, name: string, call: HarmlessCall): FleetServer {
  const folder = join(scratch.installOf(name), "node_modules", "scripted");
  mkdirSync(folder, { recursive: true });
  copyFileSync(scripted, join(folder, "server.mjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ bin: { scripted: "server.mjs" } }));
  return { name, package: "scripted", version: "1.0.0", bin: "scripted", args: [], env: {}, call };
}

function fleetIn(folder: TempDir): { readonly scratch: Scratch; readonly servers: readonly FleetServer[] } {
  const scratch = openScratch(folder.path);
  const servers = [
    installed(scratch, "steady", { tool: "args", arguments: { folder: "${DATA}", list: [1, null] } }),
    installed(scratch, "refusing", { tool: "refuse", arguments: {} }),
    installed(scratch, "changing", { tool: "pid", arguments: {} }),
  ];
  return { scratch, servers };
}

verifies(
  "fleet-run:ways",
  "a server is equal with the official client, mounted and served; one that changes by itself is unsteady",
  async () => {
    await using folder = await tempDir();
    const { scratch, servers } = fleetIn(folder);
    const mark = `test-${process.pid}`;
    const options = { scratch, mark, indus, build: "1", print: () => {} };
    const results = keptResults(folder.at("results"), { resume: false });
    const reports = await compareServers(servers, { ...options, kept: results });

    const kinds = reports.map(({ mounted, served }) =>
      [mounted.definitions, served.definitions, mounted.call, served.call].map(({ kind }) => kind),
    );
    expect(kinds).toEqual([
      ["equal", "equal", "equal", "equal"],
      ["equal", "equal", "equal", "equal"],
      ["equal", "equal", "unsteady", "unsteady"],
    ]);
    expect(markedProcesses(mark)).toEqual([]);

    // With --resume nothing runs again.
    const again = {
      ...options,
      indus: "no-such-file",
      kept: keptResults(folder.at("results"), { resume: true }),
    };
    expect(await compareServers(servers, again)).toEqual(reports);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "fleet-run:ways",
  "the figures see the answer to initialize, the tools, the lag, the started servers and the end by Ctrl-C",
  async () => {
    await using folder = await tempDir();
    const { scratch, servers } = fleetIn(folder);
    const mark = `test-${process.pid}-figures`;
    const gateway = new Gateway({
      indus,
      probe: here("../../fleet/figures/probe.mjs"),
      file: writeConfiguration(servers, { scratch, mark, name: "fleet" }),
      stateFolder: freshState(scratch, "figures"),
      reportFile: scratch.at("probe.json"),
    });
    try {
      expect(await gateway.initialize("test")).toBeGreaterThan(0);
      while ((await gateway.countTools()) === 0) await sleep(50);
      expect(markedProcesses(mark).length).toBeGreaterThanOrEqual(1);
    } finally {
      gateway.interrupt();
      await gateway.ended();
    }
    expect(gateway.endSignal).toBe(null);
    const report = gateway.report();
    expect(report?.maxLagMs).toBeGreaterThanOrEqual(0);
    const started = report?.starts.filter(({ program }) => program.startsWith(scratch.root)) ?? [];
    expect(started.length).toBeGreaterThanOrEqual(1);
    expect(markedProcesses(mark)).toEqual([]);
  },
  { timeoutMs: 60_000, only: ["linux"] },
);
