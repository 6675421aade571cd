import { foldLine } from "../../screen/internal.ts";
import type { Stage } from "../view/stage.ts";
import { type Draft, EMPTY_DRAFT, edited, inserted, lineDown, lineUp } from "./draft.ts";
import { drawDraft } from "./draw-draft.ts";
import type { Key } from "./key.ts";
import type { Keyboard } from "./open-keyboard.ts";
import type { PromptHistory } from "./prompt-history.ts";

/** What the user did at the prompt. */
export type PromptResult =
  | { readonly kind: "prompt"; readonly text: string }
  /** `key`: how the user left. */
  | { readonly kind: "leave"; readonly key: "ctrl-c" | "ctrl-d" | "end" };

export interface PromptReaderOptions {
  readonly stage: Stage;
  readonly keyboard: Keyboard;
  readonly history: PromptHistory;
  /** A line below the prompt. */
  readonly status: () => string;
  /** Whether something else is shown in the place of the prompt. */
  readonly isCovered: () => boolean;
  /** The words that a beginning can become, for the tab key. */
  readonly complete: (text: string) => readonly string[];
}

const MARK = "> ";
/** Of many completions. */
const MAX_HINT_LINES = 4;
const LEAVE_HINT = "Ctrl-C again leaves";

/** Reads prompts of one or more lines. What is typed while a turn runs becomes the beginning of the next prompt. */
export class PromptReader {
  readonly #options: PromptReaderOptions;
  #draft: Draft = EMPTY_DRAFT;
  /** The shown entry of the history. Its length means: the user's own draft. */
  #at = 0;
  #own = "";
  #hint = "";
  #isReading = false;
  /** Whether it will be drawn when the keys that arrived were read. */
  #isDue = false;

  constructor(options: PromptReaderOptions) {
    this.#options = options;
  }

  /** Resolves with the next prompt. `isInterrupted`: the last key was a Ctrl-C, so that another one leaves. */
  read({ isInterrupted }: { readonly isInterrupted: boolean }): Promise<PromptResult> {
    const { keyboard, stage } = this.#options;
    this.#at = this.#options.history.entries().length;
    this.#hint = isInterrupted ? LEAVE_HINT : "";
    this.#isReading = true;
    return new Promise((resolve) => {
      const finish = (result: PromptResult): void => {
        stop();
        stopWaiting();
        this.#isReading = false;
        this.#draft = EMPTY_DRAFT;
        stage.show("input", []);
        resolve(result);
      };
      const stop = keyboard.listen((key) => {
        const result = this.#press(key);
        if (result) finish(result);
        else this.#drawSoon();
      });
      const stopWaiting = keyboard.onEnd(() => finish({ kind: "leave", key: "end" }));
      this.draw();
    });
  }

  /** A key while a turn runs. */
  typeAhead(key: Key): void {
    this.#draft = edited(this.#draft, key);
    this.#drawSoon();
  }

  draw(): void {
    const { stage, status, isCovered } = this.#options;
    if (isCovered()) return;
    if (!this.#isReading && this.#draft.text === "") return stage.show("input", []);
    const { lines, cursor } = drawDraft(this.#draft, {
      mark: MARK,
      width: stage.width,
      maxLines: Math.max(3, Math.floor(stage.height / 3)),
    });
    const below = this.#hint === "" ? status() : this.#hint;
    const hints = foldLine(below, stage.width - 1).filter((line) => line !== "");
    const rest = hints.length > MAX_HINT_LINES ? ["…"] : [];
    // An empty line sets the prompt apart from the answer above it.
    const all = ["", ...lines, ...hints.slice(0, MAX_HINT_LINES), ...rest];
    stage.show("input", all, { ...cursor, line: cursor.line + 1 });
    stage.flush();
  }

  /** Once for all keys that arrive together: a terminal without marks around pasted texts sends each character as a key. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.draw();
    });
  }

  #press(key: Key): PromptResult | undefined {
    const name = `${key.ctrl ? "ctrl-" : ""}${key.alt ? "alt-" : ""}${key.name}`;
    if (name === "ctrl-c") return this.#interrupt();
    this.#hint = "";
    if (name === "ctrl-d" && this.#draft.text === "") return { kind: "leave", key: "ctrl-d" };
    if (name === "return") return this.#submit();
    const { stage } = this.#options;
    if (name === "ctrl-l") stage.clear();
    else if (name === "ctrl-z") this.#suspend();
    else if (name === "tab") this.#complete();
    else if (name === "up" || name === "ctrl-p") this.#move(lineUp(this.#draft), -1);
    else if (name === "down" || name === "ctrl-n") this.#move(lineDown(this.#draft), 1);
    else this.#draft = edited(this.#draft, key);
    return undefined;
  }

  /** The shell gets a free line. */
  #suspend(): void {
    const { stage, keyboard } = this.#options;
    stage.show("input", []);
    stage.flush();
    keyboard.suspend(() => this.draw());
  }

  #interrupt(): PromptResult | undefined {
    if (this.#hint === LEAVE_HINT) return { kind: "leave", key: "ctrl-c" };
    this.#hint = LEAVE_HINT;
    this.#draft = EMPTY_DRAFT;
    return undefined;
  }

  #submit(): PromptResult | undefined {
    const { text, cursor } = this.#draft;
    if (text.charAt(cursor - 1) === "\\") {
      const before = { text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 };
      this.#draft = inserted(before, "\n");
      return undefined;
    }
    if (text.trim() === "") return undefined;
    this.#options.history.add(text);
    return { kind: "prompt", text };
  }

  /** To another line of the draft, or to another entry of the history. */
  #move(within: Draft | undefined, step: -1 | 1): void {
    if (within) {
      this.#draft = within;
      return;
    }
    const entries = this.#options.history.entries();
    const next = this.#at + step;
    if (next < 0 || next > entries.length) return;
    if (this.#at === entries.length) this.#own = this.#draft.text;
    this.#at = next;
    const text = entries[next] ?? this.#own;
    this.#draft = { text, cursor: text.length };
  }

  #complete(): void {
    const { text, cursor } = this.#draft;
    const candidates = this.#options.complete(text.slice(0, cursor));
    const [only, ...more] = candidates;
    if (only === undefined) return;
    const completed = more.reduce(commonStart, only);
    // Of each candidate, the word that is completed.
    const word = text.slice(0, cursor).search(/\S*$/);
    if (more.length > 0 && completed.length <= cursor)
      this.#hint = candidates.map((each) => each.slice(word)).join("  ");
    const rest = text.slice(cursor);
    // After a folder its files follow.
    const end = more.length === 0 && !completed.endsWith("/") ? `${completed} ` : completed;
    if (end.length > cursor) this.#draft = { text: end + rest, cursor: end.length };
  }
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

/** More lines of a prompt, such as a pasted file, do not stay on the screen. */
const MAX_SHOWN_LINES = 20;

/** The prompt as it stays on the screen. */
export function shownPrompt(text: string, width: number): string {
  const { lines } = drawDraft({ text, cursor: 0 }, { mark: MARK, width, maxLines: Number.MAX_SAFE_INTEGER });
  const rest = lines.length - MAX_SHOWN_LINES;
  const shown = rest > 1 ? [...lines.slice(0, MAX_SHOWN_LINES), `  … ${rest} more lines`] : lines;
  return shown.join("\n");
}
