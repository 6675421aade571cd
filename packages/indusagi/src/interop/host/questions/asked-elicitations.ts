import type { Questions } from "../../../runtime/index.ts";

/** Beyond it the oldest is forgotten, and its client learns of its end only by retrying. */
const MAX_IDS = 100;

/** The elicitations by URL that one client was asked. */
export class AskedElicitations {
  readonly #ids = new Set<unknown>();

  note(requests: Questions): void {
    for (const { params } of Object.values(requests)) {
      const id = params?.["elicitationId"];
      if (typeof id !== "string") continue;
      this.#ids.add(id);
      const [oldest] = this.#ids;
      if (this.#ids.size > MAX_IDS) this.#ids.delete(oldest);
    }
  }

  has(id: unknown): boolean {
    return this.#ids.has(id);
  }
}
