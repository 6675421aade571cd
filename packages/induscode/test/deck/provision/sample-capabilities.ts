import type { ToolContext } from "indusagi/capabilities";
import { Listeners } from "indusagi/core";
import { textResult } from "indusagi/runtime";
import type { Capability, CapabilitySource } from "induscode/deck";

/** A capability that answers with its name, unless `part` gives it other members. */
export function capability(name: string, part: Partial<Capability> = {}): Capability {
  const parameters = { type: "object", properties: { count: { type: "integer" } } };
  return {
    name,
    label: name,
    description: `The ${name} tool.`,
    parameters,
    readOnly: false,
    descriptor: { name, description: `The ${name} tool.`, parameters },
    run: async () => textResult(name),
    ...part,
  };
}

/** A source whose capabilities the test replaces. */
export class LiveSource implements CapabilitySource {
  readonly #listeners = new Listeners();
  #list: readonly Capability[];
  /** How many listeners were added and not removed. */
  listening = 0;

  constructor(...list: readonly Capability[]) {
    this.#list = list;
  }

  list(): readonly Capability[] {
    return this.#list;
  }

  onChange(listener: () => void): () => void {
    this.listening++;
    const remove = this.#listeners.add(listener);
    return () => {
      this.listening--;
      remove();
    };
  }

  replace(...list: readonly Capability[]): void {
    this.#list = list;
    this.#listeners.emit();
  }
}

/** The contexts that a capability got, and the capability. */
export function contextRecorder(name: string): {
  readonly contexts: ToolContext[];
  readonly card: Capability;
} {
  const contexts: ToolContext[] = [];
  const run: Capability["run"] = async (_input, ctx) => {
    contexts.push(ctx);
    return textResult("");
  };
  return { contexts, card: capability(name, { run }) };
}
