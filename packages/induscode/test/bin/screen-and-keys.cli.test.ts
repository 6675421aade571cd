import { verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { calling, type PrintRun, printRun } from "../commands/session/print-run.ts";
import { eventually, writeConfig } from "./run-indus.ts";
import { startInTerminal, type TerminalIndus } from "./terminal-indus.ts";

/** Against a hang only: other programs may make everything slow. */
const HANG_MS = 60_000;
const OPTIONS = { timeoutMs: 4 * HANG_MS, only: ["linux", "darwin"] } as const;
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
] as const;
const [ESC, UP, DOWN, SHIFT_TAB, CTRL_O, CTRL_U] = [
  "\u001b",
  "\u001b[A",
  "\u001b[B",
  "\u001b[Z",
  "\u000f",
  "\u0015",
];
const shelf = new URL("../../../../test/servers/shelf.mjs", import.meta.url).pathname;

/** A conversation at one size of the screen. */
interface User extends Disposable {
  readonly indus: TerminalIndus;
  /** Waits until the visible screen shows something. */
  sees(text: RegExp): Promise<void>;
  /** Presses keys, and waits until the screen shows what they do. */
  does(keys: string, shown: RegExp): Promise<void>;
}

function converse(test: PrintRun, words: readonly string[], size: (typeof SIZES)[number]): User {
  const indus = startInTerminal(words, { cwd: test.project, env: test.env, ...size });
  const sees = async (text: RegExp): Promise<void> => {
    await eventually(() => text.test(indus.visible()) || undefined, HANG_MS).catch(() => {
      throw new Error(`the screen does not show ${String(text)}:\n${indus.visible()}`);
    });
  };
  return {
    indus,
    sees,
    does: async (keys, shown) => {
      indus.press(keys);
      await sees(shown);
    },
    [Symbol.dispose]: () => indus[Symbol.dispose](),
  };
}

const PROMPT = /\n> *\n[^\n]* · [^\n]*$/;

