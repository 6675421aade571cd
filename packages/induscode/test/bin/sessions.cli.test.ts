import { readFileSync } from "node:fs";
import { verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import { converse, HANG_MS } from "./converse.ts";
import { eventually } from "./run-indus.ts";
import { startInTerminal, type TerminalIndus } from "./terminal-indus.ts";

const POSIX = ["linux", "darwin"] as const;
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const;

for (const size of SIZES) {
  const shown = `${size.columns}×${size.rows}`;

  verifiesTogether(
    "repl:sessions",
    `at ${shown}: a new session, a cleared one, and earlier ones by number and by id, each with its own conversation`,
    async () => {
      await using test = await printRun([
        { text: "Answer one." },
        { text: "Answer two." },
        { text: "Answer three." },
        { text: "Answer four." },
      ]);
      const lastRequest = (): string => JSON.stringify(test.server.requests.at(-1)?.["messages"]);
      using user = converse(test, [], { NO_COLOR: "1" }, size);
      const { indus } = user;
      await user.says("/resume\r");
      await user.sees("this folder has no other session");
      await user.says("Find the\r");
      await user.sees("Answer one.");
      await user.says("/plan\r");
      await user.sees("mode: plan");
      await user.says("/new\r");
      await user.sees(/new session;\s+\/resume\s+01\w{24}\s+goes\s+back/);
      const [, first = ""] = /\/resume\s+(01\w{24})/.exec(indus.screen()) ?? [];
      // The mode is kept, the conversation is not.
      await user.sees("plan · ");
      await user.says("A second conversation.\r");
      await user.sees("Answer two.");
      expect(lastRequest()).not.toContain("Find the");

      await user.says("/clear\r");
      await eventually(
        () => /^\s*openai\S+ in [^>]*new session;/.test(indus.visible()) || undefined,
        HANG_MS,
      );

      // The list has the latest first, without the empty session that is open.
      await user.says("/resume\r");
      await user.sees("Which one?");
      expect(indus.screen()).toMatch(
        /latest first \(times in UTC\):\n {2}1 {2}[\d-]{10} [\d:]{5} {2}A second conversation\. \(1 turn\)\n {2}2 {2}[\d-]{10} [\d:]{5} {2}Find the \(1 turn\)\n/,
      );
      indus.press("2\r");
      await user.sees(/The session so far:[\s\S]*> Find the[\s\S]*Answer one\./);
      await user.says("Go on.\r");
      await user.sees("Answer three.");
      expect(lastRequest()).toMatch(/Find the.*Answer one\..*Go on\./);
      expect(lastRequest()).not.toContain("second conversation");

      await user.says("/resume 7\r");
      await user.sees("there is no session 7 in the list of 1");
      await user.says("/resume 01NOSUCH\r");
      await user.sees(/this folder has no session\s+"01NOSUCH"/);
      await user.says(`/resume ${first}\r`);
      await user.sees("this is the session that is open");
      await user.says("/resume 1\r");
      await user.sees(/> A second conversation\.[\s\S]*Answer two\./);
      await user.says(`/resume ${first.slice(0, 20).toLowerCase()}\r`);
      await user.sees("The session has 2 turns; the last one was:");
      await user.says("/resume\r");
      await user.sees("Which one?");
      indus.press("\u001b");
      await user.sees("(no answer)");
      await user.says("Still here?\r");
      await user.sees("Answer four.");
      expect(lastRequest()).toMatch(/Find the.*Go on\..*Still here\?/);
      await user.says("\u0004");
      expect(await indus.ended).toBe(0);
      expect(indus.broken()).toEqual([]);
      expect(indus.isRestored()).toBe(true);
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );

  verifiesTogether(
    "repl:failed-prompt",
    `at ${shown}: a prompt that fails or is stopped before an answer comes back, with what was typed meanwhile, and is sent only once`,
    async () => {
      await using test = await printRun([
        { status: 400 },
        { text: "Answered." },
        { text: "Never seen.", hangAfter: 0 },
        { text: "The end." },
      ]);
      const lastRequest = (): string => JSON.stringify(test.server.requests.at(-1)?.["messages"]);
      using user = converse(test, ["-i", "Begin", "here."], { NO_COLOR: "1" }, size);
      const { indus } = user;
      await user.sees(/failed: [\s\S]*\n> Begin here\.\n/);
      indus.press(" Again\r");
      await user.sees("Answered.");
      expect(lastRequest().split("Begin here.")).toHaveLength(2);

      await user.says("Two\\\rlines\r");
      await user.sees("waiting for the model");
      indus.press("typed ahead\r");
      await user.sees("queued until this has finished");
      indus.press("\u0003");
      await user.sees(/stopped\n[\s\S]*\n> Two\n {2}lines\n {2}typed ahead\n/);
      expect(lastRequest()).toContain("Two");
      // Ctrl-U erases the line before the cursor, which is at the end of what came back.
      indus.press("\u0015other words\r");
      await user.sees("The end.");
      expect(lastRequest()).toContain("Two\\nother words\\ntyped ahead");
      expect(lastRequest()).not.toContain("Two\\nlines");
      await user.says("\u0004");
      expect(await indus.ended).toBe(0);
      expect(indus.broken()).toEqual([]);
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );

  verifiesTogether(
    "repl:model",
    `at ${shown}: /model offers to keep a model, once; a new start uses it`,
    async () => {
      await using test = await printRun([]);
      const env = { INDUS_MODEL: undefined, NO_COLOR: "1" };
      const settings = test.at("config", "indusvx", "settings.json");
      {
        using user = converse(test, ["--model", "openai-compatible/first"], env, size);
        const { indus } = user;
        await user.says("/model openai-compatible/second\r");
        await user.sees("Use it for new sessions too?");
        indus.press("n");
        await user.sees("no, only in this session");
        await user.says("/model openai-compatible/third\r");
        await user.sees("Use it for new sessions too?");
        indus.press("y");
        await user.sees("new sessions use openai-compatible/third, kept in");
        expect(JSON.parse(readFileSync(settings, "utf8"))).toEqual({ model: "openai-compatible/third" });
        await user.says("/model openai-compatible/third\r");
        await user.sees(/> \/model openai-compatible\/third\n\n> /);
        await user.says("/model\r");
        await user.sees("model: openai-compatible/third");
        expect(indus.screen().split("Use it for new").length).toBe(3);
        await user.says("\u0004");
        expect(await indus.ended).toBe(0);
        expect(indus.broken()).toEqual([]);
      }
      using user = converse(test, [], env, size);
      await user.sees("openai-compatible/third in ");
      await user.says("\u0004");
      expect(await user.indus.ended).toBe(0);
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );

  verifiesTogether(
    "repl:model",
    `at ${shown}: a first start without a model ends with three whole lines`,
    async () => {
      await using test = await printRun([]);
      const env = { ...test.env, INDUS_MODEL: undefined, OPENAI_BASE_URL: undefined, NO_COLOR: "1" };
      for (const [words, code] of [
        [[], 0],
        [["-i"], 1],
      ] as const) {
        using indus = startInTerminal(words, { cwd: test.project, env, ...size });
        expect(await indus.ended).toBe(code);
        expect(indus.lines().slice(-3)).toEqual([
          "indus: no model is chosen yet. There is a key for anthropic, so choose a model:",
          "  indus config set model anthropic/claude-sonnet-4-5",
          "  indus --list-models  # what else there is; --model NAME is for one start",
        ]);
        expect(indus.broken()).toEqual([]);
      }
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );

  verifiesTogether(
    "session:failing-edit",
    `at ${shown}: the screen shows that the edit failed, and no question`,
    async () => {
      await using test = await printRun(
        [
          calling(["read", { path: "a.txt" }]),
          calling(["edit", { path: "a.txt", oldText: "absent", newText: "x" }]),
          { text: "It is not there." },
        ],
        { "a.txt": "one\n" },
      );
      using user = converse(test, ["-i", "Change it."], { NO_COLOR: "1" }, size);
      await user.sees("It is not there.");
      expect(user.indus.screen()).toMatch(/✗ edit\(/);
      expect(user.indus.written()).not.toContain("Run this call?");
      expect(JSON.stringify(test.server.requests.at(-1))).toContain("edit: oldText is not in a.txt");
      await user.says("\u0004");
      expect(await user.indus.ended).toBe(0);
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );

  verifiesTogether(
    "session:saved",
    `at ${shown}: the list fits the screen, and a session is deleted only after a yes`,
    async () => {
      await using test = await printRun([{ text: "One." }, { text: "Two." }]);
      await test.indus(["-p", `Explain ${"the long story of this folder ".repeat(4)}\u001b[2J`]);
      await test.indus(["-p", "Short."]);
      const run = async (words: readonly string[], answer = ""): Promise<TerminalIndus> => {
        const indus = startInTerminal(words, { cwd: test.project, env: test.env, ...size });
        if (answer !== "") {
          await eventually(() => indus.screen().includes("[y/N]") || undefined, HANG_MS);
          indus.press(answer);
        }
        await indus.ended;
        expect(indus.broken()).toEqual([]);
        return indus;
      };
      using list = await run(["sessions"]);
      expect(list.screen()).toMatch(
        /^ID +LAST \(UTC\) +TURNS +FIRST WORDS\n01\w{24} .* 1 +Short\.\n01\w{24} .* 1 +Explain/,
      );
      const [, id = ""] = /\n(01\w{24}).*Explain/.exec(list.screen()) ?? [];
      using kept = await run(["sessions", "delete", id], "n\r");
      expect(kept.screen()).toMatch(
        /Explain[\s\S]*Delete this session for good\? \[y\/N\] n\n.*nothing was changed/,
      );
      using gone = await run(["sessions", "delete", id], "y\r");
      expect(gone.screen()).toContain(`deleted session ${id}`);
      using after = await run(["sessions"]);
      expect(after.screen()).not.toContain("Explain");
      expect(after.screen()).toContain("Short.");
    },
    { timeoutMs: 4 * HANG_MS, only: POSIX },
  );
}
