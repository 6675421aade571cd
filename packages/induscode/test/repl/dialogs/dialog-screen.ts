import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";
import { Dialogs } from "../../../src/repl/dialogs/dialogs.ts";
import { type Keyboard, openKeyboard } from "../../../src/repl/input/open-keyboard.ts";
import { openStage, type Stage } from "../../../src/repl/view/stage.ts";

/** Dialogs on a terminal without a process. */
export interface DialogScreen extends Disposable {
  readonly stage: Stage;
  readonly keyboard: Keyboard;
  readonly dialogs: Dialogs;
  /** How often Ctrl-C was pressed in a dialog. */
  readonly interrupts: () => number;
  /** Types keys, and waits until the screen is drawn. */
  press(keys: string): Promise<void>;
  screen(): Promise<string>;
}

export async function openDialogScreen(columns = 60): Promise<DialogScreen> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows: 40,
    scrollback: 1000,
    convertEol: true,
    allowProposedApi: true,
  });
  const stage = openStage({
    out: (text) => terminal.write(String(text)),
    outLook: { width: columns, height: 40 },
  });
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const keyboard = await openKeyboard({ input, write: () => {} });
  let interrupts = 0;
  const dialogs = new Dialogs({ stage, keyboard, interrupt: () => interrupts++, redraw: () => {} });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    stage,
    keyboard,
    dialogs,
    interrupts: () => interrupts,
    press: async (keys) => {
      await settle();
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
    [Symbol.dispose]: () => {
      keyboard[Symbol.dispose]();
      stage[Symbol.dispose]();
      terminal.dispose();
    },
  };
}
