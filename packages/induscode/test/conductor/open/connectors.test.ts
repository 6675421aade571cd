import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { SessionApproval } from "../../../src/conductor/index.ts";
import { writeConfig } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import { answersIn, openTestSession, testUser } from "./open-test-session.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

const execute = (slug: string, more: object = {}) =>
  ["saas-action", { action: "execute", slug, arguments: {}, ...more }] as const;

verifies(
  "session:connectors",
  "an action is a call of the real tool: rules and approvals name it, and plan mode refuses it",
  async () => {
    await using test = await printRun(
      [
        calling(["saas-action", { action: "discover" }]),
        calling(execute("make"), execute("make"), execute("wipe"), execute("send")),
        { text: "done" },
        calling(execute("make")),
        { text: "planned" },
        calling(["saas-action", { action: "discover" }], execute("make")),
        { text: "denied" },
      ],
      { tools: "make\nwipe\nsend\n" },
    );
    const row = gatedRow("--tools", test.at("project", "tools"));
    const file = await writeConfig(test.at("servers.json"), { desk: row, other: row });
    const line = { mcp: [file] };
    const asked: SessionApproval[] = [];
    const user = testUser({
      approve: async (question) => {
        asked.push(question);
        if (question.call.name === "desk__send") return { allow: false, message: "not that" };
        return { allow: true, rule: question.rules[0] as string };
      },
    });
    {
      await using run = await test.run();
      const flags = { connectors: ["desk"], deny: ["desk__wipe"] };
      const { session, turn } = await openTestSession(run, { user, line, flags });
      const [found, first, second, denied, refused] = answersIn(await turn("Go"));
      expect(found).toMatch(/make/);
      expect(found).not.toMatch(/wipe|other/);
      expect([first, second].join()).toMatch(/called make.*called make/);
      expect(denied).toContain("desk__wipe was refused by the deny rule");
      expect(refused).toContain("not that");
      // Asked once each, about the real tool; the second call of make follows the rule of the first answer.
      expect(asked.map(({ call, rules }) => [call.name, rules[0]])).toEqual([
        ["desk__make", "desk__make"],
        ["desk__send", "desk__send"],
      ]);
      session.setMode("plan");
      const [planned] = answersIn(await turn("Plan"));
      expect(planned).not.toContain("called make");
      expect(planned).toContain("plan mode");
    }
    await using run = await test.run();
    const flags = { connectors: ["desk"], deny: ["saas-action"] };
    const { turn } = await openTestSession(run, { user, line, flags });
    const answers = answersIn(await turn("Denied"));
    expect(answers).toHaveLength(2);
    expect(answers.join()).not.toMatch(/called make/);
    expect(asked).toHaveLength(2);
  },
  { timeoutMs: LIMIT_MS },
);

const listedScript = fileURLToPath(new URL("../../../../../test/servers/listed.mjs", import.meta.url));
const tool = (name: string, annotations: object) => ({ name, annotations, inputSchema: { type: "object" } });

