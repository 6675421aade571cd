import { foldLine } from "../../../screen/internal.ts";
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
  /** Whether something else is shown in place of the prompt. */
  readonly isCovered: () => boolean;
  /** Completions for the tab key. */
  readonly complete: (text: string) => readonly string[];
}

const MARK = "> ";
/** The limit for many completions. */
const MAX_HINT_LINES = 4;
const LEAVE_HINT = "Ctrl-C again leaves";
const QUEUED_HINT = "queued until this has finished; Ctrl-C keeps it here";

/** Reads prompts of one or more lines. What is typed during a turn becomes the next prompt, or its beginning. */
export class PromptReader {
  readonly #options: PromptReaderOptions;
  #draft: Draft = EMPTY_DRAFT;
  /** The shown history entry; the history's length stands for the user's own draft. */
  #at = 0;
  #own = "";
  #hint = "";
  #isReading = false;
  /** Whether the user sent the draft during a turn. */
  #isQueued = false;
  /** Whether a draw is scheduled. */
  #isDue = false;

  constructor(options: PromptReaderOptions) {
    this.#options = options;
  }

  /** Resolves to the next prompt. `isInterrupted`: the last key was Ctrl-C, so another one leaves. */
  read({ isInterrupted }: { readonly isInterrupted: boolean }): Promise<PromptResult> {
    const { keyboard } = this.#options;
    this.#at = this.#options.history.entries().length;
    this.#hint = isInterrupted ? LEAVE_HINT : "";
    const queued = this.#isQueued && !isInterrupted ? this.#submit() : undefined;
    this.#isQueued = false;
    if (queued) {
      this.#clear();
      return Promise.resolve(queued);
    }
    this.#isReading = true;
    return new Promise((resolve) => {
      const finish = (result: PromptResult): void => {
        stop();
        stopWaiting();
        this.#isReading = false;
        this.#clear();
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

  /** A key during a turn. */
  typeAhead(key: Key): void {
    const isReturn = key.name === "return" && !key.alt;
    const next = isReturn ? brokenLine(this.#draft) : edited(this.#draft, key);
    this.#isQueued = next === undefined && this.#draft.text.trim() !== "";
    this.#draft = next ?? this.#draft;
    this.#hint = this.#isQueued ? QUEUED_HINT : "";
    this.#drawSoon();
  }

  /** Puts a prompt that came to nothing before what was typed since. It waits for the user, even if more was queued. */
  giveBack(text: string): void {
    const since = this.#draft.text;
    this.#draft = inserted({ text: since === "" ? "" : `\n${since}`, cursor: 0 }, text);
    this.#isQueued = false;
    this.#hint = "";
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

  /** Draws once for all keys that arrive together: without bracketed paste, each pasted character is a key. */
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

  /** Leaves a free line for the shell. */
  #suspend(): void {
    const { stage, keyboard } = this.#options;
    stage.show("input", []);
    stage.flush();
    keyboard.suspend(() => this.draw());
  }

  #clear(): void {
    this.#draft = EMPTY_DRAFT;
    this.#options.stage.show("input", []);
  }

  #interrupt(): PromptResult | undefined {
    if (this.#hint === LEAVE_HINT) return { kind: "leave", key: "ctrl-c" };
    this.#hint = LEAVE_HINT;
    this.#draft = EMPTY_DRAFT;
    return undefined;
  }

  #submit(): PromptResult | undefined {
    const { text } = this.#draft;
    const broken = brokenLine(this.#draft);
    if (broken) {
      this.#draft = broken;
      return undefined;
    }
    if (text.trim() === "") return undefined;
    this.#options.history.add(text);
    return { kind: "prompt", text };
  }

  /** Moves to another line of the draft, or to another history entry. */
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
    // Hint only the word that is completed.
    const word = text.slice(0, cursor).search(/\S*$/);
    if (more.length > 0 && completed.length <= cursor)
      this.#hint = candidates.map((each) => each.slice(word)).join("  ");
    const rest = text.slice(cursor);
    // A folder's files may follow.
    const end = more.length === 0 && !completed.endsWith("/") ? `${completed} ` : completed;
    if (end.length > cursor) this.#draft = { text: end + rest, cursor: end.length };
  }
}

/** Replaces a backslash before the cursor by a line break. Undefined if there is none. */
function brokenLine({ text, cursor }: Draft): Draft | undefined {
  if (text.charAt(cursor - 1) !== "\\") return undefined;
  return inserted({ text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 }, "\n");
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

/** Longer prompts, such as a pasted file, are cut on the screen. */
const MAX_SHOWN_LINES = 20;

/** The prompt as it stays on the screen. */
export function shownPrompt(text: string, width: number): string {
  const { lines } = drawDraft({ text, cursor: 0 }, { mark: MARK, width, maxLines: Number.MAX_SAFE_INTEGER });
  const rest = lines.length - MAX_SHOWN_LINES;
  const shown = rest > 1 ? [...lines.slice(0, MAX_SHOWN_LINES), `  … ${rest} more lines`] : lines;
  return shown.join("\n");
}
