import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS, runCommand } from "../../src/commands/index.ts";
import { parseArguments } from "../../src/launch/internal.ts";
import { connectTo, names } from "../gateway/open/serve-in.ts";
import { scratchHome } from "./in-home.ts";

const USER = ".config/indusvx/settings.json";
const PROJECT = "site/.indusvx/settings.json";

verifies("settings:command", "set keeps comments, and get and list name each origin", async () => {
  await using home = await scratchHome();
  const { indus } = home;
  expect(await indus("config", "get", "model")).toMatchObject({
    code: 1,
    out: "",
    err: "indus: model is not set\n",
  });
  expect(await indus("config", "set", "model", "anthropic/claude-sonnet-4-5")).toMatchObject({
    code: 0,
    out: `set model in ${home.at(USER)}\n`,
    err: "",
  });
  expect(JSON.parse(home.read(USER))).toEqual({ model: "anthropic/claude-sonnet-4-5" });
  home.write(USER, '{\n  // the good one\n  "model": "openai/a", // for now\n  "$schema": "x"\n}\n');
  expect((await indus("config", "set", "model", "openai/b")).code).toBe(0);
  expect((await indus("config", "set", "allow", "write", "bash(git status *)")).code).toBe(0);
  expect(home.read(USER)).toBe(
    '{\n  // the good one\n  "model": "openai/b", // for now\n  "$schema": "x",\n  "allow": ["write", "bash(git status *)"]\n}\n',
  );
  expect(await indus("config", "get", "model")).toMatchObject({
    code: 0,
    out: "openai/b\n",
    err: `indus: model comes from user (${home.at(USER)})\n`,
  });
  home.write(PROJECT, { deny: ["webfetch"], mode: "plan" });
  const json = JSON.parse((await indus("config", "list", "--json", "--deny", "notes__*")).out) as unknown;
  const file = { source: "user", place: home.at(USER) };
  const project = { source: "project", place: home.at(PROJECT) };
  expect(json).toEqual([
    { name: "model", value: "openai/b", from: [{ value: "openai/b", ...file }] },
    { name: "mode", value: "plan", from: [{ value: "plan", ...project }] },
    {
      name: "allow",
      value: ["write", "bash(git status *)"],
      from: [
        { value: "write", ...file },
        { value: "bash(git status *)", ...file },
      ],
    },
    {
      name: "deny",
      value: ["webfetch", "notes__*"],
      from: [
        { value: "webfetch", ...project },
        { value: "notes__*", source: "flag" },
      ],
    },
    { name: "tools", value: [], from: [] },
    { name: "connectProfile", value: null, from: [] },
    { name: "share", value: "on", from: [{ source: "default", value: "on" }] },
  ]);
  const { out } = await indus("config", "list");
  expect(out).toMatch(/^NAME +VALUE +FROM$/m);
  expect(out).toMatch(/^mode +plan +project \(.*site\/\.indusvx\/settings\.json\)$/m);
  expect(out).toMatch(/^tools +- +not set$/m);
  expect(await indus("config", "set", "mode", "acceptEdits")).toMatchObject({
    code: 0,
    err: `indus: here mode is plan, from project (${home.at(PROJECT)}), which wins over your file\n`,
  });
  await using other = await scratchHome({ env: { INDUS_MODEL: "openai/c" } });
  expect((await other.indus("config", "set", "model", "openai/b")).err).toBe(
    "indus: here model is openai/c, from environment (INDUS_MODEL), which wins over your file\n",
  );
  expect((await other.indus("config", "get", "model", "--model", "openai/d")).out).toBe("openai/d\n");
});

