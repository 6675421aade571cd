import { escapeForDisplay } from "indusagi/core";
import { displayWidth, fitWidth, paint } from "../../../screen/internal.ts";
import type { Stage } from "../view/stage.ts";
import type { Draft } from "./draft.ts";

/** One line of the menu. Its texts may come from others. */
export interface MenuItem {
  /** Replaces the word at the cursor. */
  readonly text: string;
  readonly about: string;
  /** The word goes on after this, such as the path after a folder. */
  readonly isOpen?: boolean;
}

/** What the word at the cursor could become. */
export interface Suggestions {
  /** Where the word begins. */
  readonly start: number;
  /** The best first. */
  readonly items: readonly MenuItem[];
  /** Whether more items may follow. */
  readonly isLoading: boolean;
  /** The word may stay empty: Enter takes nothing unless the user has selected it. */
  readonly isOptional?: boolean;
}

/** Suggestions for a text that ends at the cursor. Undefined if nothing is suggested there. */
export type Suggest = (text: string) => Suggestions | undefined;

const MAX_ROWS = 8;
/** A narrower screen has no room for descriptions. */
const MIN_ABOUT_COLUMNS = 40;

/** The menu below the prompt: opens while the user types, and completes the word at the cursor. */
export class Menu {
  readonly #suggest: Suggest;
  #shown: Suggestions | undefined;
  #selected = 0;
  /** Whether the user moved in the menu. Their item then stays selected while items arrive. */
  #hasMoved = false;
  /** The beginning of the word for which the user closed the menu. */
  #closedAt: number | undefined;

  constructor(suggest: Suggest) {
    this.#suggest = suggest;
  }

  get isOpen(): boolean {
    return (this.#shown?.items.length ?? 0) > 0;
  }

  /** Whether there is nothing to show yet. */
  get isLoading(): boolean {
    return !this.isOpen && (this.#shown?.isLoading ?? false);
  }

  /** After the draft or the items changed. */
  update({ text, cursor }: Draft): void {
    const before = this.#shown;
    const kept = this.#hasMoved ? before?.items[this.#selected]?.text : undefined;
    const next = this.#suggest(text.slice(0, cursor));
    if (next?.start !== this.#closedAt) this.#closedAt = undefined;
    this.#shown = next && this.#closedAt === undefined ? next : undefined;
    const at = kept === undefined ? -1 : (next?.items.findIndex((item) => item.text === kept) ?? -1);
    this.#hasMoved = at !== -1;
    this.#selected = at !== -1 ? at : next?.isOptional ? -1 : 0;
  }

  /** Closes the menu until another word begins. */
  close({ text, cursor }: Draft): void {
    this.#closedAt = this.#suggest(text.slice(0, cursor))?.start;
    this.#shown = undefined;
    this.#hasMoved = false;
  }

  /** Handles a key. Returns the draft after it, or undefined if the key is not for the menu. */
  press(key: string, draft: Draft): Draft | undefined {
    if (!this.isOpen) return undefined;
    if (key === "escape") this.close(draft);
    else if (key === "up" || key === "ctrl-p") this.#move(-1);
    else if (key === "down" || key === "ctrl-n") this.#move(1);
    else if (key === "tab") return this.#taken(draft, Math.max(0, this.#selected));
    // A word that is complete needs no item: Enter sends it.
    else if (key === "return" && !this.#isTyped(draft)) return this.#taken(draft, this.#selected);
    else return undefined;
    return draft;
  }

  /** The lines of the menu, safe to show. */
  lines({ width, height, look }: Pick<Stage, "width" | "height" | "look">): readonly string[] {
    const items = this.#shown?.items ?? [];
    const rows = Math.min(MAX_ROWS, Math.max(3, Math.floor(height / 3)), items.length);
    const first = Math.min(Math.max(0, this.#selected - rows + 1), items.length - rows);
    const shown = items.slice(first, first + rows);
    const columns = width - 1 - MARK.length;
    const hasAbout = width >= MIN_ABOUT_COLUMNS && shown.some(({ about }) => about !== "");
    const labels = shown.map(({ text }) => fitWidth(oneLine(text), hasAbout ? columns / 2 : columns));
    const labelColumns = Math.max(...labels.map(displayWidth));
    const lines = shown.map(({ about }, at) => {
      const label = labels[at] ?? "";
      const gap = " ".repeat(labelColumns - displayWidth(label) + 2);
      const text = hasAbout && about !== "" ? fitWidth(`${label}${gap}${oneLine(about)}`, columns) : label;
      if (first + at !== this.#selected) return `${NO_MARK}${text}`;
      return look.hasColours ? paint("cyan", `${MARK}${text}`) : `${MARK}${text}`;
    });
    const count = `${this.#selected === -1 ? "" : `${this.#selected + 1} of `}${items.length}`;
    const keys = this.#selected === -1 ? "Tab takes the first" : "Tab or Enter takes it";
    const footer = fitWidth(`${NO_MARK}${count} · ${keys}, Esc closes`, width - 1);
    return [...lines, look.hasColours ? paint("dim", footer) : footer];
  }

  #move(step: -1 | 1): void {
    const count = this.#shown?.items.length ?? 0;
    this.#selected =
      this.#selected === -1 && step === -1 ? count - 1 : (this.#selected + step + count) % count;
    this.#hasMoved = true;
  }

  #isTyped({ text, cursor }: Draft): boolean {
    const item = this.#shown?.items[this.#selected];
    return item === undefined || item.text === text.slice(this.#shown?.start, cursor);
  }

  #taken({ text, cursor }: Draft, at: number): Draft {
    const { start = cursor, items = [] } = this.#shown ?? {};
    const { text: word = "", isOpen = false } = items[at] ?? {};
    const rest = text.slice(cursor);
    const taken = text.slice(0, start) + word;
    if (isOpen) return { text: taken + rest, cursor: taken.length };
    return { text: `${taken} ${rest.replace(/^ /, "")}`, cursor: taken.length + 1 };
  }
}

const MARK = "› ";
const NO_MARK = "  ";
/** Longer texts would only be cut later. */
const MAX_CHARS = 500;

function oneLine(text: string): string {
  return escapeForDisplay(text.slice(0, MAX_CHARS).replaceAll(/\s+/g, " ").trim());
}
