import { mintUlid } from "../../../core/index.ts";
import type { ResultStore } from "../../agent/contract.ts";
import { previewOf, resultText } from "../../agent/results/preview.ts";
import type { ToolOutcome } from "../../contract/index.ts";
import { answeredOutcome } from "../../results.ts";

/** Each has at most a few megabytes. */
const MAX_KEPT = 20;

/** Long results, the latest ones, for the tool that reads them in parts. */
export class RecentResults implements ResultStore {
  readonly #maxChars: number;
  readonly #texts = new Map<string, string>();

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** The outcome, or one with a preview. */
  async shorten(outcome: ToolOutcome): Promise<ToolOutcome> {
    const { content, isError } = outcome.result;
    const text = resultText(content);
    if (text.length <= this.#maxChars) return outcome;
    const id = mintUlid().toLowerCase();
    await this.keep(id, text);
    const shown = previewOf(content, { id, maxChars: this.#maxChars });
    return answeredOutcome(outcome.id, { content: shown, ...(isError === true && { isError }) });
  }

  async keep(id: string, text: string): Promise<void> {
    this.#texts.set(id, text);
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_KEPT) break;
      this.#texts.delete(oldest);
    }
  }

  async read(id: string): Promise<string | undefined> {
    return this.#texts.get(id);
  }

  isEmpty(): boolean {
    return this.#texts.size === 0;
  }
}