for (const size of SIZES) {
  const at = `at ${size.columns}×${size.rows}`;

  verifiesTogether(
    "repl:output",
    `a long output is previewed and shown whole by Ctrl-O, and a change has line numbers and colours, ${at}`,
    async () => {
      const edit = { path: "code.txt", oldText: "two", newText: "zwei 語" };
      await using test = await printRun(
        [
          calling(["bash", { command: "seq 1 30" }], ["read", { path: "evil.txt" }]),
          { text: "Counted." },
          calling(["read", { path: "code.txt" }]),
          calling(["edit", edit]),
          { text: "Changed." },
        ],
        { "code.txt": "one\ntwo\nthree\n", "evil.txt": "a\u001b[2Jb\n" },
      );
      using user = converse(test, ["-i", "--allow", "bash(seq 1 30)", "Count."], size);
      const { indus } = user;
      await user.sees(/Counted\.\n+> /);
      expect(indus.screen()).toMatch(
        /✓ bash\(seq 1 30\)\n {2}\[stdout\]\n {2}1\n {2}2\n {2}3\n {2}… 2\d more lines \(Ctrl-O shows all\)\n/,
      );
      expect(indus.screen()).toContain("a\\x1b[2Jb");
      expect(indus.screen()).not.toMatch(/^ +30$/m);
      await user.does(CTRL_O, /\n {2}29\n {2}30\n[\s\S]*\n> /);
      await user.does(CTRL_O, /there is no more output to show/);

      await user.does("Change it.\r", /Run this call\?\n {2}y {2}yes, once\n/);
      expect(indus.visible()).toMatch(/\n {2}1 {2}one\n {2}2 -two\n {2}2 \+zwei 語\n {2}3 {2}three\n/);
      expect(indus.written()).toContain("\u001b[31m-two\u001b[39m");
      expect(indus.written()).toContain("\u001b[32m+zwei 語\u001b[39m");
      // Neither a paste nor one key alone is "always".
      await user.does(`${ESC}[200~a${ESC}[201~`, /pasted text went to the next prompt/);
      await user.does("a", /Always allow [^?]*too\?\n {2}y {2}yes, always/);
      expect(test.read("code.txt")).toContain("two");
      await user.does("n", /Run this call\?\n {2}y {2}yes, once\n/);
      await user.does("y", /Changed\.\n+> a\n/);
      expect(test.read("code.txt")).toBe("one\nzwei 語\nthree\n");
      await user.does(`${CTRL_U}\u0004`, /$/);
      expect(await indus.ended).toBe(0);
      expect(indus.broken()).toEqual([]);
    },
    OPTIONS,
  );

  verifiesTogether(
    "repl:menu",
    `commands, prompts, files and resources in a menu that survives another size of the screen, ${at}`,
    async () => {
      await using test = await printRun([{ text: "Done." }], {
        "notes.txt": "from the file",
        "日本語の長い名前.md": "",
      });
      const file = await writeConfig(test.at("servers.json"), {
        shelf: { command: process.execPath, args: [shelf] },
      });
      using user = converse(test, ["-i", "--mcp", file], size);
      const { indus } = user;
      await user.sees(PROMPT);
      await user.does("/", /› \/mcp +Show the servers.*\n {2}\/tools +List the tools/);
      await user.does(
        "mo",
        /> \/mo\n› \/model +Show or change the model[^\n]*\n {2}1 of 1 · Tab or Enter takes it, Esc closes$/,
      );
      await user.does("\t", /> \/model *\n[^\n]* · [^\n]*$/);
      await user.does(`${CTRL_U}/shelf`, /› \/shelf__greet +\S/);
      // Esc closes it, and the word stays.
      await user.does(ESC, /> \/shelf\n[^\n]* · [^\n]*$/);
      await user.does(
        `${CTRL_U}See @`,
        /› @shelf: +\d resources?\n {2}@notes\.txt\n {2}@日本語の長い名前\.md\n/,
      );
      await user.does(UP, /\n› @日本語の長い名前\.md\n/);
      // Narrower, lower and back: every line is there once.
      for (const [columns, rows] of [
        [30, 14],
        [size.columns, size.rows],
      ] as const) {
        indus.resize(columns, rows);
        await user.sees(/> See @\n {2}@shelf:.*\n {2}@notes\.txt\n› @日本語の長い名前\.md\n {2}3 of 3 .*$/);
        expect(indus.visible().match(/@notes\.txt/g)).toHaveLength(1);
      }
      await user.does(DOWN, /\n› @shelf:/);
      await user.does("\t", /> See @shelf:\n› @shelf:shelf:\/\/intro +\S/);
      await user.does(`\r${CTRL_U}See @no`, /> See @no\n› @notes\.txt\n/);
      await user.does("\r", /> See @notes\.txt *\n[^\n]* · [^\n]*$/);
      await user.does("now\r", /Done\.\n+> *\n/);
      expect(JSON.stringify(test.server.requests[0])).toContain("from the file");
      // A prompt from the history opens no menu that would take the next arrow.
      await user.does(`${CTRL_U}/help\r`, /Shift-Tab +next mode/);
      await user.sees(PROMPT);
      await user.does(`${UP}${UP}`, /> See @notes\.txt now\n[^\n]* · [^\n]*$/);
      indus.press(`${CTRL_U}\u0004`);
      expect(await indus.ended).toBe(0);
      expect(indus.isRestored()).toBe(true);
    },
    OPTIONS,
  );

  verifiesTogether(
    "repl:escape",
    `Esc stops the turn, keeps what was typed and leaves nothing; arrows and pasted keys do not stop it, ${at}`,
    async () => {
      await using test = await printRun([
        { text: "This answer hangs in the middle of it", hangAfter: 0.7 },
        { text: "Second answer." },
      ]);
      using user = converse(test, ["-i", "Begin."], size);
      const { indus } = user;
      await user.sees(/This answer/);
      indus.press(`${UP}${ESC}[200~${ESC}${ESC}[Ax${ESC}[201~`);
      await user.does("typed\r", /> \[Axtyped\nqueued until this has finished/);
      // A menu takes Esc first.
      await user.does(`${CTRL_U}/h`, /› \/help/);
      await user.does(ESC, /> \/h\n[^\n]* · [^\n]*$/);
      expect(indus.screen()).not.toContain("stopped");
      // Twice is not too much.
      await user.does(`${ESC}${ESC}`, /stopped\n+> \/h\n[^\n]* · [^\n]*$/);
      expect(indus.screen()).not.toContain("Ctrl-C again leaves");
      await user.does(`${CTRL_U}Again.\r`, /Second answer\.\n+> *\n/);
      expect(JSON.stringify(test.server.requests[1])).toContain('"Again."');
      indus.press("\u0004");
      expect(await indus.ended).toBe(0);
    },
    OPTIONS,
  );
}

verifiesTogether(
  "repl:modes",
  "Shift-Tab goes through the modes, also from bypass and during a turn, and never to bypass",
  async () => {
    await using test = await printRun([{ text: "This answer hangs in the middle of it", hangAfter: 0.7 }]);
    using user = converse(test, ["-i", "--mode", "bypass"], SIZES[0]);
    const { indus } = user;
    await user.sees(/\n> *\nbypass · /);
    for (const mode of ["default", "acceptEdits", "plan", "default"])
      await user.does(SHIFT_TAB, new RegExp(`\\n> *\\n${mode} · `));
    await user.does("Begin.\r", /This answer/);
    await user.does(SHIFT_TAB, /mode: acceptEdits/);
    await user.does(ESC, /stopped\n+> *\nacceptEdits · /);
    indus.press("\u0004");
    expect(await indus.ended).toBe(0);
    expect(indus.screen()).not.toContain("mode: bypass");
  },
  OPTIONS,
);
