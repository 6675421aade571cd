import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { CallPreview, SessionApproval } from "../../../../src/conductor/index.ts";
import { approveCall } from "../../../../src/front/repl/dialogs/approve-call.ts";
import { openDialogScreen } from "./dialog-screen.ts";

function question(preview: CallPreview, more: Partial<SessionApproval> = {}): SessionApproval {
  return {
    call: { id: "1", name: "bash", input: {} },
    descriptor: { name: "bash", description: "", parameters: {} },
    reason: "default mode",
    preview,
    rules: ["bash(npm test)", "bash(npm *)"],
    signal: new AbortController().signal,
    ...more,
  };
}

/** Long enough that a busy machine is not taken for a pause of the user. */
const QUIET_MS = 700;
const COMMAND: CallPreview = { kind: "command", command: "npm test", cwd: "/work" };

verifies(
  "repl:approve",
  "the keys for once, always by one of the rules, no, and no with a reason",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage } = screen;
    const answers = async (keys: string, more?: Partial<SessionApproval>): Promise<unknown> => {
      const answer = approveCall(dialogs, stage, question(COMMAND, more));
      for (const key of keys.split("|")) await screen.press(key);
      return answer;
    };
    expect(await answers("y")).toEqual({ allow: true });
    expect(await answers("a|y")).toEqual({ allow: true, rule: "bash(npm test)" });
    expect(await answers("b|y")).toEqual({ allow: true, rule: "bash(npm *)" });
    // "Always" is a step of its own, and one can go back.
    expect(await answers("a|n|y")).toEqual({ allow: true });
    expect(await answers("a|\u0003")).toEqual({ allow: false });
    expect(await answers("n")).toEqual({ allow: false });
    expect(await answers("w|use pnpm\r")).toEqual({ allow: false, message: "use pnpm" });
    const long = `bash(${"word ".repeat(20).trim()})`;
    expect(await answers("a|y", { rules: [long] })).toEqual({ allow: true, rule: long });
    // Without a rule there is no "always".
    expect(await answers("a|n", { rules: [] })).toEqual({ allow: false });
    expect(await answers("\u0003")).toEqual({ allow: false });
    expect(screen.interrupts()).toBe(2);
    expect(await screen.screen()).toContain(
      "bash asks: default mode\n  in /work:\n  npm test\nRun this call?",
    );
  },
);

verifies(
  "repl:approve",
  "questions wait for each other, and one that needs no answer any more disappears",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage } = screen;
    const late = new AbortController();
    const first = approveCall(dialogs, stage, question(COMMAND, { agent: "one" }));
    const second = approveCall(dialogs, stage, question(COMMAND, { agent: "two", signal: late.signal }));
    const third = approveCall(dialogs, stage, question(COMMAND, { agent: "three" }));
    expect(await screen.screen()).not.toContain("two");
    late.abort(new Error("over"));
    await expect(second).rejects.toThrow("over");
    await screen.asked();
    // Neither that nor another width of the screen removes the question that is open.
    expect(await screen.screen()).toMatch(
      /Run this call\?\n {2}y {2}yes, once\n {2}a {2}always: bash\(npm test\)\n/,
    );
    await screen.resize(30);
    expect(await screen.screen()).toMatch(
      /Run this call\?\n {2}y {2}yes, once\n {2}a {2}always: bash\(npm test\)\n/,
    );
    await screen.press("y");
    expect(await first).toEqual({ allow: true });
    await screen.press("n");
    expect(await third).toEqual({ allow: false });
  },
);

verifies(
  "repl:stray-keys",
  "keys that were meant for the prompt go there, and the question waits for a pause",
  async () => {
    using screen = await openDialogScreen({ quietMs: QUIET_MS });
    const { dialogs, stage } = screen;
    const typesUntilAsked = async (keys: string): Promise<void> => {
      for (const key of keys) {
        await screen.type(key);
        expect(dialogs.isOpen).toBe(false);
      }
    };
    // Typed before the question appeared, and just after it.
    await typesUntilAsked("y");
    const answer = approveCall(dialogs, stage, question(COMMAND));
    await typesUntilAsked("ay");
    expect(await screen.screen()).toMatch(
      /npm test\nA question waits for a pause in your typing\.\n\n> yay$/,
    );
    await screen.press("n");
    expect(await answer).toEqual({ allow: false });
    expect(await screen.screen()).toMatch(/Run this call\? no\n\n> yay$/);
  },
);

verifies(
  "repl:stray-keys",
  "neither a word, nor a pasted text, nor one key alone chooses always",
  async () => {
    using screen = await openDialogScreen({ quietMs: QUIET_MS });
    const { dialogs, stage } = screen;
    let answered: unknown;
    const answer = approveCall(dialogs, stage, question(COMMAND)).then((given) => (answered = given));
    await screen.asked();
    // Pasted, with and without the marks of the terminal.
    for (const pasted of ["\u001b[200~a\u001b[201~", "\u001b[200~y\r\u001b[201~", "ayes"])
      await screen.type(pasted);
    expect(await screen.screen()).toContain("The pasted text went to the next prompt.");
    // The letters of a word after the first one are no answers.
    for (const letter of "say") await screen.type(letter);
    expect(await screen.screen()).toContain("Press one of these keys, after a short pause.");
    expect(answered).toBeUndefined();
    await sleep(QUIET_MS + 10);
    // Nor is what follows at once the answer to the second question.
    for (const letter of "ayyy") await screen.type(letter);
    expect(answered).toBeUndefined();
    expect(await screen.screen()).toContain("Run this call? always: bash(npm test)");
    await screen.asked();
    expect(await screen.screen()).toContain(
      "Always allow bash(npm test), in later sessions too?\n  y  yes, always",
    );
    await screen.press("y");
    expect(await answer).toEqual({ allow: true, rule: "bash(npm test)" });
    expect(await screen.screen()).toMatch(/> ay\n {2}ayes$/);
  },
);

verifies(
  "repl:untrusted",
  "a command, a path and a rule of others cannot draw on the screen; a command is shown whole",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage } = screen;
    const lines = Array.from({ length: 100 }, (_, at) => `echo ${at}`);
    const command = `${lines.join("\n")}\nrm \u001b[1A\u001b[2K\u202etxt`;
    const long = approveCall(
      dialogs,
      stage,
      question({ kind: "command", command, cwd: "/w\u001b[2J" }, { rules: ["x\u001b[2J"] }),
    );
    await screen.asked();
    const shown = await screen.screen();
    expect(shown).toContain("  in /w\\x1b[2J:\n  echo 0\n  echo 1\n");
    expect(shown).toContain("  echo 99\n  rm \\x1b[1A\\x1b[2K\\u{202e}txt\n");
    expect(shown).toContain("always: x\\x1b[2J");
    await screen.press("n");
    await long;

    const diff = Array.from({ length: 100 }, (_, at) => `+line ${at}`).join("\n");
    for (const key of ["v", "\u000f"]) {
      stage.clear();
      const change = approveCall(dialogs, stage, question({ kind: "diff", path: "/w/a", diff, isNew: true }));
      await screen.asked();
      expect(await screen.screen()).toMatch(/\+line 58\n {2}… 41 more lines\nRun this call/);
      await screen.press(key);
      await screen.asked();
      expect(await screen.screen()).toMatch(/\+line 99\nRun this call/);
      await screen.press("y");
      expect(await change).toEqual({ allow: true });
    }
  },
);
