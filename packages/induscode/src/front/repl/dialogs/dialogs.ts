import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { escapeForDisplay, untilAborted } from "indusagi/core";
import { displayWidth, foldLine, paint } from "../../../screen/internal.ts";
import { type Draft, EMPTY_DRAFT, edited } from "../input/draft.ts";
import { drawDraft } from "../input/draw-draft.ts";
import { type Key, keyName } from "../input/key.ts";
import type { Keyboard } from "../input/open-keyboard.ts";
import type { Stage } from "../view/stage.ts";

/** One of several answers, chosen with one key. */
export interface Choice<Answer> {
  readonly key: string;
  /** Another key for the same, such as `ctrl-o`. */
  readonly shortcut?: string;
  readonly label: string;
  readonly answer: Answer;
}

export interface DialogsOptions {
  readonly stage: Stage;
  readonly keyboard: Keyboard;
  /** Ctrl-C in a dialog: stops the work that asks. */
  readonly interrupt: () => void;
  /** Redraws the prompt after a dialog. */
  readonly redraw: () => void;
  /** When the user last typed a key for the next prompt, on the clock of `performance`. */
  readonly typedAtMs: () => number;
  /** A typing user presses the next key sooner. A question takes keys after a pause of this length. */
  readonly quietMs: number;
  /** Takes a text for the next prompt. */
  readonly typeAhead: (key: Key) => void;
}

const TYPING_HINT = "A question waits for a pause in your typing.";
const STRAY_HINT = "Press one of these keys, after a short pause.";
const PASTE_HINT = "The pasted text went to the next prompt.";
/** Where the label of a choice begins. */
const LABEL_COLUMN = 5;

/** Questions to the user, one at a time. An answer is undefined if the user pressed Esc or Ctrl-C. */
export class Dialogs {
  readonly #options: DialogsOptions;
  #last: Promise<unknown> = Promise.resolve();
  /** Draws the open question. */
  #draw: (() => void) | undefined;
  /** Whether the open dialog has asked a question. */
  #hasAsked = false;

  constructor(options: DialogsOptions) {
    this.#options = options;
  }

  /** Whether a question is open. It covers the prompt. */
  get isOpen(): boolean {
    return this.#draw !== undefined;
  }

  /** Redraws the open question, if there is one: the screen may have been resized. */
  redraw(): void {
    this.#draw?.();
  }

  /** Runs a dialog of one or more questions, after those before it. Rejects when the signal aborts. */
  async open<Result>(signal: AbortSignal | undefined, dialog: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const { promise, resolve } = newPromise();
    this.#last = before.then(() => promise);
    try {
      await untilAborted(before, signal);
      this.#hasAsked = false;
      return await dialog();
    } finally {
      resolve();
      this.#options.redraw();
    }
  }

