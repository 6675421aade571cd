import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { TurnView } from "../../../../src/front/repl/view/turn-view.ts";
import { openDialogScreen } from "../dialogs/dialog-screen.ts";

verifies(
  "repl:progress",
  "a model that is silent or thinks, and each running call, have a line with the time",
  async () => {
    using screen = await openDialogScreen();
    let nowMs = 0;
    using view = new TurnView(screen.stage, () => nowMs);
    const after = async (ms: number): Promise<string> => {
      nowMs += ms;
      view.redraw();
      return screen.screen();
    };
    view.show({ kind: "step", step: 1 });
    expect(await after(900)).toBe("");
    expect(await after(2_100)).toBe("· waiting for the model  3 s");
    view.show({ kind: "reasoning_delta", text: "hm" });
    view.show({ kind: "reasoning_delta", text: "hm" });
    expect(await after(1_000)).toBe("· thinking  1 s");
    view.show({ kind: "text_delta", text: "Some text" });
    expect(await after(500)).toBe("Some text");
    // A long call is written after the text, which no event shows.
    expect(await after(4_000)).toBe("Some text\n· waiting for the model  4 s");
    const call = { kind: "tool_call", id: "1", name: "bash", input: { command: "ls" } } as const;
    view.show({
      kind: "entry",
      position: 1,
      entry: { kind: "assistant", content: [call], model: "m", finish: "tool_calls" },
    });
    view.show({ kind: "tool_start", call, sent: call.input });
    expect(await after(2_000)).toMatch(/^Some text\n. bash\(ls\) {2}2 s$/);
    view.show({ kind: "tool_progress", id: "1", note: { progress: 1, total: 4, message: "one\u001b" } });
    expect(await after(0)).toMatch(/^Some text\n. bash\(ls\) {2}2 s 25 % one\\x1b$/);
    view.show({ kind: "end", reason: "aborted", steps: 1, usage: {} });
    expect(await after(0)).toBe("Some text\nstopped");
  },
);
