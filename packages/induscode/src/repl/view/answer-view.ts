import { type MarkdownStream, markdownStream } from "../../screen/index.ts";
import { foldLine } from "../../screen/internal.ts";
import { TextCleaner } from "./clean-text.ts";
import type { Stage } from "./stage.ts";

/** Shows the text of an answer while it arrives: complete lines rendered, and the line in progress as it is written. */
export class AnswerView {
  readonly #stage: Stage;
  readonly #cleaner = new TextCleaner();
  #markdown: MarkdownStream | undefined;
  /** Empty lines that another line must follow. Those at the end of an answer are left out. */
  #empty = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Whether text arrived since the last `end`. */
  get isOpen(): boolean {
    return this.#markdown !== undefined;
  }

  push(piece: string): void {
    const text = this.#cleaner.push(piece);
    // An answer often begins with empty lines.
    if (!this.#markdown && text.trim() === "") return;
    this.#markdown ??= markdownStream(this.#stage.look);
    this.#print(this.#markdown.push(text));
    this.redraw();
  }

  /** Draws the line in progress, if there is one. */
  redraw(): void {
    if (this.#markdown) this.#stage.show("text", this.#tail(this.#markdown.rest()));
  }

  end(): void {
    const markdown = this.#markdown;
    if (!markdown) return;
    this.#print([...markdown.push(this.#cleaner.end()), ...markdown.end()]);
    this.#markdown = undefined;
    this.#empty = 0;
    this.#stage.show("text", []);
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) {
      if (line === "") this.#empty++;
      else {
        this.#stage.printFolded("\n".repeat(this.#empty) + line);
        this.#empty = 0;
      }
    }
  }

  /** The end of the text in progress, as far as there is room. More could not be replaced. */
  #tail(text: string): readonly string[] {
    const { width, height } = this.#stage;
    const maxLines = Math.max(2, Math.floor(height / 2) - 2);
    const end = text.slice(-maxLines * width);
    return end
      .split("\n")
      .flatMap((line) => foldLine(line, width - 1))
      .slice(-maxLines);
  }
}