verifies(
  "session:connectors",
  "plan mode runs an action that only reads and refuses the others, and so it is for a sub-agent that only reads",
  async () => {
    await using test = await printRun([
      calling(execute("look"), execute("make")),
      { text: "planned" },
      calling(["task", { objective: "Look around", agent: "explore" }]),
      calling(execute("make")),
      { text: "explored" },
      { text: "done" },
    ]);
    const tools = [tool("look", { readOnlyHint: true }), tool("make", { readOnlyHint: false })];
    writeFileSync(test.at("offered.json"), JSON.stringify({ tools }));
    const row = {
      command: process.execPath,
      args: [listedScript, test.at("offered.json")],
      connectors: true,
    };
    const file = await writeConfig(test.at("servers.json"), { desk: row });
    await using run = await test.run();
    // The rule that allows it has no say in plan mode.
    const { session, turn } = await openTestSession(run, {
      user: testUser(),
      line: { mcp: [file] },
      flags: { mode: "plan", allow: ["desk__make"] },
    });
    const [looked, made] = answersIn(await turn("Plan"));
    expect(looked).toContain("called look");
    expect(made).toContain("desk__make was refused by plan mode");

    session.setMode("default");
    const events = await turn("Explore");
    expect(JSON.stringify(test.server.requests.at(-3)?.["tools"])).not.toContain("saas-action");
    expect(JSON.stringify(test.server.requests)).not.toContain("called make");
    expect(answersIn(events).join()).toContain("explored");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:connectors",
  "a tool that changed since it was approved is refused as an action too, whatever the rules and the mode allow",
  async () => {
    await using test = await printRun([
      { text: "seen" },
      calling(["saas-action", { action: "discover" }], execute("make"), execute("look")),
      { text: "done" },
    ]);
    const offer = (annotations: object): void =>
      writeFileSync(
        test.at("offered.json"),
        JSON.stringify({ tools: [tool("make", annotations), tool("look", { readOnlyHint: true })] }),
      );
    const row = { command: process.execPath, args: [listedScript, test.at("offered.json")] };
    const file = await writeConfig(test.at("servers.json"), { desk: row });
    offer({ destructiveHint: true });
    expect(await test.indus(["-p", "Go", "--mcp", file])).toMatchObject({ code: 0 });

    offer({ readOnlyHint: true });
    expect((await test.indus(["mcp", "list", "--mcp", file])).code).toBe(0);
    await using run = await test.run();
    const { turn } = await openTestSession(run, {
      user: testUser(),
      line: { mcp: [file] },
      flags: { connectors: ["desk"], allow: ["desk__make"], mode: "bypass" },
    });
    const [found, made, looked] = answersIn(await turn("Go"));
    expect(found).not.toContain("make");
    expect(made).toMatch(/tool .*make.* of server .*desk.* is quarantined.*indus mcp approve desk__make/);
    expect(looked).toContain("called look");
  },
  { timeoutMs: LIMIT_MS },
);

for (const era of ["legacy", "modern"])
  verifies(
    "pins:first-call",
    `a session's first call does not run a tool that changed since the last one, by name or in a program (${era} server)`,
    async () => {
      for (const { tools, ask } of [
        { tools: "all", ask: ["desk__make", {}] as const },
        { tools: "code", ask: ["run_code", { code: "return await desk.make({})" }] as const },
      ]) {
        await using test = await printRun([calling(ask), { text: "made" }, calling(ask), { text: "done" }]);
        const offered = test.at("offered.json");
        const row = { command: process.execPath, args: [listedScript, offered], pin: "quarantine" };
        const file = await writeConfig(test.at("servers.json"), { desk: { ...row, lazy: true } });
        const answers: string[] = [];
        for (const description of ["Makes it.", "Makes it, and sends it away."]) {
          const made = { ...tool("make", { readOnlyHint: true }), description };
          writeFileSync(offered, JSON.stringify({ era, tools: [made], listMs: 300 }));
          await using run = await test.run();
          const line = { mcp: [file], tools: tools === "code" ? [tools] : [] };
          const flags = { allow: ["desk__make"], mode: "bypass" } as const;
          const { turn } = await openTestSession(run, { user: testUser(), line, flags });
          answers.push(...answersIn(await turn("Go")));
        }
        expect(answers[0]).toContain("called make");
        expect(answers[1]).toContain("indus mcp approve desk__make");
        expect(readFileSync(`${offered}.calls`, "utf8")).toBe("make\n");
      }
    },
    { timeoutMs: LIMIT_MS },
  );

verifies(
  "session:connectors-record",
  "the transcript and its Markdown name the server and the tool of each action, also of a refused one",
  async () => {
    await using test = await printRun(
      [calling(["saas-action", { action: "discover" }], execute("make"), execute("send")), { text: "done" }],
      { tools: "make\nsend\n" },
    );
    const row = gatedRow("--tools", test.at("project", "tools"));
    const file = await writeConfig(test.at("servers.json"), { desk: { ...row, connectors: true } });
    await using run = await test.run();
    const user = testUser();
    const flags = { allow: ["desk__make"] };
    const { session, turn } = await openTestSession(run, { user, line: { mcp: [file] }, flags });
    await turn("Go");
    const { path } = await run.state.folder();
    const transcript = readFileSync(join(path, "sessions", session.id, "transcript.jsonl"), "utf8");
    const origins = transcript
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly entry?: { kind: string; origin?: unknown } }).entry)
      .flatMap((entry) => (entry?.kind === "tool" ? [entry.origin] : []));
    const called = (name: string) => ({ server: "desk", tool: name });
    expect(origins).toEqual([undefined, called("make"), called("send")]);
    const shown = session.exportMarkdown();
    expect(shown).toContain("### saas-action: make of desk\n");
    expect(shown).toContain("### saas-action: send of desk (failed)\n");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:connectors-record",
  "a rewind says that what an action changed was not undone, unless the action was refused",
  async () => {
    await using test = await printRun(
      [calling(execute("make")), { text: "made" }, calling(execute("send")), { text: "refused" }],
      { tools: "make\nsend\n" },
    );
    const row = gatedRow("--tools", test.at("project", "tools"));
    const file = await writeConfig(test.at("servers.json"), { desk: { ...row, connectors: true } });
    await using run = await test.run();
    const flags = { allow: ["desk__make"] };
    const { session, turn } = await openTestSession(run, { user: testUser(), line: { mcp: [file] }, flags });
    await turn("Make");
    await turn("Send");
    expect((await session.rewind(2)).warning).toBeUndefined();
    expect((await session.rewind(1)).warning).toContain("what commands and servers changed was not undone");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:connectors",
  "a row or the flag offers saas-action; neither does not, and --tools has the last word over a row",
  async () => {
    const script = [{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }];
    await using test = await printRun(script, { tools: "make\n" });
    const row = gatedRow("--tools", test.at("project", "tools"));
    const marked = await writeConfig(test.at("marked.json"), { desk: { ...row, connectors: true } });
    const plain = await writeConfig(test.at("plain.json"), { desk: row, notes: row });
    const offers = async (...words: readonly string[]): Promise<boolean> => {
      const { code } = await test.indus(["-p", "Go", ...words]);
      expect(code).toBe(0);
      return JSON.stringify(test.server.requests.at(-1)?.["tools"]).includes('"saas-action"');
    };
    expect(await offers("--mcp", plain)).toBe(false);
    expect(await offers("--mcp", marked)).toBe(true);
    expect(await offers("--mcp", marked, "--tools", "read")).toBe(false);
    expect(await offers("--mcp", plain, "--tools", "read", "--connectors", "desk,notes")).toBe(true);

    const wrong = async (...words: readonly string[]) => test.indus(["-p", "Go", "--mcp", plain, ...words]);
    expect(await wrong("--connectors", "note")).toMatchObject({
      code: 1,
      err: 'indus: --connectors: there is no server "note"; did you mean notes?\n',
    });
    const { code, err } = await wrong("--connectors", "desk", "--no-tools").catch((thrown: unknown) => ({
      code: 2,
      err: String(thrown),
    }));
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/--connectors.*--no-tools|--no-tools.*--connectors/),
    ]);
    expect(test.server.requests).toHaveLength(4);
  },
  { timeoutMs: LIMIT_MS },
);
