import { foldLine } from "../../../screen/internal.ts";
import type { Stage } from "../view/stage.ts";
import { type Draft, EMPTY_DRAFT, edited, inserted, lineDown, lineUp } from "./draft.ts";
import { drawDraft } from "./draw-draft.ts";
import { type Key, keyName } from "./key.ts";
import { Menu, type Suggest } from "./menu.ts";
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
  /** Fills the menu. Call `suggestionsChanged` when there are more. */
  readonly suggest: Suggest;
  /** Handles keys that do the same at the prompt and during a turn. False for other keys. */
  readonly shortcut: (key: string) => boolean;
}

/** What came before a prompt: a turn that ended, was stopped, or was interrupted with Ctrl-C, so that another one leaves. */
export type BeforePrompt = "ended" | "stopped" | "interrupted";

const MARK = "> ";
const LEAVE_HINT = "Ctrl-C again leaves";
const QUEUED_HINT = "queued until this has finished; Esc keeps it here";

/** Reads prompts of one or more lines. What is typed during a turn becomes the next prompt, or its beginning. */
export class PromptReader {
  readonly #options: PromptReaderOptions;
  readonly #menu: Menu;
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
  /** Keys after a Tab that waits for suggestions. */
  #waiting: Key[] | undefined;
  /** Handles a key at the prompt. */
  #take: (key: Key) => void = () => {};

  constructor(options: PromptReaderOptions) {
    this.#options = options;
    this.#menu = new Menu(options.suggest);
  }

  /** Resolves to the next prompt. */
  read(before: BeforePrompt): Promise<PromptResult> {
    const { keyboard } = this.#options;
    this.#at = this.#options.history.entries().length;
    this.#hint = before === "interrupted" ? LEAVE_HINT : "";
    const queued = this.#isQueued && before === "ended" ? this.#submit() : undefined;
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
        this.#take = () => {};
        this.#clear();
        resolve(result);
      };
      this.#take = (key) => {
        const result = this.#press(key);
        if (result) finish(result);
        else this.#drawSoon();
      };
      const stop = keyboard.listen((key) => this.#take(key));
      const stopWaiting = keyboard.onEnd(() => finish({ kind: "leave", key: "end" }));
      this.draw();
    });
  }

  /** A key during a turn. False if it does nothing here. */
  typeAhead(key: Key): boolean {
    const name = keyName(key);
    if (this.#options.shortcut(name) || this.#pressMenu(name)) return true;
    const before = this.#draft;
    const isReturn = name === "return";
    const next = isReturn ? brokenLine(before) : edited(before, key);
    this.#isQueued = next === undefined && before.text.trim() !== "";
    this.#draft = next ?? before;
    this.#hint = this.#isQueued ? QUEUED_HINT : "";
    if (this.#draft !== before) this.#menu.update(this.#draft);
    this.#drawSoon();
    return isReturn || this.#draft !== before;
  }

  /** More can be suggested than before. */
  suggestionsChanged(): void {
    this.#menu.update(this.#draft);
    const keys = this.#waiting;
    if (keys && !this.#menu.isLoading) {
      this.#waiting = undefined;
      this.#pressMenu("tab");
      for (const key of keys) this.#take(key);
    }
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
    const hint = foldLine(this.#hint === "" ? status() : this.#hint, stage.width - 1);
    const below = this.#menu.isOpen ? this.#menu.lines(stage) : hint.filter((line) => line !== "");
    // An empty line sets the prompt apart from the answer above it.
    const all = ["", ...lines, ...below];
    stage.show("input", all, { ...cursor, line: cursor.line + 1 });
    stage.flush();
  }

  /** Draws once for all keys that arrive together. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.draw();
    });
  }

  #press(key: Key): PromptResult | undefined {
    const name = keyName(key);
    const keys = this.#waiting;
    if (name === "ctrl-c") return this.#interrupt();
    if (keys) {
      if (name === "escape") this.#waiting = undefined;
      else keys.push(key);
      return undefined;
    }
    this.#hint = "";
    if (name === "ctrl-d" && this.#draft.text === "") return { kind: "leave", key: "ctrl-d" };
    if (this.#options.shortcut(name) || this.#pressMenu(name)) return undefined;
    if (name === "return") return this.#submit();
    const { stage } = this.#options;
    if (name === "ctrl-l") stage.clear();
    else if (name === "ctrl-z") this.#suspend();
    // The rest of what was typed belongs after the word.
    else if (name === "tab") this.#waiting = this.#menu.isLoading ? [] : undefined;
    else if (name === "up" || name === "ctrl-p") this.#move(lineUp(this.#draft), -1);
    else if (name === "down" || name === "ctrl-n") this.#move(lineDown(this.#draft), 1);
    else {
      this.#draft = edited(this.#draft, key);
      this.#menu.update(this.#draft);
    }
    return undefined;
  }

  #pressMenu(key: string): boolean {
    const next = this.#menu.press(key, this.#draft);
    if (!next) return false;
    if (next !== this.#draft) {
      this.#draft = next;
      this.#menu.update(next);
    }
    this.#drawSoon();
    return true;
  }

  /** Leaves a free line for the shell. */
  #suspend(): void {
    const { stage, keyboard } = this.#options;
    stage.show("input", []);
    stage.flush();
    keyboard.suspend(() => this.draw());
  }

  #clear(): void {
    this.#waiting = undefined;
    this.#setDraft(EMPTY_DRAFT);
    this.#options.stage.show("input", []);
  }

  #interrupt(): PromptResult | undefined {
    if (this.#hint === LEAVE_HINT) return { kind: "leave", key: "ctrl-c" };
    this.#hint = LEAVE_HINT;
    this.#waiting = undefined;
    this.#setDraft(EMPTY_DRAFT);
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
    if (within) return this.#setDraft(within);
    const entries = this.#options.history.entries();
    const next = this.#at + step;
    if (next < 0 || next > entries.length) return;
    if (this.#at === entries.length) this.#own = this.#draft.text;
    this.#at = next;
    const text = entries[next] ?? this.#own;
    this.#setDraft({ text, cursor: text.length });
  }

  /** A draft that the user did not type opens no menu. */
  #setDraft(draft: Draft): void {
    this.#draft = draft;
    this.#menu.close(draft);
  }
}

/** Replaces a backslash before the cursor by a line break. Undefined if there is none. */
function brokenLine({ text, cursor }: Draft): Draft | undefined {
  if (text.charAt(cursor - 1) !== "\\") return undefined;
  return inserted({ text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 }, "\n");
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
