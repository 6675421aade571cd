import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import type { ServerSources } from "../../../src/launch/internal.ts";
import type { FoundServers } from "../../../src/servers/find/index.ts";
import { findServers } from "../../../src/servers/internal.ts";
import { writeConfig } from "../../bin/run-indus.ts";

interface Finding {
  readonly found: FoundServers | undefined;
  readonly reports: string;
}

/** The servers that a run in a folder finds. The files of the user are in the folder `config`. */
async function find(
  dir: TempDir,
  sources: Partial<ServerSources> = {},
  variables: { readonly [name: string]: string } = {},
): Promise<Finding> {
  let reports = "";
  const terminal = { out: () => {}, err: (text: string) => void (reports += text) };
  const places = { XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") };
  const env = { ...places, HOME: dir.at("home"), ...variables };
  const { signal } = new AbortController();
  await using run = await openRun({ terminal, signal, cwd: dir.at("project"), env });
  const found = await findServers(run, { mcp: [], run: [], ...sources });
  const [first] = found?.servers ?? [];
  if (first?.trust === "pending") (await run.state.trustOf(run.cwd))?.approve(first.config.id, first.launch);
  return { found, reports: reports.replaceAll(dir.path, "DIR") };
}

async function project(dir: TempDir, rows: object): Promise<string> {
  await mkdir(dir.at("project", ".indusvx"), { recursive: true });
  await mkdir(dir.at("config", "indusvx"), { recursive: true });
  await writeConfig(dir.at("config", "indusvx", "mcp.json"), { own: { command: "own" } });
  return writeConfig(dir.at("project", ".indusvx", "mcp.json"), rows);
}

const shown = ({ found }: Finding): unknown =>
  found?.servers.map(({ config, origin, trust }) => [
    config.id,
    origin.scope,
    trust,
    config.pending ?? false,
  ]);

verifies(
  "command:sources",
  "without a source the files of the folder and of the user count; a project's server waits for its approval",
  async () => {
    await using dir = await tempDir();
    const file = await project(dir, { theirs: { command: "theirs" } });
    expect(shown(await find(dir))).toEqual([
      ["theirs", "project", "pending", true],
      ["own", "user", "own", false],
    ]);
    // The first run has approved it.
    const approved = await find(dir);
    expect(shown(approved)).toEqual([
      ["theirs", "project", "approved", false],
      ["own", "user", "own", false],
    ]);
    expect(approved.found?.configs).toMatchObject([{ id: "theirs", cwd: dir.at("project") }, { id: "own" }]);
    expect(shown(await find(dir, { mcp: [file] }))).toEqual([["theirs", "explicit", "given", false]]);
    await writeConfig(file, { theirs: { command: "other" } });
    expect(shown(await find(dir, { mcp: [dir.at("project")] }))).toEqual([
      ["theirs", "project", "pending", true],
      ["own", "user", "own", false],
    ]);
  },
);

verifies("command:sources", "a URL or a command line is a server without a file", async () => {
  await using dir = await tempDir();
  await project(dir, {});
  const { found, reports } = await find(dir, {
    mcp: ["https://mcp.example.com/x?a=1"],
    run: [
      "npx -y '@scope/some server@1.2' --flag \"a b\"",
      "node ./dir/some-server.mjs",
      "http://[::1]:1/mcp",
    ],
  });
  expect(reports).toBe("");
  expect(found?.configs).toEqual([
    expect.objectContaining({ kind: "streamable-http", id: "mcp-example-com" }),
    expect.objectContaining({
      kind: "stdio",
      id: "some-server",
      command: "npx",
      args: ["-y", "@scope/some server@1.2", "--flag", "a b"],
    }),
    expect.objectContaining({ id: "some-server-2", command: "node", args: ["./dir/some-server.mjs"] }),
    expect.objectContaining({ id: "1", url: "http://[::1]:1/mcp" }),
  ]);
  expect(found?.servers.map(({ trust }) => trust)).toEqual(["given", "given", "given", "given"]);
});

verifies("command:sources", "a source that cannot be used is one line, and nothing is found", async () => {
  await using dir = await tempDir();
  await project(dir, {});
  const torn = join(dir.path, "torn.json");
  await writeFile(torn, '{ "mcpServers": {\n "a"');
  for (const [sources, line] of [
    [{ mcp: [dir.at("none.json")] }, "DIR/none.json:1: error: the file does not exist"],
    [{ mcp: [torn] }, "DIR/torn.json:2: error: the file "],
    [{ mcp: ["http://"] }, '--mcp: "http://" is not a valid URL'],
    [{ run: ["a | b"] }, "--run takes one command with its arguments, not several commands"],
    [{ run: ["a > b"] }, "--run takes one command with its arguments, not a redirection"],
    [{ run: ["a $B"] }, "--run takes one command with its arguments, not $B, which only a shell expands"],
    [{ run: ["a $(b)"] }, "--run takes one command with its arguments, not a command substitution"],
    [{ run: ["'a"] }, "--run takes one command with its arguments, not an unclosed quote"],
    [{ run: [" "] }, "--run takes one command with its arguments, not "],
  ] as const) {
    const { found, reports } = await find(dir, sources);
    expect(found, line).toBeUndefined();
    expect(reports, line).toMatch(/^indus: [^\n]*\n$/);
    expect(reports).toContain(line);
  }
});

verifies("command:sources", "of two sources with one name the first is used, which is said", async () => {
  await using dir = await tempDir();
  await project(dir, {});
  const [one, two] = await Promise.all([
    writeConfig(dir.at("one.json"), { a: { command: "first" } }),
    writeConfig(dir.at("two.json"), { a: { command: "second" }, b: { command: "b" } }),
  ]);
  const { found, reports } = await find(dir, { mcp: [one, two] });
  expect(found?.configs).toMatchObject([{ command: "first" }, { command: "b" }]);
  expect(reports).toBe('indus: server "a" is also in DIR/one.json; the row in DIR/two.json is not used\n');
});

verifies("trust:approved-launches", "a run without a user finds a server approved by its hash", async () => {
  await using dir = await tempDir();
  await project(dir, { ci: { command: "server" } });
  const launch = (await find(dir)).found?.servers[0]?.launch ?? "";
  await rm(dir.at("state"), { recursive: true }); // `find` has approved it.
  const approved = await find(dir, {}, { INDUS_APPROVED_LAUNCHES: `${launch} typo` });
  expect(approved.found?.servers[0]).toMatchObject({ trust: "approved" });
  expect(approved.reports).toBe(
    'indus: INDUS_APPROVED_LAUNCHES: "typo" is not a launch hash and approves nothing; indus mcp trust shows the hash of each server\n',
  );
});
