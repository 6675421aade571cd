import type { MemoryStore } from "../../contract/index.ts";
import { appended, withinLimit } from "./memory-limit.ts";

/** Notes that are lost when the session ends. Holds at most 64 KiB. */
export class InMemoryStore implements MemoryStore {
  #notes = "";

  async read(): Promise<string> {
    return this.#notes;
  }

  async replace(content: string): Promise<void> {
    this.#notes = withinLimit(content);
  }

  async append(content: string): Promise<void> {
    this.#notes = appended(this.#notes, content);
  }
}
