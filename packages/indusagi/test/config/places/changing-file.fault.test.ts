import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { parseServerConfig, readConfigText, writeServerConfig } from "indusagi/config";
import { expect } from "vitest";

const ROUNDS = atSize({ quick: 80, full: 5000 });

/** Starts a program that runs until its input closes, and waits until it is ready. */
async function startProgram(code: string, path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", code, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

/** Closes the input of a program and returns its last output. */
async function endProgram(child: ChildProcess): Promise<string> {
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdin?.end();
  await once(child, "close");
  return said;
}

const names = (text: string): string[] =>
  parseServerConfig(text, { env: {} }).servers.map(({ config }) => config.id);

verifies(
  "config:half-written",
  "a file that is rewritten in place all the time is read whole or not at all",
  async () => {
    await using dir = await tempDir();
    const path = dir.at("mcp.json");
    const rewrites = `
    const { writeFileSync, openSync, writeSync, closeSync } = require("node:fs");
    const rows = Array.from({ length: 40 }, (_, i) => ['s' + i, { command: 'x'.repeat(100) }]);
    const text = JSON.stringify({ servers: Object.fromEntries(rows) }, null, 2);
    const halves = [text.slice(0, 2000), text.slice(2000)];
    let going = true;
    process.stdin.on("end", () => (going = false)).resume();
    const round = () => {
      const handle = openSync(process.argv[1], "w");
      for (const half of halves) writeSync(handle, half);
      closeSync(handle);
      if (going) setImmediate(round);
    };
    round();
    process.stdout.write("ready");`;
    const writer = await startProgram(rewrites, path);
    const seen = { whole: 0, nothing: 0 };
    try {
      for (let round = 0; round < ROUNDS * 10; round++) {
        const reading = readConfigText(path);
        if (!("text" in reading)) throw new Error(reading.problem);
        const { servers, usable, diagnostics } = parseServerConfig(reading.text, { env: {} });
        expect(servers.length).toBe(usable ? 40 : 0);
        if (!usable) expect(diagnostics).toHaveLength(1);
        seen[usable ? "whole" : "nothing"] += 1;
      }
    } finally {
      await endProgram(writer);
    }
    recordFigure({
      what: "B20 config rewritten in place while read",
      size: `${ROUNDS * 10} reads`,
      found: `${seen.whole} whole, ${seen.nothing} dropped whole, 0 in part`,
    });
  },
);

verifies("config:write", "a reader during saves sees one whole file after another", async () => {
  await using dir = await tempDir();
  const path = dir.at("mcp.json");
  writeServerConfig(path, { servers: { s0: { command: "x" } } });
  const reads = `
    const { readFileSync } = require("node:fs");
    let going = true, count = 0, torn = 0;
    process.stdin.on("end", () => (going = false)).resume();
    const round = () => {
      try { JSON.parse(readFileSync(process.argv[1], "utf8")); } catch { torn += 1; }
      count += 1;
      if (going) setImmediate(round); else process.stdout.write(JSON.stringify({ count, torn }));
    };
    process.stdout.write("ready");
    setTimeout(round, 0);`;
  const reader = await startProgram(reads, path);
  for (let round = 0; round < ROUNDS; round++)
    writeServerConfig(path, { servers: { [`s${round}`]: { command: "x".repeat((round % 50) * 400 + 1) } } });
  const { count, torn } = JSON.parse(await endProgram(reader)) as {
    readonly count: number;
    readonly torn: number;
  };
  expect(count).toBeGreaterThan(0);
  expect(torn).toBe(0);
  const last = readConfigText(path);
  expect("text" in last && names(last.text)).toEqual([`s${ROUNDS - 1}`]);
  recordFigure({
    what: "config saved while read",
    size: `${ROUNDS} saves, ${count} reads`,
    found: `${torn} torn`,
  });
});

verifies("config:half-written", "a file that was emptied is reported as empty", async () => {
  await using dir = await tempDir();
  writeFileSync(dir.at("a"), "");
  const reading = readConfigText(dir.at("a"));
  expect("text" in reading && parseServerConfig(reading.text)).toMatchObject({ usable: false, servers: [] });
});
