import type { PrintRun } from "../commands/session/print-run.ts";
import { eventually } from "./run-indus.ts";
import { startInTerminal, type TerminalIndus, type TerminalOptions } from "./terminal-indus.ts";

/** Against a hang only: other programs may make everything slow. */
export const HANG_MS = 60_000;

/** A conversation in a terminal, and how a user waits and answers. */
export interface Conversation extends Disposable {
  readonly indus: TerminalIndus;
  /** Waits until the screen shows a text that was not there before. */
  sees(text: string | RegExp): Promise<void>;
  /** Types a prompt, when the prompt is there. */
  says(text: string): Promise<void>;
}

/** Opens a conversation in the project of a test. */
export function converse(
  test: PrintRun,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
  size: Pick<TerminalOptions, "columns" | "rows"> = { columns: 60 },
): Conversation {
  const indus = startInTerminal(words, { cwd: test.project, env: { ...test.env, ...env }, ...size });
  let seen = 0;
  const since = (): string => indus.screen().slice(seen);
  const sees = async (text: string | RegExp): Promise<void> => {
    const isThere = (): true | undefined =>
      (typeof text === "string" ? since().includes(text) : text.test(since())) || undefined;
    await eventually(isThere, HANG_MS).catch(() => {
      throw new Error(`the screen does not show ${String(text)}:\n${indus.screen()}`);
    });
  };
  return {
    indus,
    sees,
    says: async (text) => {
      await eventually(() => /\n> *\n[^\n]* · /.test(`\n${indus.screen()}`) || undefined, HANG_MS).catch(
        () => {
          throw new Error(`there is no prompt:\n${indus.screen()}`);
        },
      );
      // What is above the prompt now does not count as an answer to this.
      seen = indus.screen().lastIndexOf("\n> ") + 1;
      indus.press(text);
    },
    [Symbol.dispose]: () => indus[Symbol.dispose](),
  };
}
