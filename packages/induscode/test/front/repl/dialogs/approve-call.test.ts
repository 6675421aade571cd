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
    expect(await answers("x|y")).toEqual({ allow: true });
    expect(await answers("a")).toEqual({ allow: true, rule: "bash(npm test)" });
    expect(await answers("b")).toEqual({ allow: true, rule: "bash(npm *)" });
    expect(await answers("n")).toEqual({ allow: false });
    expect(await answers("w|use pnpm\r")).toEqual({ allow: false, message: "use pnpm" });
    const long = `bash(${"word ".repeat(20).trim()})`;
    expect(await answers("a", { rules: [long] })).toEqual({ allow: true, rule: long });
    // Without a rule there is no "always".
    expect(await answers("a|n", { rules: [] })).toEqual({ allow: false });
    expect(await answers("\u0003")).toEqual({ allow: false });
    expect(screen.interrupts()).toBe(1);
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
  "repl:approve",
  "a letter of the next prompt, which the user is just writing, is not an answer",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage } = screen;
    screen.isTyping = true;
    const answer = approveCall(dialogs, stage, question(COMMAND));
    await screen.press("yay");
    expect(await screen.screen()).toContain("Your keys went to the next prompt. Wait a moment, then");
    screen.isTyping = false;
    await screen.press("n");
    expect(await answer).toEqual({ allow: false });
    expect(await screen.screen()).toMatch(/Run this call\? no\n\n> yay$/);
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
    const shown = await screen.screen();
    expect(shown).toContain("  in /w\\x1b[2J:\n  echo 0\n  echo 1\n");
    expect(shown).toContain("  echo 99\n  rm \\x1b[1A\\x1b[2K\\u{202e}txt\n");
    expect(shown).toContain("always: x\\x1b[2J");
    await screen.press("n");
    await long;

    const diff = Array.from({ length: 100 }, (_, at) => `+line ${at}`).join("\n");
    const change = approveCall(dialogs, stage, question({ kind: "diff", path: "/w/a", diff, isNew: true }));
    expect(await screen.screen()).toContain("… 41 more lines");
    expect(await screen.screen()).not.toContain("+line 99");
    await screen.press("v");
    expect(await screen.screen()).toContain("+line 99");
    await screen.press("y");
    expect(await change).toEqual({ allow: true });
  },
);
