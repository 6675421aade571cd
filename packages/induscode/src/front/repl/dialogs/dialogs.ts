import { escapeForDisplay, untilAborted } from "indusagi/core";
import { displayWidth, foldLine, paint } from "../../../screen/internal.ts";
import { type Draft, EMPTY_DRAFT, edited } from "../input/draft.ts";
import { drawDraft } from "../input/draw-draft.ts";
import type { Key } from "../input/key.ts";
import type { Keyboard } from "../input/open-keyboard.ts";
import type { Stage } from "../view/stage.ts";

/** One of several answers, chosen with one key. */
export interface Choice<Answer> {
  readonly key: string;
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
  /** Whether the user is typing the next prompt right now. */
  readonly isTyping: () => boolean;
  /** Takes a key for the next prompt. */
  readonly typeAhead: (key: Key) => void;
}

const TYPING_HINT = "Your keys went to the next prompt. Wait a moment, then answer.";
/** Where the label of a choice begins. */
const LABEL_COLUMN = 5;

/** Questions to the user, one at a time. An answer is undefined if the user pressed Esc or Ctrl-C. */
export class Dialogs {
  readonly #options: DialogsOptions;
  #last: Promise<unknown> = Promise.resolve();
  /** Draws the open question. */
  #draw: (() => void) | undefined;

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
      return await dialog();
    } finally {
      resolve();
      this.#options.redraw();
    }
  }

  /** Asks for one key. The chosen label stays on the screen. */
  async choose<Answer>(
    question: string,
    choices: readonly Choice<Answer>[],
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    const { stage, isTyping, typeAhead } = this.#options;
    let hint: readonly string[] = [];
    const draw = (): void => {
      const rows = choices.flatMap(({ key, label }) =>
        foldLine(label, stage.width - 1 - LABEL_COLUMN).map(
          (line, at) => (at === 0 ? `  ${key}  ` : " ".repeat(LABEL_COLUMN)) + line,
        ),
      );
      stage.show("input", [question, ...rows, ...hint], { line: 0, column: question.length });
    };
    const chosen = await this.#keys<Choice<Answer>>(
      draw,
      (key, answer) => {
        // The question appeared while the user was typing: a stray letter must not approve a call.
        if (isTyping()) {
          typeAhead(key);
          hint = foldLine(TYPING_HINT, stage.width - 1).map((line) => this.#dim(line));
        } else answer(choices.find((choice) => choice.key === key.text.toLowerCase()));
      },
      signal,
    );
    stage.printFolded(this.#dim(`${question} ${chosen?.label ?? "no answer"}`));
    return chosen?.answer;
  }

  /** Asks for one line. */
  async line(question: string, signal?: AbortSignal): Promise<string | undefined> {
    const { stage } = this.#options;
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

  #dim(text: string): string {
    return this.#options.stage.look.hasColours ? paint("dim", text) : text;
  }
}

function newPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
