import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openRun } from "../../../src/boot/internal.ts";
import type { SessionApproval } from "../../../src/conductor/index.ts";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { gatedRow } from "../../bin/scripted-client.ts";
import { calling, printRun } from "../../commands/session/print-run.ts";
import type { ScriptedAnswer } from "../../models/wire/script.ts";
import { answersIn, openTestSession, testUser } from "./open-test-session.ts";

/** Against a hang: on a busy machine the first test loads everything. */
const LIMIT_MS = 60_000;

/** The files below a folder. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

verifies(
  "session:approval",
  "the diff or the command is shown; once, always and no do what they say",
  async () => {
    await using test = await printRun(
      [
        calling(["read", { path: "a.txt" }]),
        calling(["edit", { path: "a.txt", oldText: "one", newText: "two" }]),
        calling(["write", { path: "new.txt", content: "fresh\n" }]),
        calling(["bash", { command: "git init -q ." }]),
        calling(["bash", { command: "git init -q . --bare" }]),
        calling(["write", { path: "new.txt", content: "again\n" }]),
        { text: "done" },
        calling(["read", { path: "new.txt" }]),
        calling(["write", { path: "new.txt", content: "third\n" }]),
        { text: "done" },
      ],
      { "a.txt": "one\n" },
    );
    const asked: SessionApproval[] = [];
    {
      await using run = await test.run();
      const user = testUser({
        approve: async (question) => {
          asked.push(question);
          if (question.call.name === "bash") return { allow: false, message: "not now" };
          return question.preview.kind === "diff" && question.preview.isNew
            ? { allow: true, rule: question.rules.at(-1) as string }
            : { allow: true };
        },
      });
      const { turn } = await openTestSession(run, { user });
      const answers = answersIn(await turn("Go"));
      expect(answers.filter((text) => text.includes("not now"))).toHaveLength(2);
    }
    expect(asked.map(({ preview }) => preview)).toMatchObject([
      { kind: "diff", isNew: false, diff: expect.stringContaining("-one\n+two") as string },
      { kind: "diff", isNew: true, diff: expect.stringContaining("+fresh") as string },
      { kind: "command", command: "git init -q .", cwd: test.project },
      { kind: "command", command: "git init -q . --bare" },
    ]);
    expect(asked[0]?.rules).toEqual([`edit(${test.at("project", "a.txt")})`, "edit"]);
    expect(asked[2]?.rules).toEqual(["bash(git init -q .)"]);
    expect(test.read("a.txt")).toBe("two\n");
    expect(test.read("new.txt")).toBe("again\n");

    const rules = filesBelow(test.at("state")).filter((name) => name.endsWith("rules.json"));
    expect(rules).toHaveLength(1);
    expect(statSync(rules[0] ?? "").mode & 0o777).toBe(0o600);
    await using run = await test.run();
    const { turn } = await openTestSession(run, { user: testUser() });
    await turn("Again");
    expect(test.read("new.txt")).toBe("third\n");
  },
  { timeoutMs: LIMIT_MS },
);

/** The names of the tools in each request, sorted. */
const toolsIn = (requests: readonly { readonly [name: string]: unknown }[]): readonly string[][] =>
  requests.map(({ tools = [] }) =>
    (tools as { readonly function: { readonly name: string } }[])
      .map((tool) => tool.function.name)
      .toSorted(),
  );

