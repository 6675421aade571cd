import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import {
  eventually,
  runIndus,
  scriptedRow,
  startedPids,
  startIndus,
  untilGone,
  writeConfig,
} from "./run-indus.ts";
import { startInTerminal } from "./terminal-indus.ts";

const SECRET = "swordfish-swordfish";
const POSIX = ["linux", "darwin"] as const;
/** Against a hang only: other programs may make everything slow. */
const HANG_MS = 60_000;
const PATIENT = { timeoutMs: 2 * HANG_MS };

/** Prints a secret of its row, and then what it misses. */
const failing = {
  command: process.execPath,
  args: ["-e", 'console.error("key", process.env.API_KEY); throw new Error("the database is gone")'],
  env: { API_KEY: SECRET },
};

interface DoctorJson {
  readonly exitCode: number;
  readonly servers: readonly { readonly server: string; readonly verdict: string; readonly ms?: number }[];
}

verifies(
  "command:doctor",
  "each server has a block with what is wrong and the way out; the log keeps what they wrote, without secrets",
  async () => {
    await using dir = await tempDir();
    const npx = { command: "npx", args: ["-y", "x"], env: { PATH: dir.at("empty") } };
    const good = scriptedRow("--stderr", "40");
    const file = await writeConfig(dir.at("servers.json"), { good, npx, failing });
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const text = await runIndus(["mcp", "doctor", "--mcp", file], options);
    expect({ code: text.code, err: text.err }).toEqual({ code: 1, err: "" });
    expect(text.out).toMatch(/^Indus 0\.1\.0\n {2}ok {7}Node\.js \d+/);
    expect(text.out).toMatch(/^ {2}ok {7}state folder .*state.indusvx/m);
    expect(text.out).toMatch(
      /^good: ready after (?:\d+ ms|\d+(?:\.\d)? s), 22 tools, about \d+ tokens \(estimate\)\n {2}from {5}servers\.json:3$/m,
    );
    expect(text.out).toMatch(
      /^ {2}problem {2}.*could not start "npx": there is no such command\n {2}do {7}install Node\.js, which contains npx, .*empty\)$/m,
    );
    expect(text.out).toMatch(
      /^failing: failed after .*(?:\n {2}.*)*\n {2}stderr {3}\| Error: the database is gone$/m,
    );
    expect(text.out).toMatch(/\n3 servers: 1 ready, 2 failed\b.*\n$/);

    const [json, log, all, unknown] = await Promise.all([
      runIndus(["mcp", "doctor", "good", "--json", "--mcp", file], options),
      runIndus(["mcp", "log", "failing"], options),
      runIndus(["mcp", "log", "--json", "--lines", "1000"], options),
      runIndus(["mcp", "log", "godo"], options),
    ]);
    expect(json.code).toBe(0);
    const { exitCode, servers } = JSON.parse(json.out) as DoctorJson;
    expect({ exitCode, servers }).toMatchObject({
      exitCode: 0,
      servers: [{ server: "good", verdict: "ready", ms: expect.any(Number) }],
    });
    expect(log.code).toBe(0);
    expect(log.out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}connecting$/m);
    expect(log.out).toMatch(/ {2}\| key \[redacted\]$/m);
    expect(log.out).toMatch(/ {2}\| Error: the database is gone$/m);
    expect(log.out).toMatch(/ {2}failed: server "failing" exited before it was connected/);
    const entries = all.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; server: string });
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(
      new Set(["state", "stderr", "sent", "received"]),
    );
    expect(new Set(entries.map(({ server }) => server))).toEqual(new Set(["good", "npx", "failing"]));
    expect(unknown).toMatchObject({ code: 1, out: "", err: expect.stringContaining("did you mean good?") });

    const [workspace = ""] = readdirSync(dir.at("state/indusvx"));
    const folder = dir.at("state/indusvx", workspace, "logs");
    for (const name of readdirSync(folder)) {
      expect(readFileSync(join(folder, name), "utf8")).not.toContain(SECRET);
      if (process.platform !== "win32") expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(JSON.stringify([text, json, log, all])).not.toContain(SECRET);
  },
  PATIENT,
);

