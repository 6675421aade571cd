import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { SessionEvent } from "../../../src/conductor/index.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import { canSandbox } from "../../policy/sandbox/can-sandbox.ts";
import { answersIn, openTestSession, testUser } from "./open-test-session.ts";

const LIMIT_MS = 60_000;
const noticesIn = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));

verifies(
  "sandbox:permission",
  "indus -p runs a command in the sandbox without --allow, refuses one outside, and a rewind undoes it",
  async () => {
    await using test = await printRun(
      [
        // The name is put together, so that the gate does not see it.
        calling(["bash", { command: "echo changed > a.txt; start=.vs; mkdir ${start}code" }]),
        calling(["bash", { command: "npm install left-pad", outsideSandbox: true }]),
        { text: "Done." },
      ],
      { "a.txt": "before\n" },
    );
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    const printed = await test.indus(["-p", "Change it."]);
    expect(printed).toMatchObject({ code: 0, out: "Done.\n" });
    expect(test.read("a.txt")).toBe("changed\n");
    expect(existsSync(test.at("project", ".vscode"))).toBe(false);
    expect(printed.err).toContain("outside the sandbox requires approval");
    expect(printed.err).toContain("--allow 'bash(npm install left-pad)'");
    expect(printed.err).not.toContain("no sandbox");
    const sent = JSON.stringify(test.server.requests);
    expect(sent).toContain("[sandbox] the command had no network");
    expect(sent).toContain("Commands run in a sandbox");

    await using run = await test.run();
    const { session } = await openTestSession(run, { line: { continue: true } });
    expect(await session.rewind(1)).toMatchObject({ done: true });
    expect(test.read("a.txt")).toBe("before\n");
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:setting",
  "outside of a git work tree, and where there is no sandbox, commands ask as before and the user is told why",
  async () => {
    await using test = await printRun([
      calling(["bash", { command: "touch x" }]),
      { text: "no" },
      calling(["bash", { command: "touch x" }]),
      { text: "no" },
      { text: "none" },
      { text: "off" },
    ]);
    mkdirSync(test.at("project", ".git")); // Left by a killed session.
    const why = "there is no sandbox for commands: this folder is not in a git work tree";
    const printed = await test.indus(["-p", "Go"]);
    expect(printed.err).toMatch(new RegExp(`--allow 'bash\\(touch x\\)'; ${why}`));
    const withUser = async (env: { readonly [name: string]: string }, flags = {}) => {
      await using run = await test.run(undefined, env);
      const asked: string[] = [];
      const approve = async ({ reason }: { readonly reason: string }) => {
        asked.push(reason);
        return { allow: false as const };
      };
      const { turn } = await openTestSession(run, { user: testUser({ approve }), flags });
      return { notices: noticesIn(await turn("Go")), asked };
    };
    expect(await withUser(test.env)).toEqual({
      notices: [expect.stringContaining(why)],
      asked: ["default mode"],
    });
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    const { notices } = await withUser({ ...test.env, PATH: "/nowhere" });
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^there is no sandbox for commands: \S.*$/);
    expect((await withUser(test.env, { sandbox: "off" })).notices).toEqual([]);
  },
  { only: ["linux", "win32"], timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:setting",
  "--sandbox on refuses commands where there is no sandbox, with one line",
  async () => {
    await using test = await printRun([calling(["bash", { command: "touch x" }]), { text: "no" }]);
    await using run = await test.run(undefined, { ...test.env, PATH: "/nowhere" });
    const { turn } = await openTestSession(run, {
      user: testUser({ approve: async () => ({ allow: true }) }),
      flags: { sandbox: "on", allow: ["bash"] },
    });
    const events = await turn("Go");
    expect(answersIn(events)[0]).toContain("bash was refused: --sandbox on needs a sandbox");
    expect(noticesIn(events)[0]).toMatch(/^commands are refused: .*--sandbox on/);
    expect(existsSync(test.at("project", "x"))).toBe(false);
  },
  { only: ["linux", "win32"], timeoutMs: LIMIT_MS },
);

verifies(
  "sandbox:plan",
  "commands of plan mode and of read-only sub-agents run in the sandbox, whatever permits them to leave it",
  async () => {
    const where = calling(["bash", { command: "printenv TMPDIR" }]);
    await using test = await printRun([
      where,
      calling(["task", { objective: "Look", agent: "explore" }]),
      where,
      { text: "looked" },
      { text: "done" },
      where,
      { text: "done" },
    ]);
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    await using run = await test.run(undefined, { ...test.env, TMPDIR: test.at() });
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" } });
    const sent = (): string => test.server.requests.map((request) => JSON.stringify(request)).join("\n");
    await turn("Go");
    // The command of the session ran outside, where there is no such variable, because bypass mode permits it. The sub-agent
    // may see the same places, but only read.
    expect(sent()).toContain("exit code 1");
    expect(sent()).toMatch(/\[stdout\]\\+n\S+indus-sandbox-\w+\/tmp\\+n/);
    expect(sent()).not.toMatch(/\[stdout\]\\+n\/tmp\\+n/);
    session.setMode("plan");
    await turn("Go on");
    expect(sent()).toMatch(/\[stdout\]\\+n\/tmp\\+n/);
    expect(existsSync(test.at("project", ".indus-sandbox"))).toBe(false);
  },
  { when: canSandbox, timeoutMs: LIMIT_MS },
);
