import { Listeners } from "indusagi/core";
import { type ItemKind, type ListedItem, leftOutNote, type Relay } from "indusagi/interop";

const KINDS: readonly ItemKind[] = ["prompts", "resources", "templates"];

/**
 * What is left out of the lists of servers, because official clients would refuse a whole list with it. The status of a server
 * has its tools; the others are known when someone has listed them.
 */
export class LeftOutItems {
  readonly #notes = new Map<string, string>();
  readonly #changes = new Listeners();

  /** One line for each list of a server with items that are left out. */
  of(server: string): readonly string[] {
    return KINDS.flatMap((kind) => this.#notes.get(`${kind} ${server}`) ?? []);
  }

  /** Calls the listener when the lines about a server have changed, as long as the servers are used. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }

  /** Looks at a list of a server. */
  note(server: string, kind: ItemKind, items: readonly ListedItem[]): void {
    const key = `${kind} ${server}`;
    const line = leftOutNote(kind, items);
    if (line === this.#notes.get(key)) return;
    if (line === undefined) this.#notes.delete(key);
    else this.#notes.set(key, line);
    this.#changes.emit();
  }

  /** A relay whose lists are looked at. */
  watch(relay: Relay): Relay {
    return {
      ...relay,
      list: async (kind, options) => {
        const lists = await relay.list(kind, options);
        for (const { server, items, fault } of lists) if (!fault) this.note(server, kind, items);
        return lists;
      },
    };
  }
}