  /**
   * Asks for one key, after a pause in the user's typing: a letter of the next prompt must not answer a question that has just
   * appeared. The chosen label stays on the screen.
   */
  async choose<Answer>(
    question: string,
    choices: readonly Choice<Answer>[],
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    const { stage, quietMs, typeAhead } = this.#options;
    await this.#pause(signal);
    let hint = "";
    let strayAtMs = Number.NEGATIVE_INFINITY;
    const draw = (): void => {
      const asked = foldLine(question, stage.width - 1);
      const rows = choices.flatMap(({ key, label }) =>
        foldLine(label, stage.width - 1 - LABEL_COLUMN).map(
          (line, at) => (at === 0 ? `  ${key}  ` : " ".repeat(LABEL_COLUMN)) + line,
        ),
      );
      const cursor = { line: asked.length - 1, column: displayWidth(asked.at(-1) ?? "") };
      stage.show("input", [...asked, ...rows, ...this.#hintLines(hint)], cursor);
    };
    const chosen = await this.#keys<Choice<Answer>>(
      draw,
      (key, answer) => {
        if (key.name === "paste") {
          typeAhead(key);
          hint = PASTE_HINT;
          return;
        }
        const nowMs = performance.now();
        const [typed, name] = [key.text.toLowerCase(), keyName(key)];
        const choice = choices.find((each) => each.key === typed || each.shortcut === name);
        // A letter after one that is no answer belongs to a word.
        if (choice && nowMs - strayAtMs >= quietMs) answer(choice);
        else if (key.text !== "") {
          strayAtMs = nowMs;
          hint = STRAY_HINT;
        }
      },
      signal,
    );
    stage.printFolded(this.#dim(`${question} ${chosen?.label ?? "no answer"}`));
    return chosen?.answer;
  }

  /** Asks for one line. */
  async line(question: string, signal?: AbortSignal): Promise<string | undefined> {
    const { stage, quietMs, typedAtMs } = this.#options;
    // The user asked for a later line with a key, and may type at once.
    if (!this.#hasAsked && performance.now() - typedAtMs() < quietMs) await this.#pause(signal);
    let draft: Draft = EMPTY_DRAFT;
    // A long question would leave no room for the answer.
    const fits = displayWidth(question) === question.length && question.length <= stage.width / 2;
    if (!fits) stage.printFolded(question);
    const mark = fits ? `${question} ` : "> ";
    const draw = (): void => {
      const { lines, cursor } = drawDraft(draft, { mark, width: stage.width, maxLines: 5 });
      stage.show("input", lines, cursor);
    };
    const text = await this.#keys<string>(
      draw,
      (key, answer) => {
        if (key.name === "return") return answer(draft.text);
        draft = edited(draft, key.name === "paste" ? { ...key, text: key.text.replaceAll("\n", " ") } : key);
      },
      signal,
    );
    stage.printFolded(`${mark}${text === undefined ? "(no answer)" : escapeForDisplay(text)}`);
    return text;
  }

  /**
   * Waits until the user has not pressed a key for a moment. Until then, keys do what they did before the dialog; between two
   * questions of a dialog they do nothing.
   */
  async #pause(signal: AbortSignal | undefined): Promise<void> {
    const { stage, keyboard, quietMs, typedAtMs, interrupt } = this.#options;
    const sinceMs = performance.now();
    let pressedAtMs = sinceMs;
    const ignore = (key: Key): void => {
      if (key.ctrl && key.name === "c") interrupt();
      pressedAtMs = performance.now();
    };
    const stop = this.#hasAsked ? keyboard.listen(ignore) : () => {};
    const lastMs = (): number => Math.max(pressedAtMs, typedAtMs());
    try {
      for (let ms = quietMs; ms > 0; ms = lastMs() + quietMs - performance.now()) {
        if (pressedAtMs > sinceMs || typedAtMs() > sinceMs - quietMs)
          stage.show("question", this.#hintLines(TYPING_HINT));
        await untilAborted(sleep(ms, undefined, { ref: false }), signal);
        // The program may have been busy: first read the keys that have arrived meanwhile.
        await nextTurn();
      }
    } finally {
      stop();
      stage.show("question", []);
    }
  }

  /** Passes keys to a handler until it answers. */
  async #keys<Answer>(
    draw: () => void,
    handle: (key: Key, answer: (value: Answer | undefined) => void) => void,
    signal: AbortSignal | undefined,
  ): Promise<Answer | undefined> {
    const { keyboard, stage, interrupt } = this.#options;
    let stop = (): void => {};
    let stopWaiting = (): void => {};
    const show = (): void => {
      draw();
      stage.flush();
    };
    const answered = new Promise<Answer | undefined>((resolve) => {
      stopWaiting = keyboard.onEnd(() => resolve(undefined));
      stop = keyboard.listen((key) => {
        if (key.ctrl && key.name === "c") {
          interrupt();
          return resolve(undefined);
        }
        if (key.name === "escape") return resolve(undefined);
        handle(key, (value) => {
          if (value !== undefined) resolve(value);
        });
        show();
      });
    });
    this.#draw = show;
    this.#hasAsked = true;
    show();
    try {
      return await untilAborted(answered, signal);
    } finally {
      this.#draw = undefined;
      stop();
      stopWaiting();
      stage.show("input", []);
    }
  }

  #hintLines(hint: string): readonly string[] {
    const lines = hint === "" ? [] : foldLine(hint, this.#options.stage.width - 1);
    return lines.map((line) => this.#dim(line));
  }

  #dim(text: string): string {
    return this.#options.stage.look.hasColours ? paint("dim", text) : text;
  }
}

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
