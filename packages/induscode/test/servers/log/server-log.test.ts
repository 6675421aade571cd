import { appendFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openServerLog, serverLogs } from "../../../src/servers/log/index.ts";

const silent = { report: (): void => {} };
const stderr = (line: string) => ({ kind: "stderr", line }) as const;

verifies(
  "server-log:bounded",
  "each server has two files of limited size, readable only by their owner",
  async () => {
    await using dir = await tempDir();
    const folder = dir.at("logs");
    {
      await using log = openServerLog(folder, { ...silent, maxBytes: 4_000 });
      for (let at = 0; at < 1_000; at++) {
        log.record("a/../b", stderr(`line ${at} ${"x".repeat(200)}`));
        if (at % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    for (let at = 0; at < 30; at++) {
      await using log = openServerLog(folder, { ...silent, maxBytes: 4_000 });
      log.record("a/../b", stderr(`run ${at} ${"x".repeat(200)}`));
    }
    const files = readdirSync(folder).sort();
    expect(files).toHaveLength(2);
    expect(files[1]).toBe(`${files[0]}.1`);
    for (const file of files) {
      const { size, mode } = statSync(`${folder}/${file}`);
      expect(size).toBeLessThanOrEqual(4_000);
      if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
    }
    const entries = serverLogs(folder).read({ server: "a/../b" });
    expect(entries.at(-1)).toMatchObject({ server: "a/../b", kind: "stderr", pid: process.pid });
    const runs = entries.map((entry) => ("line" in entry ? /^run \d+/.exec(entry.line)?.[0] : undefined));
    expect(runs).toEqual(runs.map((_, at) => `run ${30 - runs.length + at}`));
    expect(runs.length).toBeGreaterThan(10);
  },
);

verifies(
  "server-log:bounded",
  "logs of servers that were not used for the longest time are removed",
  async () => {
    await using dir = await tempDir();
    const log = openServerLog(dir.path, silent);
    for (let at = 0; at < 105; at++) log.record(`s${at}`, stderr("x"));
    await log[Symbol.asyncDispose]();
    expect(readdirSync(dir.path)).toHaveLength(100);
  },
);

verifies(
  "server-log:read",
  "entries of all servers are merged by time; a damaged line is left out",
  async () => {
    await using dir = await tempDir();
    {
      await using log = openServerLog(dir.path, silent);
      for (const server of ["a", "b"]) log.record(server, { kind: "state", text: `${server} is ready` });
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.record("a", { kind: "sent", id: 1, method: "tools/list" });
    }
    for (const file of readdirSync(dir.path)) appendFileSync(dir.at(file), '{"torn\n{"at":1}\n{"at":"x"');
    expect(
      serverLogs(dir.path)
        .read()
        .map(({ server, kind }) => [server, kind]),
    ).toEqual([
      ["a", "state"],
      ["b", "state"],
      ["a", "sent"],
    ]);
    expect(serverLogs(dir.path).read({ last: 1 })).toMatchObject([{ server: "a", kind: "sent" }]);
    expect(serverLogs(dir.path).read({ server: "nobody" })).toEqual([]);
    expect(serverLogs(dir.at("absent")).read()).toEqual([]);
  },
);

verifies(
  "server-log:read",
  "a reader that follows gets each entry once, also when a file is put aside",
  async () => {
    await using dir = await tempDir();
    const added = async (text: string): Promise<void> => {
      await using log = openServerLog(dir.path, { ...silent, maxBytes: 400 });
      log.record("a", stderr(text));
    };
    await added("before");
    const next = serverLogs(dir.path).follow();
    expect(next()).toEqual([]);
    const got: string[] = [];
    const sent = Array.from({ length: 20 }, (_, at) => `${at} ${"x".repeat(60)}`);
    for (const [at, text] of sent.entries()) {
      await added(text);
      if (at % 2 === 0) got.push(...next().map((entry) => ("line" in entry ? entry.line : "")));
    }
    got.push(...next().map((entry) => ("line" in entry ? entry.line : "")));
    expect(got).toEqual(sent);
  },
);

verifies(
  "server-log:bounded",
  "a folder that cannot be written is one line, and nothing else fails",
  async () => {
    await using dir = await tempDir();
    const reports: string[] = [];
    {
      await using first = openServerLog(dir.path, silent);
      first.record("a", stderr("x"));
    }
    const [file = ""] = readdirSync(dir.path);
    writeFileSync(dir.at("target"), "");
    await using log = openServerLog(dir.at("logs"), { report: (message) => void reports.push(message) });
    mkdirSync(dir.at("logs"), { recursive: true });
    symlinkSync(dir.at("target"), dir.at("logs", file));
    log.record("a", stderr("x"));
    await log[Symbol.asyncDispose]();
    log.record("a", stderr("y"));
    await log[Symbol.asyncDispose]();
    if (process.platform !== "win32") {
      expect(reports).toEqual([expect.stringMatching(/^the log of the servers cannot be written: /)]);
      expect(statSync(dir.at("target")).size).toBe(0);
    }
  },
);
