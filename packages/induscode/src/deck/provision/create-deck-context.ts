import { resolve } from "node:path";
import { createReadState } from "indusagi/capabilities";
import type { DeckContext, DeckFramework } from "../contract/index.ts";

/**
 * A context for a deck. It gets a new read state unless the framework has one, so a file must be read before it is changed. For
 * a deck without that rule, pass an object of the same form without `readState`.
 */
export function createDeckContext(cwd: string, framework: DeckFramework = {}): DeckContext {
  return { cwd: resolve(cwd), framework: { readState: createReadState(), ...framework } };
}
