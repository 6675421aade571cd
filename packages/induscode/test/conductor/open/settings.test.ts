import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  mergeSettings,
  type ProjectSettings,
  parseSettings,
  type SettingLayers,
  type Sourced,
  type UserSettings,
} from "../../../src/conductor/open/settings.ts";
import { ON_REQUEST, SERVE_PROFILES, SETTING_NAMES } from "../../../src/launch/internal.ts";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { calling, MODELS, type PrintRun, printRun } from "../../commands/session/print-run.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

const rules = fc.array(fc.constantFrom("read", "write", "bash(git *)", "notes__*", "*__*"), { maxLength: 3 });
const tools = fc.array(fc.constantFrom("read", "grep", "notes__*", "todo", "Saas_Action"), { maxLength: 3 });
const modes = fc.constantFrom("default", "acceptEdits", "plan", "bypass");
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const layers: fc.Arbitrary<Omit<SettingLayers, "project">> = fc.record({
  flags: fc.record({
    model: maybe(fc.constant("openai/flag")),
    mode: maybe(modes),
    allow: rules,
    deny: rules,
    tools,
  }) as fc.Arbitrary<SettingLayers["flags"]>,
  earlier: fc.record({ model: maybe(fc.constant("openai/earlier")), mode: maybe(modes) }) as fc.Arbitrary<{
    readonly mode?: "plan";
  }>,
  env: fc.record({ model: maybe(fc.constant("openai/env")) }),
  user: fc.record(
    {
      model: fc.constant("openai/user"),
      mode: fc.constantFrom("default", "acceptEdits", "plan"),
      allow: rules,
      deny: rules,
      connectProfile: fc.constantFrom(...SERVE_PROFILES),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<UserSettings>,
});

/** What someone may write into a project's file: known and unknown members, with values that fit or not. */
const projectText = fc
  .dictionary(
    fc.oneof(fc.constantFrom(...SETTING_NAMES), fc.constantFrom("alow", "__proto__", "servers")),
    fc.oneof(modes, rules, tools, fc.constantFrom("openai/project", "full", "off", "on"), fc.jsonValue()),
  )
  .map((members) => JSON.stringify(members));

const valuesOf = (items: readonly Sourced[]): readonly string[] => items.map(({ value }) => value);

verifies("settings:narrow", "whatever a project's file contains, it only takes away", async () => {
  await fc.assert(
    fc.asyncProperty(layers, projectText, async (others, text) => {
      const { values, problems } = await parseSettings<ProjectSettings>(text, "p/settings.json", {
        scope: "project",
      });
      const without = mergeSettings({ ...others, project: {} });
      const { mode, deny, share, tools: offered, ...rest } = mergeSettings({ ...others, project: values });
      const {
        mode: modeBefore,
        deny: denyBefore,
        share: shareBefore,
        tools: toolsBefore,
        ...restBefore
      } = without;
      expect(rest).toEqual(restBefore);
      expect(share.value === "off" || share.value === shareBefore.value).toBe(true);
      expect(mode.value === "plan" || mode.value === modeBefore.value).toBe(true);
      expect(valuesOf(deny)).toEqual(expect.arrayContaining([...valuesOf(denyBefore)]));
      // A list where there was none selects from what is offered anyway.
      if (toolsBefore.length > 0) expect(offered).toEqual(toolsBefore);
      else for (const id of ON_REQUEST) expect(valuesOf(offered)).not.toContain(id);
      // Every member counts or is named.
      for (const name of Object.keys(JSON.parse(text) as object))
        if (!Object.hasOwn(values, name))
          expect(problems.some(({ message }) => message.includes(JSON.stringify(name)))).toBe(true);
    }),
  );
});

verifies("settings:precedence", "flag, session, environment, user's file, default; rules add up", () => {
  const flags = { allow: ["a"], deny: ["b"], tools: [] };
  const user = { model: "o/user", mode: "acceptEdits", allow: ["c"], deny: ["d"] } as const;
  const layers: SettingLayers = { flags, env: {}, project: { deny: ["e"] }, user };
  expect(
    mergeSettings({ flags: { allow: [], deny: [], tools: [] }, env: {}, project: {}, user: {} }),
  ).toEqual({
    model: undefined,
    mode: { value: "default", source: "default" },
    allow: [],
    deny: [],
    tools: [],
    connectProfile: undefined,
    share: { value: "on", source: "default" },
  });
  expect(mergeSettings(layers)).toMatchObject({
    model: { value: "o/user", source: "user" },
    mode: { value: "acceptEdits", source: "user" },
    allow: [
      { value: "c", source: "user" },
      { value: "a", source: "flag" },
    ],
    deny: [
      { value: "e", source: "project" },
      { value: "d", source: "user" },
      { value: "b", source: "flag" },
    ],
  });
  const more = { ...layers, env: { model: "o/env" }, project: { mode: "plan", tools: ["read"] } } as const;
  expect(mergeSettings(more)).toMatchObject({
    model: { value: "o/env", source: "environment" },
    mode: { value: "plan", source: "project" },
    tools: [{ value: "read", source: "project" }],
  });
  expect(mergeSettings({ ...more, earlier: { model: "o/then", mode: "acceptEdits" } })).toMatchObject({
    model: { value: "o/then", source: "session" },
    mode: { value: "plan", source: "project" },
  });
  const typed = { ...flags, model: "o/flag", mode: "default", tools: ["grep"] } as const;
  expect(mergeSettings({ ...more, flags: typed })).toMatchObject({
    model: { value: "o/flag", source: "flag" },
    mode: { value: "default", source: "flag" },
    tools: [{ value: "grep", source: "flag" }],
  });
});

verifies(
  "settings:diagnostics",
  "each wrong member is one line with file, line and nearest name",
  async () => {
    const messages = async (text: string, scope: "user" | "project") => {
      const options = { scope, userFile: "/me/settings.json" };
      const { problems } = await parseSettings(text, "/f", options);
      return problems.map(({ message, isSerious }) => `${isSerious ? "!" : ""}${message}`);
    };
    expect(await messages('\uFEFF{ // mine\n"mode": "plan",\n}', "user")).toEqual([]);
    expect(await messages("// nothing yet", "user")).toEqual([]);
    expect(
      await messages(
        `{
        "modle": "x/y",
        "mode": "plna",
        "allow": ["bash(git:*)"],
        "deny": "read",
        "connectProfile": 7,
        "tools": ["read"],
        "model": "claude"
      }`,
        "user",
      ),
    ).toEqual([
      '/f:2: warning: there is no setting "modle"; did you mean mode or model?',
      '!/f:3: error: "mode" must be one of default, acceptEdits, plan; did you mean plan?',
      expect.stringMatching(/^\/f:4: error: "allow" has a wrong rule: rule "bash\(git:\*\)": /),
      '!/f:5: error: "deny" must be a list of rules, such as ["webfetch", "notes__*"]',
      '/f:6: error: "connectProfile" must be one of read-only, full, all, none; it is not a string',
      expect.stringMatching(/^\/f:7: warning: "tools" counts only in a project's/),
      expect.stringMatching(/^\/f:8: error: "model" cannot be used: "claude" has no known provider/),
    ]);
    expect(
      await messages(
        '{\n"allow": ["write"],\n"model": 1, "mode": "acceptEdits",\n"tools": ["raed"]}',
        "project",
      ),
    ).toEqual([
      '!/f:4: error: "tools" has no tool for "raed"; did you mean read?',
      '/f:2: warning: "allow", "model", "mode" of this project is not used: a project may only narrow, with "deny", "mode": "plan", "tools" and "share": "off"; to approve it, put it into your own file, /me/settings.json: indus config set allow VALUE',
    ]);
    for (const wrong of ['{"tools": []}', '{"tools": ["todo"]}', '{"mode": "bypass"}', '{"deny": [1]}'])
      expect(await messages(wrong, "project")).toEqual([expect.stringMatching(/^!\/f:1: error: /)]);
    expect(await messages('{\n"mode" "plan"}', "project")).toEqual([
      "!/f:2: error: it is not valid JSON: a colon is missing; fix it",
    ]);
    expect(await messages("[]", "project")).toEqual([
      expect.stringMatching(/^!\/f:1: .* must contain an object/),
    ]);
  },
);

const put = (file: string, value: object | string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
};
const userFile = (test: PrintRun): string => test.at("config", "indusvx", "settings.json");
const projectFile = (test: PrintRun): string => join(test.project, ".indusvx", "settings.json");

verifies(
  "settings:session",
  "a session takes the model and rules of the user, and what the project forbids",
  async () => {
    const write = (name: string) => calling(["write", { path: name, content: "x" }]);
    await using test = await printRun([
      write("a.txt"),
      { text: "one" },
      write("b.txt"),
      { text: "two" },
      write("c.txt"),
      { text: "three" },
      write("d.txt"),
      { text: "four" },
    ]);
    const noModel = { env: { INDUS_MODEL: "" } };
    const exists = (name: string): boolean => {
      try {
        return readFileSync(join(test.project, name), "utf8") === "x";
      } catch {
        return false;
      }
    };
    expect((await test.indus(["-p", "Go"], noModel)).err).toContain("indus config set model");
    put(userFile(test), { model: MODELS[1], allow: ["write"] });
    expect(await test.indus(["-p", "Go"], noModel)).toMatchObject({ code: 0, out: "one\n", err: "" });
    expect(test.server.requests[0]).toMatchObject({ model: "claude-sonnet-4-5" });
    expect(exists("a.txt")).toBe(true);

    put(projectFile(test), { deny: ["write"], tools: ["read", "write", "ls", "nots__*"], allow: ["bash"] });
    const servers = await writeConfig(test.at("servers.json"), { notes: scriptedRow() });
    const narrowed = await test.indus(["-p", "Go", "--mcp", servers]);
    expect(narrowed).toMatchObject({ code: 0, out: "two\n" });
    expect(narrowed.err).toContain('"allow" of this project is not used');
    expect(narrowed.err).toContain('.indusvx/settings.json: "nots__*" ');
    expect(test.server.requests[2]).toMatchObject({ model: "some-model" });
    expect(JSON.stringify(test.server.requests[2])).not.toMatch(/"name":"(bash|edit|grep|notes__.*?)"/);
    expect(exists("b.txt")).toBe(false);

    put(projectFile(test), { mode: "plan" });
    put(userFile(test), { mode: "acceptEdits" });
    expect(await test.indus(["-p", "Go"])).toMatchObject({ code: 0, out: "three\n" });
    expect(exists("c.txt")).toBe(false);
    expect(await test.indus(["-p", "Go", "--mode", "acceptEdits"])).toMatchObject({ code: 0, out: "four\n" });
    expect(exists("d.txt")).toBe(true);

    // What could have narrowed is never dropped: no request is made.
    const count = test.server.requests.length;
    for (const broken of ["{", { deny: "write" }, { mode: "plna" }]) {
      put(projectFile(test), broken);
      const refused = await test.indus(["-p", "Go"]);
      expect(refused).toMatchObject({ code: 1, out: "" });
      expect(refused.err).toMatch(/^indus: \S+\/\.indusvx\/settings\.json:1: error: .+\n$/);
    }
    expect(test.server.requests).toHaveLength(count);
  },
  { timeoutMs: LIMIT_MS },
);
