import { execFileSync, spawn } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, isFullSize, recordFigure, spentMs, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { type LoadedConfig, loadServerConfigs } from "../../src/config/index.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const GOOD = `{
  // Comments and a trailing comma are accepted.
  "mcpServers": {
    "first": { "command": "one", "args": ["a", "b"] },
    "second": { "url": "https://example.test/mcp" },
  },
}
`;

const load = (file: string): LoadedConfig => loadServerConfigs({ places: [{ scope: "explicit", file }] });
const ids = ({ servers }: LoadedConfig): string[] => servers.map(({ config }) => config.id);

verifies("faults:b20-config", "a file cut at any byte is used whole or not at all", async () => {
  await using dir = await tempDir();
  const file = dir.at("mcp.json");
  const lastBrace = GOOD.lastIndexOf("}");
  for (let length = 0; length <= GOOD.length; length++) {
    writeFileSync(file, GOOD.slice(0, length));
    const loaded = load(file);
    expect(ids(loaded), `${length} bytes`).toEqual(length > lastBrace ? ["first", "second"] : []);
    if (length > lastBrace) continue;
    expect(loaded.files[0]?.state, `${length} bytes`).toBe("unusable");
    expect(loaded.diagnostics.length, `${length} bytes`).toBeGreaterThan(0);
  }
});

verifies("faults:b20-config", "byte order marks, duplicate keys and comments are accepted", async () => {
  await using dir = await tempDir();
  const file = dir.at("mcp.json");
  writeFileSync(file, `\ufeff${GOOD}`);
  expect(ids(load(file))).toEqual(["first", "second"]);
  writeFileSync(file, '{"servers":{"a":{"command":"1"},"a":{"command":"2"}}}');
  const doubled = load(file);
  expect(doubled.servers.map(({ config }) => config)).toMatchObject([{ id: "a", command: "2" }]);
  expect(doubled.diagnostics.length).toBeGreaterThan(0);
});

verifies(
  "faults:b20-config",
  "a huge, deep or missing file is refused at once",
  async () => {
    await using dir = await tempDir();
    const huge = dir.at("huge.json");
    writeFileSync(huge, GOOD);
    truncateSync(huge, atSize({ quick: 20, full: 100 }) * 1024 * 1024);
    const deep = dir.at("deep.json");
    writeFileSync(deep, `{"servers":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const fifo = dir.at("fifo");
    execFileSync("mkfifo", [fifo]);
    for (const file of [huge, deep, fifo, dir.path, "/dev/zero", dir.at("absent.json")]) {
      const ms = await spentMs(() => {
        const loaded = load(file);
        expect(ids(loaded), file).toEqual([]);
        expect(loaded.diagnostics.length, file).toBeGreaterThan(0);
      });
      expect(ms, file).toBeLessThan(isFullSize ? 250 : 5000);
    }
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "faults:b20-config",
  "read while it is rewritten repeatedly, it is one version or none",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("mcp.json");
    const versions = ["a", "b"].map((id) =>
      JSON.stringify({
        servers: { [`${id}1`]: { command: "x".repeat(30_000) }, [`${id}2`]: { command: "y" } },
      }),
    );
    // In place and in two steps, as some editors write.
    const writer = spawn(
      process.execPath,
      [
        "-e",
        `const fs = require("node:fs"); const [file, ...versions] = process.argv.slice(1);
       for (let i = 0; ; i = 1 - i) {
         const handle = fs.openSync(file, "w");
         fs.writeSync(handle, versions[i].slice(0, 15000)); fs.writeSync(handle, versions[i].slice(15000));
         fs.closeSync(handle); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
       }`,
        file,
        ...versions,
      ],
      { stdio: "ignore" },
    );
    const seen = new Map<string, number>();
    const untilMs = performance.now() + atSize({ quick: 500, full: 5000 });
    try {
      while (performance.now() < untilMs || !seen.has("a1,a2")) {
        const found = ids(load(file)).join();
        seen.set(found, (seen.get(found) ?? 0) + 1);
        await sleep(1);
        if (performance.now() > untilMs + 15_000) break;
      }
    } finally {
      writer.kill("SIGKILL");
    }
    for (const found of seen.keys()) expect(["", "a1,a2", "b1,b2"]).toContain(found);
    expect(seen.has("a1,a2")).toBe(true);
    recordFigure({
      what: "B20 a configuration read while it is rewritten",
      size: `${[...seen.values()].reduce((sum, count) => sum + count, 0)} reads`,
      found: `${seen.get("") ?? 0} found it half written and dropped it whole, 0 took a part of it`,
    });
  },
);
