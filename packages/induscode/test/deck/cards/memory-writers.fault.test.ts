import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { atSize, buildProgram, tempDir, verifies } from "@indus/testkit";
import { createFileMemory } from "induscode/deck";
import { expect } from "vitest";

const program = (): ReturnType<typeof buildProgram> =>
  buildProgram(new URL("memory-program.ts", import.meta.url));

interface Writer {
  readonly child: ChildProcess;
  /** The notes it has reported as kept, when it has ended. */
  readonly kept: Promise<string[]>;
}

function startWriter(script: string, ...args: string[]): Writer {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  // The last element is a line that was cut off, or empty.
  return { child, kept: once(child, "close").then(() => text.split("\n").slice(0, -1)) };
}

verifies(
  "cards:memory-writers",
  "several processes append at the same time, and every note is kept once and in order",
  async () => {
    using built = await program();
    await using dir = await tempDir();
    const count = atSize({ quick: 15, full: 300 });
    const names = ["ann", "ben", "cleo"];
    const writers = names.map((name) => startWriter(built.path, dir.at("memory.md"), name, String(count)));
    const kept = await Promise.all(writers.map((writer) => writer.kept));
    const lines = (await createFileMemory(dir.at("memory.md")).read()).split("\n");
    for (const [index, name] of names.entries()) {
      const own = Array.from({ length: count }, (_, note) => `${name} ${note + 1}`);
      expect(kept[index]).toEqual(own);
      expect(lines.filter((line) => line.startsWith(name))).toEqual(own);
    }
    expect(lines.length).toBe(names.length * count);
    expect(readdirSync(dir.path)).toEqual(["memory.md"]);
  },
  { timeoutMs: 120_000 },
);

verifies(
  "cards:memory-writers",
  "a writer killed at any moment loses no note that it has reported, and does not block the next",
  async () => {
    using built = await program();
    await using dir = await tempDir();
    const memory = createFileMemory(dir.at("memory.md"), { waitMs: 60_000 });
    const reported: string[] = [];
    for (let round = 0; round < atSize({ quick: 3, full: 40 }); round += 1) {
      const { child, kept } = startWriter(built.path, dir.at("memory.md"), `writer${round}`, "1000");
      await once(child.stdout ?? child, "data");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      child.kill("SIGKILL");
      reported.push(...(await kept));
      await memory.append(`after ${round}`);
      reported.push(`after ${round}`);
    }
    const lines = (await memory.read()).split("\n");
    expect(reported.filter((note) => !lines.includes(note))).toEqual([]);
    // A note may be kept although its writer was killed before it reported it; none is kept in part.
    for (const line of lines) expect(line).toMatch(/^(writer|after ?)\d+( \d+)?$/);
    expect(readdirSync(dir.path).filter((name) => name.endsWith(".lock"))).toEqual([]);
  },
  { timeoutMs: 240_000 },
);
