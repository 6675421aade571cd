import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TempDir, tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, runIndus, scriptedRow, startedPids, startIndus } from "../bin/run-indus.ts";
import { callModern, serveRows } from "../gateway/serving-gateway.ts";

const TIMEOUT = { timeoutMs: 240_000 };

/** A program in the place of the one that opens the browser. It notes its words and what it was given to open. */
function fakeOpener(dir: TempDir): { readonly env: NodeJS.ProcessEnv; seen(): string[] | undefined } {
  const bin = dir.at("bin");
  mkdirSync(bin, { recursive: true });
  const seen = dir.at("seen.json");
  const program = `#!${process.execPath}
const { readFileSync, statSync, writeFileSync, renameSync } = require("node:fs");
const words = process.argv.slice(2);
const text = JSON.stringify([...words, readFileSync(words[0], "utf8"), (statSync(words[0]).mode & 0o777).toString(8)]);
writeFileSync(${JSON.stringify(`${seen}.new`)}, text);
renameSync(${JSON.stringify(`${seen}.new`)}, ${JSON.stringify(seen)});
`;
  writeFileSync(join(bin, "xdg-open"), program);
  chmodSync(join(bin, "xdg-open"), 0o755);
  return {
    env: { PATH: `${bin}:${process.env["PATH"]}`, DISPLAY: ":99", XDG_STATE_HOME: dir.at("state") },
    seen: () => (existsSync(seen) ? (JSON.parse(readFileSync(seen, "utf8")) as string[]) : undefined),
  };
}

verifiesTogether(
  "console:opener",
  "the browser's opener gets a private page without the code in a command line, and the page goes when the link was used",
  async () => {
    await using dir = await tempDir();
    const { env, seen } = fakeOpener(dir);
    const none = await runIndus(["console"], { cwd: dir.path, env });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("indus serve --port 7717")]);
    await using gateway = await serveRows(dir, { name: "g", rows: { s: scriptedRow() }, env });
    using opening = startIndus(["console"], { cwd: dir.path, env });
    const [path = "", page = "", mode] = await eventually(() => seen(), 60_000);
    expect(mode).toBe("600");
    const address = /href="([^"]+)"/.exec(page)?.[1] ?? "";
    const { origin, hash } = new URL(address);
    expect(origin).toBe(new URL(gateway.url).origin);
    const code = hash.replace("#link=", "");
    expect(code.length).toBeGreaterThan(40);
    expect(path).not.toContain(code);
    if (process.platform === "linux") {
      const lines = readdirSync("/proc").flatMap((name) => {
        try {
          return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "latin1")] : [];
        } catch {
          return []; // It has ended.
        }
      });
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.filter((line) => line.includes(code))).toEqual([]);
    }
    const answer = await fetch(new URL("/console/session", origin), {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    expect(answer.status).toBe(200);
    expect(await opening.ended).toBe(0);
    expect(existsSync(path)).toBe(false);
    const printed = await runIndus(["console", "--print"], { cwd: dir.path, env });
    expect(printed.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#link=\S{43}\n$/);
    expect(
      (await runIndus(["console", "--url", "http://tools.example.com"], { cwd: dir.path, env })).code,
    ).toBe(2);
    const remote = await runIndus(["console", "--print", "--url", origin], {
      cwd: dir.path,
      env: { ...env, INDUS_TOKEN: "" },
    });
    expect(remote.err).toContain("indus token add NAME --admin");
  },
  { ...TIMEOUT, only: ["linux"] },
);

verifiesTogether(
  "console:remote",
  "indus console --url exchanges a token of an administrator for a link, and no other",
  async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.at("state") };
    await using gateway = await serveRows(dir, { name: "g", rows: { s: scriptedRow() }, env });
    const { origin } = new URL(gateway.url);
    const tokenOf = async (name: string, ...flags: string[]): Promise<string> =>
      (await runIndus(["token", "add", name, ...flags], { cwd: dir.path, env })).out.trim();
    const open = async (token: string) =>
      runIndus(["console", "--print", "--url", origin], {
        cwd: dir.path,
        env: { ...env, INDUS_TOKEN: token },
      });
    const refused = await open(await tokenOf("plain"));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("may not open the console")]);
    const allowed = await open(await tokenOf("ada", "--admin"));
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining(`${origin}/#link=`)]);
    const both = await runIndus(["token", "add", "x", "--admin", "--servers", "s"], { cwd: dir.path, env });
    expect(both.code).toBe(2);
  },
  TIMEOUT,
);

verifiesTogether(
  "console:restart",
  "mcp restart restarts a server of the running gateway, which loads the console only then",
  async () => {
    await using dir = await tempDir();
    const coverage = dir.at("coverage");
    const stateOf = (isAsked: boolean) => ({ XDG_STATE_HOME: dir.at(`state-${isAsked}`) });
    const loads = async (isAsked: boolean): Promise<boolean> => {
      const env = stateOf(isAsked);
      const starts = dir.at(`starts-${isAsked}`);
      const folder = `${coverage}-${isAsked}`;
      const gateway = await serveRows(dir, {
        name: `g-${isAsked}`,
        rows: { s: scriptedRow("--starts", starts) },
        env: { ...env, NODE_V8_COVERAGE: folder },
      });
      await callModern(gateway.url, "s__echo", { args: { text: "hi" } });
      if (isAsked) {
        const before = readFileSync(starts, "utf8").trim().split("\n").length;
        const done = await runIndus(["mcp", "restart", "s"], { cwd: dir.path, env });
        expect([done.err, done.code]).toEqual(["", 0]);
        await startedPids(starts, before + 1);
        expect((await runIndus(["mcp", "restart", "none"], { cwd: dir.path, env })).err).toContain(
          "no server named",
        );
      }
      await gateway[Symbol.asyncDispose]();
      const scripts = readdirSync(folder).flatMap((name) => {
        const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
          result: { url: string }[];
        };
        return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
      });
      expect(scripts.length).toBeGreaterThan(3);
      return scripts.some((url) =>
        readFileSync(new URL(url), "utf8").includes("there is no such session, or it has ended"),
      );
    };
    expect(await Promise.all([loads(false), loads(true)])).toEqual([false, true]);
    const gone = await runIndus(["mcp", "restart", "s"], { cwd: dir.path, env: stateOf(true) });
    expect([gone.code, gone.err]).toEqual([
      1,
      expect.stringContaining("no gateway with a console is running"),
    ]);
  },
  TIMEOUT,
);
