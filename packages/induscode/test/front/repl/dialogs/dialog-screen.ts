import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";
import { Dialogs } from "../../../../src/front/repl/dialogs/dialogs.ts";
import { openKeyboard, openStage } from "../../../../src/front/repl/index.ts";
import type { Keyboard } from "../../../../src/front/repl/input/open-keyboard.ts";
import { PromptReader } from "../../../../src/front/repl/input/prompt-reader.ts";
import type { Stage } from "../../../../src/front/repl/view/stage.ts";
import { eventually } from "../../../bin/run-indus.ts";

/** Dialogs on a terminal without a process. */
export interface DialogScreen extends Disposable {
  readonly stage: Stage;
  readonly keyboard: Keyboard;
  readonly dialogs: Dialogs;
  /** How often Ctrl-C was pressed in a dialog. */
  readonly interrupts: () => number;
  /** Waits until a question is open. */
  asked(): Promise<unknown>;
  /** Waits for a question, answers it with keys, and waits until the screen is drawn. */
  press(keys: string): Promise<void>;
  /** Types keys, whatever is shown. */
  type(keys: string): Promise<void>;
  screen(): Promise<string>;
  resize(columns: number): Promise<void>;
}

export interface DialogScreenOptions {
  /** Default 60. */
  readonly columns?: number;
  /** How long the user must pause before a question takes keys. Default: not at all. */
  readonly quietMs?: number;
}

export async function openDialogScreen(options: DialogScreenOptions = {}): Promise<DialogScreen> {
  const { columns = 60, quietMs = 0 } = options;
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 40,
    scrollback: 1000,
    convertEol: true,
    allowProposedApi: true,
  });
  const stage = openStage({
    out: (text) => terminal.write(String(text)),
    get outLook() {
      return { width: terminal.cols, height: terminal.rows };
    },
  });
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const keyboard = await openKeyboard({ input, write: () => {} });
  let interrupts = 0;
  const reader = new PromptReader({
    stage,
    keyboard,
    history: { entries: () => [], add: () => {} },
    status: () => "",
    suggest: () => undefined,
    shortcut: () => false,
    isCovered: () => dialogs.isOpen,
  });
  const dialogs: Dialogs = new Dialogs({
    stage,
    keyboard,
    interrupt: () => interrupts++,
    redraw: () => reader.draw(),
    typedAtMs: () => typedAtMs,
    quietMs,
    typeAhead: (key) => reader.typeAhead(key),
  });
  // As while a turn runs.
  let typedAtMs = Number.NEGATIVE_INFINITY;
  keyboard.listen((key) => {
    typedAtMs = performance.now();
    reader.typeAhead(key);
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const screen: DialogScreen = {
    stage,
    keyboard,
    dialogs,
    interrupts: () => interrupts,
    asked: () => eventually(() => dialogs.isOpen || undefined),
    press: async (keys) => {
      await screen.asked();
      await screen.type(keys);
    },
    type: async (keys) => {
      input.write(keys);
      await settle();
    },
    screen: async () => {
      await settle();
      stage.flush();
      await new Promise<void>((resolve) => terminal.write("", resolve));
      const { active } = terminal.buffer;
      const lines = Array.from(
        { length: active.length },
        (_, at) => active.getLine(at)?.translateToString(true) ?? "",
      );
      return lines.join("\n").trimEnd();
    },
    resize: async (wide) => {
      stage.flush();
      await new Promise<void>((resolve) => terminal.write("", resolve));
      terminal.resize(wide, 40);
      dialogs.redraw();
      reader.draw();
    },
    [Symbol.dispose]: () => {
      keyboard[Symbol.dispose]();
      stage[Symbol.dispose]();
      terminal.dispose();
    },
  };
  return screen;
}