verifies(
  "session:offered",
  "one tool for one purpose, in the session and its sub-agents; --tools offers what it names",
  async () => {
    await using test = await printRun([
      calling(["task", { objective: "Look", agent: "general" }]),
      { text: "looked" },
      { text: "done" },
    ]);
    const alone = ["enter_plan_mode", "exit_plan_mode", "task", "todo_read", "todo_set"];
    const shared = ["bash", "edit", "find", "grep", "ls", "memory", "process", "read"];
    const all = [...alone, ...shared, "webfetch", "websearch", "write"].toSorted();
    const inner = all.filter((name) => !alone.includes(name));
    await test.indus(["-p", "Go"]);
    expect(toolsIn(test.server.requests)).toEqual([all, inner, all]);
    expect(JSON.stringify(test.server.requests)).not.toMatch(/bg-process|saas-action|\btodo\b:/);

    const offeredWith = async (...words: readonly string[]): Promise<readonly string[] | undefined> => {
      await test.indus(["-p", "Go", "--tools", ...words]);
      return toolsIn(test.server.requests).at(-1);
    };
    expect(await offeredWith("todo,read")).toEqual(["read", "todo"]);
    expect(await offeredWith("Bg_Process,saas-action")).toEqual(["bg-process", "saas-action"]);
    expect(await offeredWith("notes__*")).toEqual(all);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:no-tools",
  "a prompt and an answer: no tools in the request and none in its prompt, also if an earlier turn stored a result",
  async () => {
    const long = "seq 1 20000";
    await using test = await printRun([
      calling(["bash", { command: long }]),
      { text: "counted" },
      { text: "words" },
      { text: "seen" },
    ]);
    await test.indus(["-p", "Go", "--mode", "bypass"]);
    await test.indus(["-p", "And?", "--continue", "--no-tools"]);
    await test.indus(["-p", "And now?", "--continue"]);
    const offered = toolsIn(test.server.requests);
    // Offered in the turn that stored the result and later, but never before, nor without tools.
    expect(offered.map((names) => names.includes("read_result"))).toEqual([false, true, false, true]);
    expect(offered[2]).toEqual([]);
    const sent = JSON.stringify(test.server.requests[2]);
    const prompt = /"role":"system","content":"(.*?[^\\])"/.exec(sent)?.[1];
    expect(prompt).toContain("This session has no tools");
    expect(prompt).not.toMatch(/\bbash\b|read_result|use the tools/);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:plan",
  "the plan is kept and returned once, then approved, and only then carried out",
  async () => {
    await using test = await printRun([
      calling(["enter_plan_mode", {}]),
      calling(["write", { path: "x.txt", content: "x" }]),
      calling(["exit_plan_mode", { plan: "# Make x\n\nWrite it." }]),
      calling(["exit_plan_mode", { plan: "# Make x well" }]),
      calling(["write", { path: "x.txt", content: "x" }]),
      { text: "done" },
    ]);
    await using run = await test.run();
    const plans: string[] = [];
    const user = testUser({
      approvePlan: async ({ plan, path = "" }) => {
        expect(readFileSync(path, "utf8")).toBe(plan);
        expect(existsSync(test.at("project", "x.txt"))).toBe(false);
        return plans.push(plan) === 1
          ? { approved: false, message: "more detail" }
          : { approved: true, mode: "acceptEdits" };
      },
    });
    const { session, turn } = await openTestSession(run, { user });
    const events = await turn("Plan it");
    expect(events.flatMap((event) => (event.kind === "mode" ? [event.mode] : []))).toEqual([
      "plan",
      "acceptEdits",
    ]);
    expect(events.flatMap((event) => (event.kind === "plan" ? [event.state] : []))).toEqual([
      "presented",
      "returned",
      "presented",
      "approved",
    ]);
    const answers = answersIn(events);
    expect(answers[1]).toContain("was refused by plan mode");
    expect(answers[2]).toContain("more detail");
    expect(session.mode).toBe("acceptEdits");
    expect(test.read("x.txt")).toBe("x");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:task",
  "two at once with fewer rights; their transcripts are kept and their tokens counted",
  async () => {
    await using test = await printRun([
      calling(
        ["task", { objective: "Find the secret word", agent: "explore" }],
        ["task", { objective: "Find the other word", agent: "explore" }],
      ),
      calling(["write", { path: "no.txt", content: "x" }]),
      calling(["task", { objective: "deeper" }]),
      { text: "The word is alpha.", usage: { input: 10, output: 3 } },
      { text: "The word is beta.", usage: { input: 10, output: 3 } },
      { text: "alpha and beta" },
    ]);
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" } });
    const events = await turn("Go");
    const answers = answersIn(events);
    expect(answers.toSorted().map((text) => /alpha|beta/.exec(text)?.[0])).toEqual(["alpha", "beta"]);
    const starts = events.flatMap((event, at) => (event.kind === "tool_start" ? [at] : []));
    const firstEnd = events.findIndex((event) => event.kind === "entry" && event.entry.kind === "tool");
    expect(starts.filter((at) => at < firstEnd)).toHaveLength(2);
    expect(existsSync(test.at("project", "no.txt"))).toBe(false);
    const transcripts = filesBelow(test.at("state")).filter((name) => /tasks.*transcript\.jsonl$/.test(name));
    expect(transcripts).toHaveLength(2);
    const texts = transcripts.map((name) => readFileSync(name, "utf8")).join("");
    expect(texts).toContain('there is no tool named \\"write\\"');
    expect(texts).toContain('there is no tool named \\"task\\"');
    expect(session.usage().inputTokens).toBeGreaterThanOrEqual(20);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:task",
  "without a read-only agent, plan mode refuses a sub-agent",
  async () => {
    await using test = await printRun([
      calling(
        ["task", { objective: "Change it", agent: "general" }],
        ["task", { objective: "Read it", agent: "explore" }],
      ),
      { text: "I read it." },
      { text: "done" },
    ]);
    await using run = await test.run();
    const { turn } = await openTestSession(run, { flags: { mode: "plan" } });
    const answers = answersIn(await turn("Go"));
    expect(answers.filter((text) => text.includes("was refused by plan mode"))).toHaveLength(1);
    expect(answers.filter((text) => text.includes("I read it."))).toHaveLength(1);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:rewind-commands",
  "files that commands changed, made and removed come back; the index stays as it is",
  async () => {
    await using test = await printRun(
      [
        calling([
          "bash",
          { command: "echo changed > kept.txt; rm gone.txt; echo made > made.txt; echo x > ignored.log" },
        ]),
        { text: "done" },
        calling(
          ["write", { path: "made.txt", content: "by write\n" }],
          ["bash", { command: "echo more >> kept.txt" }],
        ),
        { text: "done" },
      ],
      {
        "kept.txt": "kept\r\n",
        "gone.txt": "gone\n",
        ".gitignore": "*.log\n",
        ".gitattributes": "* text=auto eol=lf\n",
      },
    );
    const git = (...args: readonly string[]): string =>
      execFileSync("git", [...args], { cwd: test.project, encoding: "utf8" });
    git("init", "-q");
    git("add", "kept.txt");
    const index = (): string => git("ls-files", "-s") + git("status", "--porcelain");
    const before = index();
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" } });
    await turn("First");
    await turn("Second");
    expect(session.turns()).toMatchObject([{ hasSnapshot: true }, { hasSnapshot: true }]);
    expect(test.read("kept.txt")).toBe("changed\nmore\n");
    expect(await session.rewind(2, { target: "files" })).toMatchObject({ done: true });
    expect(test.read("kept.txt")).toBe("changed\n");
    expect(test.read("made.txt")).toBe("made\n");
    writeFileSync(test.at("project", "kept.txt"), "by somebody else\n");
    expect(await session.rewind(1)).toMatchObject({
      done: false,
      conflicts: [{ path: test.at("project", "kept.txt") }],
    });
    expect(test.read("kept.txt")).toBe("by somebody else\n");
    const forced = await session.rewind(1, { force: true });
    expect(forced).toMatchObject({ done: true, removed: [test.at("project", "made.txt")] });
    expect(test.read("kept.txt")).toBe("kept\r\n");
    expect(test.read("gone.txt")).toBe("gone\n");
    expect(test.read("ignored.log")).toBe("x\n");
    expect(index()).toBe(before);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:rewind-commands",
  "what was changed by hand after a run was cut off is not overwritten without force",
  async () => {
    const command =
      "echo changed > kept.txt; touch ../began; until [ -e ../go ]; do sleep 0.05; done; echo later >> kept.txt";
    await using test = await printRun([calling(["bash", { command }]), { text: "done" }], {
      "kept.txt": "kept\n",
      "other.txt": "other\n",
    });
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    const running = test.indus(["-p", "--mode", "bypass", "First"]);
    await expect.poll(() => existsSync(test.at("began"))).toBe(true);
    await using run = await test.run();
    const { path } = await run.state.folder();
    cpSync(path, test.at("copy"), { recursive: true });
    writeFileSync(test.at("go"), "");
    expect(await running).toMatchObject({ code: 0 });
    // As a process leaves it that is killed while the command runs.
    rmSync(path, { recursive: true });
    cpSync(test.at("copy"), path, { recursive: true, filter: (name) => !name.endsWith(".lock") });
    writeFileSync(test.at("project", "kept.txt"), "changed\n");
    writeFileSync(test.at("project", "other.txt"), "by hand\n");
    const { session } = await openTestSession(run, { line: { continue: true } });
    const names = ["kept.txt", "other.txt"];
    const conflicts = names.map((name) => ({
      path: test.at("project", name),
      reason: "changed in a turn that was cut off, or after it",
    }));
    expect(await session.rewind(1)).toMatchObject({ done: false, restored: [], conflicts });
    expect(names.map((name) => test.read(name))).toEqual(["changed\n", "by hand\n"]);
    expect(await session.rewind(1, { force: true })).toMatchObject({ done: true });
    expect(names.map((name) => test.read(name))).toEqual(["kept\n", "other\n"]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:git-programs",
  "a filter of a repository that a command prepares does not run in the next turn, and the rewind covers that repository",
  async () => {
    const prepare = [
      "git init -q inner && cd inner",
      "echo data > data.txt",
      "echo '* filter=x' > .gitattributes",
      "git add -A && git -c user.name=a -c user.email=a@example.invalid commit -qm First",
      "touch -d 2000-01-01 data.txt",
      "git config filter.x.clean 'touch ../../ran; cat'",
    ].join("; ");
    await using test = await printRun(
      [
        calling(["bash", { command: prepare }]),
        { text: "done" },
        calling(["bash", { command: "echo changed > inner/data.txt" }]),
        { text: "done" },
      ],
      { "big.bin": "x".repeat(9 * 1024 * 1024) },
    );
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" }, user: testUser() });
    const events = [...(await turn("First")), ...(await turn("Second"))];
    expect(existsSync(test.at("ran"))).toBe(false);
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
    const unkept =
      "what commands change in these cannot be undone with a rewind: big.bin (larger than 8 MiB)";
    expect(notices.filter((notice) => notice.includes("rewind"))).toEqual([unkept]);
    expect(await session.rewind(2)).toMatchObject({ done: true });
    expect(test.read("inner/data.txt")).toBe("data\n");
    const { removed, skipped } = await session.rewind(1);
    const inner = (name: string): string => test.at("project", "inner", name);
    expect(removed.toSorted()).toEqual([inner(".gitattributes"), inner("data.txt")]);
    // A repository itself is never removed, only named.
    expect(skipped).toContainEqual({ path: inner(".git/config"), reason: "repository" });
    expect(existsSync(test.at("ran"))).toBe(false);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:git-programs",
  "the git of a command has the names, hooks and safe folders of its user",
  async () => {
    const command =
      "export GIT_CONFIG_GLOBAL=$PWD/../gitconfig; git commit -qam Second && git log -1 --format=%an";
    await using test = await printRun([calling(["bash", { command }]), { text: "done" }], {
      "a.txt": "one\n",
    });
    writeFileSync(
      test.at("gitconfig"),
      "[user]\n\tname = A User\n\temail = a@example.invalid\n[safe]\n\tdirectory = *\n",
    );
    const git = (...args: readonly string[]): string =>
      execFileSync("git", [...args], {
        cwd: test.project,
        encoding: "utf8",
        env: { ...process.env, GIT_CONFIG_GLOBAL: test.at("gitconfig") },
      });
    git("init", "-q");
    git("add", "a.txt");
    git("commit", "-qm", "First");
    mkdirSync(test.at("project", ".git", "hooks"), { recursive: true });
    const hook = test.at("project", ".git", "hooks", "pre-commit");
    writeFileSync(hook, "#!/bin/sh\ntouch ../hooked\n", { mode: 0o755 });
    writeFileSync(test.at("project", "a.txt"), "two\n");
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" } });
    expect(JSON.stringify(answersIn(await turn("Commit it")))).toContain("A User");
    expect(existsSync(test.at("hooked"))).toBe(true);
    expect(await session.rewind(1)).toMatchObject({ done: true });
    expect(git("log", "--format=%s")).toBe("Second\nFirst\n");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:rewind-commands",
  "a session of an earlier version opens; what it kept of commands is refused in one line, and force undoes the edits",
  async () => {
    await using test = await printRun([
      calling(["write", { path: "a.txt", content: "1" }]),
      { text: "done" },
    ]);
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    expect(await test.indus(["-p", "--mode", "bypass", "First"])).toMatchObject({ code: 0 });
    await using run = await test.run();
    const { path } = await run.state.folder();
    const [id = ""] = readdirSync(join(path, "sessions"));
    const snapshot = (when: string): string =>
      `${JSON.stringify({ type: "snapshot", when, tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", paths: [] })}\n`;
    appendFileSync(join(path, "sessions", id, "transcript.jsonl"), snapshot("before") + snapshot("after"));
    const { session } = await openTestSession(run, { line: { continue: true } });
    await expect(session.rewind(1)).rejects.toThrow(
      "what commands changed since turn 1 can no longer be undone",
    );
    expect(test.read("a.txt")).toBe("1");
    expect(await session.rewind(1, { force: true })).toMatchObject({
      removed: [test.at("project", "a.txt")],
    });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:rewind-commands",
  "a folder that cannot be kept is said before a command runs, also without a user",
  async () => {
    await using test = await printRun([calling(["bash", { command: "echo 1 > a.txt" }]), { text: "done" }], {
      ".gitignore": "a\n".repeat(100_001),
    });
    execFileSync("git", ["init", "-q"], { cwd: test.project });
    await using run = await test.run();
    const { turn } = await openTestSession(run, { flags: { mode: "bypass" } });
    const events = await turn("First");
    expect(events.flatMap((event) => (event.kind === "notice" ? [event.message] : []))).toEqual([
      "what commands change cannot be undone with a rewind: its .gitignore files have more than 100000 lines or 4 MiB",
    ]);
    expect(test.read("a.txt")).toBe("1\n");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:rewind",
  "conversation alone keeps the files; outside git a warning says what is not covered",
  async () => {
    await using test = await printRun([
      calling(["write", { path: "a.txt", content: "1" }], ["bash", { command: "echo 2 > b.txt" }]),
      { text: "done" },
      { text: "again" },
    ]);
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" }, user: testUser() });
    const events = await turn("First");
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
    expect(notices).toEqual([
      "what commands change cannot be undone with a rewind: the folder is not in a git work tree",
    ]);
    await turn("Second");
    expect(await session.rewind(2, { target: "conversation" })).toMatchObject({ done: true, restored: [] });
    expect(session.transcript().at(-1)).toMatchObject({ kind: "assistant", content: [{ text: "done" }] });
    await expect(session.rewind(5)).rejects.toThrow("there is no turn 5; the session has 1");
    const rewinding = session.rewind(1);
    expect(() => session.send("At the same time")).toThrow("the session is being rewound; wait until");
    expect(await rewinding).toMatchObject({
      done: true,
      removed: [test.at("project", "a.txt")],
      warning: "what commands and servers changed was not undone: the folder is not in a git work tree",
    });
    expect(test.read("b.txt")).toBe("2\n");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:resume",
  "the conversation, long results and the session's id are there again; another process is refused",
  async () => {
    const long = "x".repeat(40_000);
    await using test = await printRun(
      [
        calling(["bash", { command: "cat long.txt" }]),
        { text: "long" },
        calling(["read_result", { id: "r2_l_0_bash", limit: 5 }]),
        { text: "read" },
      ],
      { "long.txt": long },
    );
    let id = "";
    {
      await using run = await test.run();
      const { session, turn } = await openTestSession(run, { flags: { mode: "bypass" } });
      await turn("Show it");
      ({ id } = session);
      await using other = await test.run();
      await expect(openTestSession(other, { line: { resume: id } })).rejects.toThrow(
        `session ${id} is in use by process`,
      );
    }
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { line: { resume: id.slice(0, 20) } });
    expect(session.id).toBe(id);
    expect(session.mode).toBe("bypass");
    const answers = answersIn(await turn("Read on"));
    expect(answers[0]).toContain("characters 0 to 5 of");
    expect(test.server.requests.at(-1)).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ content: "long" })]) as unknown,
    });
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:secrets",
  "an answer that shows a secret of a row is stored without it",
  async () => {
    await using test = await printRun([calling(["s__env", {}]), { text: "done" }]);
    const row = { ...scriptedRow(), env: { API_TOKEN: "hunter2-token-value" } };
    const file = await writeConfig(test.at("servers.json"), { s: row });
    {
      await using run = await test.run();
      const { turn } = await openTestSession(run, { line: { mcp: [file] } });
      expect(answersIn(await turn("Show"))[0]).toContain("hunter2-token-value");
    }
    const stored = filesBelow(test.at("state"))
      .filter((name) => statSync(name).isFile())
      .map((name) => readFileSync(name, "utf8"));
    expect(stored.some((text) => text.includes("API_TOKEN"))).toBe(true);
    expect(stored.filter((text) => text.includes("hunter2"))).toEqual([]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:context",
  "window, tools and prompt are measured; shortening is visible and can be switched off",
  async () => {
    await using test = await printRun([{ text: "a", usage: { input: 100, output: 1, cached: 25 } }]);
    await using run = await test.run();
    const { session, turn } = await openTestSession(run, { flags: { noCompact: true } });
    await turn("Hi");
    const { tokens, windowTokens, toolTokens, systemTokens } = await session.context();
    expect(windowTokens).toBe(200_000);
    expect(toolTokens).toBeGreaterThan(500);
    expect(tokens).toBeGreaterThan(toolTokens + systemTokens);
    expect(session.usage()).toMatchObject({ inputTokens: 100, cachedInputTokens: 25, cacheHitShare: 0.25 });
    expect(session.autoCompact).toBe(false);
    session.setAutoCompact(true);
    expect(session.autoCompact).toBe(true);
    expect(session.exportMarkdown()).toContain("## User\n\nHi\n\n## openai-compatible/some-model\n\na");
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:context",
  "a full window is shortened by itself, unless that is switched off; the transcript and a continued session have it all",
  async () => {
    const big = "some words of a long file\n".repeat(1_100);
    for (const noCompact of [false, true]) {
      await using test = await printRun(
        [
          ...["a", "b", "c"].map((name) => calling(["bash", { command: `cat ${name}.txt` }])),
          { text: "read" },
          { text: "again" },
        ],
        { "a.txt": big, "b.txt": big, "c.txt": big },
      );
      const env = { ...test.env, INDUS_CONTEXT_TOKENS: "20000" };
      let id = "";
      {
        await using run = await test.run(undefined, env);
        const { session, turn } = await openTestSession(run, { flags: { noCompact, mode: "bypass" } });
        const events = await turn("Read them");
        const shortened = events.filter(
          (event) => event.kind === "entry" && event.entry.kind === "compaction",
        );
        expect(shortened.length > 0).toBe(!noCompact);
        expect(session.transcript().filter(({ kind }) => kind === "tool")).toHaveLength(3);
        ({ id } = session);
      }
      await using run = await test.run(undefined, env);
      const { session, turn } = await openTestSession(run, { line: { resume: id }, flags: { noCompact } });
      await turn("Go on");
      expect(session.exportMarkdown().split(big.trim()).length).toBe(4);
      const request = JSON.stringify(test.server.requests.at(-1));
      const isShort = /left out here|shortened to this summary/.test(request);
      expect(isShort).toBe(!noCompact);
    }
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "session:hidden-tools",
  "called by its name it runs, with tool_call too; plan mode refuses it, and a sub-agent has it as well",
  async () => {
    await using test = await printRun([
      calling(["s__t70", {}], ["tool_call", { name: "s__t71", arguments: {} }], ["s__t700", {}]),
      { text: "done" },
      calling(["task", { objective: "Call it", agent: "general" }]),
      calling(["s__t72", {}]),
      { text: "I called it." },
      { text: "done" },
      calling(["s__t73", {}]),
      { text: "done" },
      { text: "done" },
    ]);
    const file = await writeConfig(test.at("servers.json"), { s: gatedRow("--count", "80") });
    const { INDUS_CONTEXT_TOKENS: _, ...env } = test.env;
    await using run = await test.run(undefined, env);
    const { session, turn } = await openTestSession(run, { line: { mcp: [file] } });
    const answers = answersIn(await turn("Call them"));
    expect(answers[0]).toContain("called t70");
    expect(answers[1]).toContain("called t71");
    expect(answers[2]).toContain('there is no tool named \\"s__t700\\"; did you mean s__t7');
    expect(answersIn(await turn("Let another call it"))[0]).toContain("I called it.");
    const sent = test.server.requests.map((body) => JSON.stringify(body));
    expect(sent.some((body) => body.includes("called t72"))).toBe(true);
    session.setMode("plan");
    expect(answersIn(await turn("Plan"))[0]).toContain("s__t73 was refused by plan mode");
    const isOffered = (body: string): boolean => body.includes('"name":"s__t79"');
    expect(sent.filter(isOffered)).toEqual([]);
    // Its window is large enough for all of them.
    session.setModel("anthropic/claude-sonnet-4-5");
    await turn("And now?");
    expect(isOffered(JSON.stringify(test.server.requests.at(-1)))).toBe(true);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "policy:readings",
  'in a session the rules of --allow and --deny and the answer "always" mean the real tool',
  async () => {
    await using test = await printRun(
      [
        calling(["notes__sub__read", {}], ["notes__sub__wipe", {}], ["notes__list", {}], ["notes__list", {}]),
        { text: "done" },
      ],
      { tools: "sub__read\nsub__wipe\nerase\n" },
    );
    const row = {
      ...gatedRow("--tools", test.at("project", "tools")),
      toolOverrides: { erase: { name: "list" } },
    };
    const file = await writeConfig(test.at("servers.json"), { notes: row });
    const asked: SessionApproval[] = [];
    const user = testUser({
      approve: async (question) => {
        asked.push(question);
        return { allow: true, rule: question.rules[0] as string };
      },
    });
    const reports: string[] = [];
    const terminal = { out: () => {}, err: (text: string) => void reports.push(text) };
    const { signal } = new AbortController();
    {
      await using run = await openRun({ terminal, signal, cwd: test.project, env: test.env });
      const { turn } = await openTestSession(run, {
        user,
        line: { mcp: [file] },
        // "list" is only what the row shows for another tool.
        flags: { allow: ["notes__sub__read", "notes__list"], deny: ["notes__sub__wi*", "nots__x"] },
      });
      const answers = answersIn(await turn("Go"));
      expect(answers[0]).toContain("called sub__read");
      expect(answers[1]).toContain('there is no tool named \\"notes__sub__wipe\\"');
      expect(answers.slice(2).join()).toBe([answers[2], answers[2]].join());
      expect(answers[2]).toContain("called erase");
    }
    expect(asked.map(({ call, rules }) => [call.name, rules])).toEqual([
      ["notes__list", ["notes__erase", "notes__*"]],
    ]);
    expect(reports.join("").split("\n").filter(Boolean).sort()).toEqual([
      'indus: the allow rule "notes__list" is only a name that a row shows; write notes__erase',
      'indus: the deny rule "nots__x" matches nothing that is known; did you mean notes__…?',
    ]);
  },
  { timeoutMs: LIMIT_MS },
);

verifies(
  "bash:place",
  "long output leaves nothing in the project in any mode; read_result, read and sub-agents find it, later too",
  async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
    const answers: ScriptedAnswer[] = [calling(["bash", { command: "cat big.txt" }]), { text: "done" }];
    await using test = await printRun(answers, { "big.txt": lines.join("\n") });
    let id = "";
    {
      await using run = await test.run();
      const { turn, session } = await openTestSession(run, { flags: { mode: "plan" } });
      const [shown = ""] = answersIn(await turn("Go"));
      const [, path = ""] = /is in (\S+?): read_result with/.exec(shown) ?? [];
      [, id = ""] = /\{\\*"id\\*":\\*"(output-\w+)/.exec(shown) ?? [];
      expect(path).toContain(`${session.id}/results/${id}.txt`);
      expect(readFileSync(path, "utf8")).toBe(lines.join("\n"));
      expect(statSync(path).mode & 0o77).toBe(0);
      const search = calling(["read_result", { id, search: "line 9999" }]);
      answers.push(
        search,
        calling(["read", { path, offset: 10_000, limit: 2 }]),
        calling(["grep", { path, pattern: "^line 10001$" }]),
        calling(["task", { objective: "Find it", agent: "explore" }]),
        search,
        { text: "found" },
        { text: "done" },
      );
      const found = answersIn(await turn("Look"));
      expect(found[0]).toContain("1 lines contain");
      expect(found[1]).toContain("line 10000");
      expect(found[2]).toContain("line 10001");
      const sent = test.server.requests.map((request) => JSON.stringify(request));
      expect(sent.at(-2)).toContain("1 lines contain");
      expect(readdirSync(test.project)).toEqual(["big.txt"]);
    }
    answers.push(calling(["read_result", { id, search: "line 19999" }]), { text: "done" });
    await using run = await test.run();
    const { turn } = await openTestSession(run, { line: { continue: true } });
    expect(answersIn(await turn("Again"))[0]).toContain("1 lines contain");
  },
  { only: ["linux", "darwin"], timeoutMs: LIMIT_MS },
);
