import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { type LoadMcpConfigOptions, loadMcpConfig } from "induscode/deck";
import { expect } from "vitest";
import { world } from "./kit.ts";

const quiet = (options: LoadMcpConfigOptions, said: string[] = []): LoadMcpConfigOptions => ({
  ...options,
  onDiagnostic: ({ message }) => void said.push(message),
});

verifies(
  "trust:load",
  "the project's rows come first and are pending until the store approves them",
  async () => {
    await using dir = await tempDir();
    const { project, user, legacy, cwd, options, discover, trust } = world(dir);
    project({
      both: { command: "p" },
      off: { command: "x", enabled: false },
      site: { url: "https://a.test/" },
    });
    user([
      { name: "both", command: "u" },
      { name: "off", command: "u" },
    ]);
    legacy({ old: { command: "o" } });
    const rows = (mark: object) => [
      { kind: "stdio", id: "both", command: "p", ...mark },
      { kind: "streamable-http", id: "site", url: "https://a.test/", pending: true },
      { kind: "stdio", id: "off", command: "u" },
      { kind: "stdio", id: "old", command: "o" },
    ];
    expect(loadMcpConfig(cwd, quiet(options))).toMatchObject(rows({ pending: true }));
    const { trust: _, ...withoutStore } = options;
    trust.approve("both", discover().servers[0]?.launch ?? "");
    const said: string[] = [];
    const approved = loadMcpConfig(cwd, quiet(options, said));
    expect(approved).toMatchObject(rows({}));
    expect(approved[0]).not.toHaveProperty("pending");
    expect(loadMcpConfig(cwd, quiet(withoutStore))[0]).toMatchObject({ id: "both", pending: true });
    expect(said.join("\n")).toMatch(/"both" is also in .*this row is not used/);
  },
);

verifies(
  "trust:load",
  "a file that is named is approved by that; the other places are not read",
  async () => {
    await using dir = await tempDir();
    const { project, user, options } = world(dir);
    user({ mine: { command: "x" } });
    const file = project({ servers: 1, a: { command: "a", args: [1, true, "s"] }, b: {} });
    const said: string[] = [];
    expect(loadMcpConfig(file, quiet(options, said))).toEqual([
      { kind: "stdio", id: "a", command: "a", args: ["1", "true", "s"] },
    ]);
    expect(said).toHaveLength(2);
  },
);

verifies("trust:bad-input", "nothing usable is an empty list and one line, never an error", async () => {
  await using dir = await tempDir();
  const { options, cwd } = world(dir);
  expect(loadMcpConfig(cwd, quiet(options))).toEqual([]);
  expect(loadMcpConfig("a\0b", quiet(options))).toEqual([]);
  const bad = dir.at("bad.json");
  for (const text of ["", "{", "[]", '{"servers":7}']) {
    writeFileSync(bad, text);
    const said: string[] = [];
    expect([text, loadMcpConfig(bad, quiet(options, said)), said.length]).toEqual([text, [], 1]);
  }
  if (process.platform === "win32") return;
  mkdirSync(dir.at("pipes"));
  execFileSync("mkfifo", [dir.at("pipes", "mcp.json")]);
  const said: string[] = [];
  expect(loadMcpConfig(dir.at("pipes", "mcp.json"), quiet(options, said))).toEqual([]);
  expect(said).toEqual([expect.stringContaining("is not a regular file")]);
});
