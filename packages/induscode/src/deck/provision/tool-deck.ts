import type { LocalContext } from "indusagi/capabilities";
import {
  createTableBox,
  type TableBox,
  type TableTool,
  type ToolBox,
  type ToolRefusal,
} from "indusagi/runtime";
import type { Capability, CapabilitySource } from "../contract/index.ts";
import { capabilityTool } from "./capability-tool.ts";
import {
  graftLayer,
  type Layer,
  mapLayer,
  onceForEach,
  type Report,
  retainLayer,
  withoutClashes,
} from "./deck-layers.ts";
import { noteCapability } from "./effect-of.ts";

/**
 * The tools of one session. `graft`, `mapCapabilities` and `retain` apply in the order of the calls, each to what is there
 * before it, also when a live source changes later: a filter does not affect what is grafted after it. The box follows all
 * changes. Close the deck to end the processes that its tools left running.
 */
export class ToolDeck implements AsyncDisposable {
  readonly #session: LocalContext;
  readonly #report: Report;
  readonly #layers: Layer[];
  readonly #sources: CapabilitySource[] = [];
  readonly #unsubscribe: (() => void)[] = [];
  readonly #table: TableBox;
  readonly #toolOf: (capability: Capability) => TableTool;
  #capabilities: readonly Capability[] = [];
  #closing: Promise<void> | undefined;

  /** Use `provisionDeck`. The deck closes the session. */
  constructor(capabilities: readonly Capability[], session: LocalContext, report: Report = () => {}) {
    this.#session = session;
    this.#report = onceForEachMessage(report);
    this.#toolOf = onceForEach((capability) => capabilityTool(capability, session));
    const own = [...capabilities];
    this.#layers = [graftLayer({ list: () => own })];
    this.#table = createTableBox(this.#compute(), { refusalOf: (name) => this.#refusalOf(name) });
  }

  /** The current capabilities, in a new array. */
  tools(): Capability[] {
    return [...this.#capabilities];
  }

  /**
   * Adds capabilities after those that are there. Those of a live source come and go with it. One whose name is taken is
   * reported and left out until the name is free.
   */
  graft(extra: Iterable<Capability> | CapabilitySource): this {
    if (!isSource(extra)) {
      const list = [...extra];
      return this.#add(graftLayer({ list: () => list }));
    }
    this.#sources.push(extra);
    if (!this.#closing) this.#unsubscribe.push(extra.onChange(() => this.#refresh()));
    return this.#add(graftLayer(extra));
  }

  /** Replaces every capability with `replace(capability)`. Called once for each, also for those that a source adds later. */
  mapCapabilities(replace: (capability: Capability) => Capability): this {
    return this.#add(mapLayer(this.#tried(replace), this.#report));
  }

  /** Keeps only the capabilities for which `keep` returns true. Called once for each. */
  retain(keep: (capability: Capability) => boolean): this {
    return this.#add(retainLayer(this.#tried(keep), this.#report));
  }

  /** The box of this deck: the same one every time. */
  intoToolBox(): ToolBox {
    return this.#table.box;
  }

  /** Ends the processes that the tools left running, and stops following live sources. The sources stay open. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.#session.close();
  }

  #refusalOf(name: string): ToolRefusal | undefined {
    for (const source of this.#sources) {
      const refusal = source.refusalOf?.(name);
      if (refusal) return refusal;
    }
    return undefined;
  }

  #add(layer: Layer): this {
    this.#layers.push(layer);
    this.#refresh();
    return this;
  }

  #refresh(): void {
    this.#table.replace(this.#compute());
  }

  /** Applies the layers and returns the tools of the box. */
  #compute(): TableTool[] {
    const listed = this.#layers.reduce<readonly Capability[]>((before, layer) => layer(before), []);
    this.#capabilities = withoutClashes(listed, this.#report);
    for (const capability of this.#capabilities) noteCapability(capability);
    return this.#capabilities.map(this.#toolOf);
  }

  /** A function that fails for a capability that is already there fails here, where the host sees its own mistake. */
  #tried<Value>(compute: (capability: Capability) => Value): (capability: Capability) => Value {
    const once = onceForEach(compute);
    for (const capability of this.#capabilities) once(capability);
    return once;
  }
}

function isSource(extra: Iterable<Capability> | CapabilitySource): extra is CapabilitySource {
  return "onChange" in extra && "list" in extra;
}

/** A deck looks at its tools again with every change; a tool that cannot be offered is reported the first time. */
function onceForEachMessage(report: Report): Report {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message)) return;
    reported.add(message);
    report(message);
  };
}
