import { Listeners } from "indusagi/core";
import {
  EXTENSION_KEYS,
  type ExtensionKey,
  type ItemKind,
  type ListedItem,
  leftOutNote,
  type Relay,
} from "indusagi/interop";

const KINDS: readonly ItemKind[] = ["prompts", "resources", "templates"];

/**
 * Prompts, resources and templates that are left out of lists, because official clients would reject the whole list. Tools that
 * are left out are in the status of their server; the others are known after they were listed.
 */
export class LeftOutItems {
  readonly #notes = new Map<string, string>();
  readonly #changes = new Listeners();

  /** One line for each list of a server that has such items. */
  of(server: string): readonly string[] {
    const lists = KINDS.flatMap((kind) => ["", ...EXTENSION_KEYS].map((each) => noteKey(server, kind, each)));
    return [...new Set(lists.flatMap((key) => this.#notes.get(key) ?? []))];
  }

  /** Calls the listener when the lines about a server have changed. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }

  /** Checks a list of a server; `extensions`: the one for clients that declared these. */
  note(server: string, kind: ItemKind, items: readonly ListedItem[], extensions = ""): void {
    const key = noteKey(server, kind, extensions);
    const line = leftOutNote(kind, items);
    if (line === this.#notes.get(key)) return;
    if (line === undefined) this.#notes.delete(key);
    else this.#notes.set(key, line);
    this.#changes.emit();
  }

  /** A relay whose lists are checked. */
  watch(relay: Relay): Relay {
    return {
      ...relay,
      list: async (kind, options) => {
        const lists = await relay.list(kind, options);
        for (const { server, items, fault } of lists)
          if (!fault) this.note(server, kind, items, options?.extensions);
        return lists;
      },
    };
  }
}

function noteKey(server: string, kind: ItemKind, extensions: ExtensionKey): string {
  return `${kind}\n${extensions}\n${server}`;
}