verifies(
  "command:doctor",
  "exit codes: 2 usage, 3 files, 4 not approved, 5 login",
  async () => {
    await using dir = await tempDir();
    const web = createServer((_, response) =>
      response.writeHead(401, { "www-authenticate": "Bearer" }).end(),
    );
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    const project = (name: string, rows: object): string => {
      mkdirSync(dir.at(name, ".indusvx"), { recursive: true });
      writeFileSync(dir.at(name, ".indusvx/mcp.json"), JSON.stringify({ mcpServers: rows }));
      return dir.at(name);
    };
    const marks = dir.at("marks");
    const untrusted = project("untrusted", { mine: scriptedRow("--starts", marks) });
    const broken = project("broken", { odd: { command: "x", env: { A: "${INDUS_NOT_SET}" } } });
    // No file of the person who runs the tests may count.
    const env = { HOME: dir.at("home"), XDG_CONFIG_HOME: dir.at("home") };
    const doctor = (...args: string[]) => runIndus(["mcp", "doctor", ...args], { env });
    const [usage, files, trust, login, none] = await Promise.all([
      doctor("nobody", "--cwd", untrusted),
      doctor("--cwd", broken),
      doctor("--cwd", untrusted),
      doctor("--run", `http://127.0.0.1:${port}/mcp`),
      doctor("--cwd", dir.path),
    ]);
    web.close();
    expect(usage).toMatchObject({ code: 2, out: "" });
    expect(usage.err).toContain('there is no server named "nobody"; the servers are mine');
    expect(files.code).toBe(3);
    expect(files.out).toMatch(/^Configuration files\n {2}problem {2}.*mcp\.json:1: error: .*INDUS_NOT_SET/m);
    expect(trust.code).toBe(4);
    expect(trust.out).toMatch(/^ {2}do {7}look at its launch and approve it: indus mcp trust mine$/m);
    expect(() => statSync(marks)).toThrow("ENOENT");
    expect(login.code).toBe(5);
    expect(login.out).toMatch(/: needs a login after /);
    expect(none).toMatchObject({ code: 0, err: "" });
    expect(none.out).toContain("There are no servers. To add one: indus mcp add");
  },
  PATIENT,
);

verifies(
  "command:watch",
  "on a screen one table is drawn in place; a server that dies is shown as it is restarted, until Ctrl-C",
  async () => {
    await using dir = await tempDir();
    const starts = dir.at("starts");
    const file = await writeConfig(dir.at("servers.json"), {
      good: scriptedRow("--starts", starts),
      gone: { command: "npx", env: { PATH: dir.at("empty") } },
    });
    using watch = startInTerminal(["mcp", "watch", "--mcp", file], { columns: 58 });
    await eventually(() => /^good +ready +22 +0 +\d+ s/m.test(watch.screen()) || undefined, HANG_MS);
    const [first = 0] = await startedPids(starts, 1);
    process.kill(first, "SIGKILL");
    const pids = await startedPids(starts, 2);
    await eventually(() => /^good +ready +22 +1 +\d+ s/m.test(watch.screen()) || undefined, HANG_MS);
    expect(watch.lines().filter((line) => line.startsWith("SERVER"))).toEqual([
      "SERVER  STATE   TOOLS  RESTARTS  SINCE",
    ]);
    expect(watch.screen()).toMatch(/^gone +failed +0 +0 +\d+ s\n {4}server "gone" could not be opened/m);
    // What was drawn before was replaced, so that no line was broken by the terminal.
    expect(watch.lines().filter((line) => /^(good|gone) /.test(line))).toHaveLength(2);
    watch.press("\u0003");
    expect(await watch.ended).toBe(130);
    await untilGone(pids);
    expect(watch.isRestored()).toBe(true);
    expect(watch.screen()).not.toContain("    at ");
  },
  { ...PATIENT, only: POSIX },
);

verifies(
  "command:watch",
  "in a pipe each change is one line, with --json one object",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { good: scriptedRow() });
    using watch = startIndus(["mcp", "watch", "--json", "--mcp", file]);
    using dumb = startInTerminal(["mcp", "watch", "--mcp", file], { term: "dumb" });
    const lines = (): readonly { readonly phase: string; readonly toolCount: number }[] =>
      watch
        .out()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { phase: string; toolCount: number });
    await eventually(() => lines().some(({ toolCount }) => toolCount === 22) || undefined, HANG_MS);
    expect(lines()[0]).toMatchObject({ server: "good", phase: expect.any(String), at: expect.any(String) });
    await eventually(() => /server "good" is ready \(22 tools\)/.test(dumb.screen()) || undefined, HANG_MS);
    expect(dumb.written()).not.toContain("\u001b");
    watch.child.kill("SIGINT");
    dumb.press("\u0003");
    if (process.platform !== "win32") expect([await watch.ended, await dumb.ended]).toEqual([130, 130]);
  },
  PATIENT,
);

verifies(
  "command:log-follow",
  "mcp log --follow shows what another run adds, until it is ended",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { good: scriptedRow() });
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    using log = startIndus(["mcp", "log", "-f"], options);
    const { code } = await runIndus(["mcp", "call", "good__fail", "--mcp", file], options);
    expect(code).toBe(1);
    await eventually(
      () =>
        / {2}good {2}← answer to tools\/call fail \((?:\d+ ms|\d+(?:\.\d)? s)\): the tool reports an error$/m.test(
          log.out(),
        ) || undefined,
    );
    log.child.kill("SIGINT");
    expect(await log.ended).toBe(130);
    expect(log.err()).toBe("");
  },
  { ...PATIENT, only: POSIX },
);
