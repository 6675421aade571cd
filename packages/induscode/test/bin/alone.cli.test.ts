import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";

const folder = fileURLToPath(new URL("../..", import.meta.url));
const bundle = join(folder, "dist/command");

/** What the package installs for the command, in a folder from which no `node_modules` can be found. */
function copyTo(target: string): string {
  for (const part of ["package.json", "bin", "demo", "dist/command"])
    cpSync(join(folder, part), join(target, part), { recursive: true });
  return join(target, "bin/indus.js");
}

verifies(
  "command:bundle",
  "without any other package it lists its servers, serves them, and runs tools that need libraries",
  async () => {
    await using dir = await tempDir();
    const bin = copyTo(join(dir.path, "indus"));
    writeFileSync(join(dir.path, "page.txt"), "one\ntwo\n");
    const env = {
      ...process.env,
      PATH: "/usr/bin:/bin",
      NODE_PATH: "",
      XDG_STATE_HOME: join(dir.path, "state"),
    };
    const run = (...args: readonly string[]): string => {
      const given = { cwd: dir.path, env, encoding: "utf8", timeout: 30_000 } as const;
      const { stdout, stderr, status } = spawnSync(process.execPath, [bin, ...args], given);
      expect(stderr).toBe("");
      expect(status).toBe(0);
      return stdout;
    };
    // A glob in the path, a diff, and a pattern for the linear engine in a worker thread.
    expect(run("call", "find", "query=*.txt")).toContain("page.txt");
    expect(run("call", "grep", "pattern=t(w|x)o", "flags=i")).toContain("page.txt:2: two");

    const child = spawn(process.execPath, [bin, "serve", "--stdio", "--demo"], { cwd: dir.path, env });
    const ended = once(child, "close");
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n${JSON.stringify(LIST)}\n`);
    while (!/"id":2/.test(out)) await once(child.stdout, "data");
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(out).toContain("notes__add");
  },
  { timeoutMs: 60_000 },
);

const clientInfo = { name: "test", version: "1.0.0" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };

/** A file of the bundle and all that it loads with it. */
function withItsParts(name: string, found = new Set<string>()): ReadonlySet<string> {
  found.add(name);
  const text = readFileSync(join(bundle, name), "utf8");
  for (const [, part = ""] of text.matchAll(/require\("\.\/(lib-chunk\.[\w-]+\.cjs)"\)/g))
    if (!found.has(part)) withItsParts(part, found);
  return found;
}

verifies("command:bundle", "the SDK is loaded without what only the libraries of the models use", () => {
  const german = String.raw`Ung\xFCltige`; // The message of zod for an invalid value.
  const speaksGerman = (library: RegExp): boolean => {
    const file = readdirSync(bundle).find((name) => library.test(name)) ?? "";
    return [...withItsParts(file)].some((name) => readFileSync(join(bundle, name), "utf8").includes(german));
  };
  expect(speaksGerman(/^lib-ai-sdk-openai\.[\w-]{8}\.cjs$/)).toBe(true);
  expect(speaksGerman(/^lib-modelcontextprotocol-client\.[\w-]{8}\.cjs$/)).toBe(false);
});

verifies("command:bundle", "the help loads one part: neither the framework nor a library", () => {
  const script = `
    process.argv.splice(1, 1, "indus", "--help");
    require(${JSON.stringify(join(folder, "bin/indus.js"))});
    process.on("exit", () => console.error(JSON.stringify(Object.keys(require.cache))));`;
  // Without it the parts are not loaded by `require`.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
  const { stderr } = spawnSync(process.execPath, ["-e", script], { env, encoding: "utf8", timeout: 30_000 });
  const [main] = readdirSync(bundle).filter((file) => /^main\.[\w-]{8}\.cjs$/.test(file));
  expect(JSON.parse(stderr)).toEqual([
    join(folder, "bin/indus.js"),
    join(folder, "bin/code-cache.js"),
    join(bundle, "main.cjs"),
    join(bundle, main ?? ""),
  ]);
});

verifies("command:node-version", "an older Node gets one line that names the version it needs", () => {
  const bin = join(folder, "bin/indus.js");
  const script = `delete process.getBuiltinModule; require(${JSON.stringify(bin)});`;
  const { stderr, status } = spawnSync(process.execPath, ["-e", script], {
    encoding: "utf8",
    timeout: 30_000,
  });
  expect([stderr, status]).toEqual([
    `indus: needs Node 20.19 or later; this is Node ${process.versions.node}\n`,
    1,
  ]);
});

verifies("command:bundle", "a library that a worker thread loads has the exports of its package", () => {
  const bundled = createRequire(join(bundle, "main.cjs"));
  const original = createRequire(join(folder, "../indusagi/package.json"));
  for (const name of ["turndown", "re2js"]) {
    const [ours, theirs] = [bundled(`./lib-${name}-whole.cjs`), original(name)] as [object, object];
    expect([typeof ours, Object.keys(ours)]).toEqual([typeof theirs, Object.keys(theirs)]);
  }
});

verifies("command:notices", "every package whose code is bundled is named with its licence", () => {
  const notices = readFileSync(join(folder, "dist/third-party-notices.txt"), "utf8");
  const { dependencies } = JSON.parse(readFileSync(join(folder, "../indusagi/package.json"), "utf8")) as {
    readonly dependencies: { readonly [name: string]: string };
  };
  for (const [name, version] of Object.entries(dependencies))
    expect(notices).toContain(`${name} ${version} (`);
  // Those that they bring with them.
  for (const name of ["zod", "@mixmark-io/domino", "@modelcontextprotocol/core"])
    expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
  const licences = notices.match(/Permission is hereby granted|Apache License|Redistribution and use/g) ?? [];
  expect(licences.length).toBeGreaterThanOrEqual(Object.keys(dependencies).length);
  expect(readdirSync(bundle).filter((file) => file.startsWith("lib-")).length).toBeGreaterThan(10);
});