verifies("settings:command", "wrong names and values are one line, and change nothing", async () => {
  await using home = await scratchHome();
  const wrong: readonly (readonly [words: readonly string[], line: RegExp])[] = [
    [["get", "modle"], /does not know "modle".*did you mean mode or model/],
    [["get"], /config get needs one of model, mode/],
    [["set", "alow", "x"], /there is no setting "alow".*did you mean allow/],
    [["set", "mode"], /config set needs a name and a value/],
    [["set", "mode", "plna"], /^indus: mode must be one of .*; did you mean plan\?$/],
    [["set", "mode", "bypass"], /^indus: mode cannot be bypass in a file; only --mode bypass/],
    [["set", "mode", "plan", "default"], /mode takes one value, not also "default"/],
    [["set", "model", "claude"], /^indus: model cannot be used: "claude" has no known provider/],
    [["set", "deny", "bash("], /^indus: deny has a wrong rule: rule "bash\("/],
    [["set", "connectProfile", "ful"], /did you mean full\?/],
    [["set", "tools", "read"], /tools belongs into a project's/],
  ];
  for (const [words, line] of wrong) {
    const { code, out, err } = await home.indus("config", ...words);
    expect({ code, out }, err).toEqual({ code: 2, out: "" });
    expect(err.trimEnd().split("\n")).toEqual([expect.stringMatching(line)]);
  }
  expect(home.exists(USER)).toBe(false);
  home.write(USER, '{ "mode" }');
  const { code, err } = await home.indus("config", "set", "mode", "plan");
  expect({ code, text: home.read(USER) }).toEqual({ code: 1, text: '{ "mode" }' });
  expect(err).toMatch(/settings\.json.* is not valid JSON.*line 1.*fix it first/);
  expect((await home.indus("config", "list")).code).toBe(1);
});

verifies("settings:connect", "connect takes the profile of the user, never of a project", async () => {
  await using home = await scratchHome();
  const desktop = ".config/Claude/claude_desktop_config.json";
  home.write(PROJECT, { connectProfile: "all" });
  const argumentsOf = (): readonly string[] =>
    (JSON.parse(home.read(desktop)) as { mcpServers: { indus: { args: string[] } } }).mcpServers.indus.args;
  await home.indus("connect", "claude-desktop");
  expect(argumentsOf()).not.toContain("--profile");
  await home.indus("config", "set", "connectProfile", "full");
  await home.indus("connect", "claude-desktop");
  expect(argumentsOf().join(" ")).toContain("serve --stdio --profile full --cwd");
  const before = home.read(desktop);
  home.write(USER, { connectProfile: "ful" });
  const refused = await home.indus("connect", "claude-desktop");
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/"connectProfile" must be one of .*did you mean full\?\n$/);
  expect(home.read(desktop)).toBe(before);
});

verifies("settings:serve", "a gateway offers the same, whatever the files say", async () => {
  await using home = await scratchHome();
  const offered = async (): Promise<readonly string[]> => {
    const stop = new AbortController();
    let ran: Promise<number> | undefined;
    const url = await new Promise<string>((resolve, reject) => {
      const terminal = { out: (text: string | Uint8Array) => resolve(String(text).trim()), err: () => {} };
      const options = { terminal, signal: stop.signal, env: home.env, cwd: home.project };
      ran = runCommand(parseArguments(["serve", "--port", "0"], COMMANDS), options);
      ran.catch(reject);
    });
    const client = await connectTo(url);
    const found = await names(client);
    await client.close();
    stop.abort();
    await ran;
    return found;
  };
  const before = await offered();
  expect(before).toEqual(expect.arrayContaining(["grep", "read"]));
  home.write(USER, { deny: ["read"], mode: "plan", model: 7 });
  home.write(PROJECT, { deny: ["grep"], tools: ["ls"] });
  expect(await offered()).toEqual(before);
});

verifies("settings:unset", "a setting is removed from the user's file, and nothing else is", async () => {
  await using home = await scratchHome();
  const { indus, read } = home;
  const absent = await indus("config", "unset", "model");
  expect([absent.code, absent.out, home.exists(USER)]).toEqual([
    0,
    expect.stringMatching(/^unchanged: model in /),
    false,
  ]);
  home.write(USER, "");
  expect((await indus("config", "unset", "model")).out).toMatch(/^unchanged: model in /);
  home.write(USER, '{\n  // mine\n  "model": "o/x",\n  "mode": "plan",\n  "allow": ["write"]\n}\n');
  expect((await indus("config", "unset", "model")).out).toMatch(/^removed model from .*settings\.json/);
  expect(read(USER)).toBe('{\n  // mine\n  "mode": "plan",\n  "allow": ["write"]\n}\n');
  expect(JSON.parse((await indus("config", "unset", "allow", "--json")).out)).toMatchObject({
    name: "allow",
    value: null,
    changed: true,
  });
  // What counts from then on may be somebody else's.
  home.write(PROJECT, { mode: "plan" });
  expect((await indus("config", "unset", "mode")).err).toMatch(/^indus: here mode is plan, from project /);
  for (const [word, line] of [
    ["modle", /did you mean mode or model\?/],
    ["tools", /tools belongs into a project's/],
  ] as const)
    expect(await indus("config", "unset", word)).toMatchObject({ code: 2, err: expect.stringMatching(line) });
  home.write(USER, "{ half");
  expect((await indus("config", "unset", "mode")).code).toBe(1);
  expect(read(USER)).toBe("{ half");
});
