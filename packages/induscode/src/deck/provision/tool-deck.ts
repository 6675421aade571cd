import { defineTool, type LocalContext, type SessionContext, type ToolContext } from "indusagi/capabilities";
import { describeError, joinSignals } from "indusagi/core";
import {
  abortedOutcome,
  answeredOutcome,
  type Caller,
  createTableBox,
  failureResult,
  type TableBox,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolRefusal,
} from "indusagi/runtime";
import type { Capability, CapabilitySource } from "../contract/index.ts";
import { BridgeCapability } from "../ledger/index.ts";
import { noteCapability } from "./effect-of.ts";

/**
 * The tools of one session. `graft`, `mapCapabilities` and `retain` apply in call order, each to what was there before it, even
 * when a live source changes later: a filter does not affect later grafts. The box follows all changes. Close the deck to end
 * the processes that its tools left running.
 */
export class ToolDeck implements AsyncDisposable {
  readonly #session: LocalContext;
  readonly #report: Report;
  readonly #layers: Layer[];
  readonly #sources: CapabilitySource[] = [];
  readonly #unsubscribe: (() => void)[] = [];
  readonly #table: TableBox;
  readonly #toolOf: (capability: Capability) => Tool;
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
   * Adds capabilities after the existing ones. Those of a live source come and go with it. One whose name is taken is reported
   * and left out until the name is free.
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

  /** Replaces every capability with `replace(capability)`. Called once for each, including those a source adds later. */
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
  #compute(): Tool[] {
    const listed = this.#layers.reduce<readonly Capability[]>((before, layer) => layer(before), []);
    this.#capabilities = withoutClashes(listed, this.#report);
    for (const capability of this.#capabilities) noteCapability(capability);
    return this.#capabilities.map(this.#toolOf);
  }

  /** Tries the function on the existing capabilities now, to let the host see its own mistake. */
  #tried<Value>(compute: (capability: Capability) => Value): (capability: Capability) => Value {
    const once = onceForEach(compute);
    for (const capability of this.#capabilities) once(capability);
    return once;
  }
}

function isSource(extra: Iterable<Capability> | CapabilitySource): extra is CapabilitySource {
  return "onChange" in extra && "list" in extra;
}

/** A deck recomputes its tools with every change; a tool that cannot be offered is reported only the first time. */
function onceForEachMessage(report: Report): Report {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message)) return;
    reported.add(message);
    report(message);
  };
}

/** Makes the next list of capabilities from the one before. */
type Layer = (before: readonly Capability[]) => readonly Capability[];

/** Called with the reason when a tool cannot be offered. */
type Report = (message: string) => void;

/** Adds the current capabilities of a source at the end. */
function graftLayer(source: Pick<CapabilitySource, "list">): Layer {
  return (before) => [...before, ...source.list()];
}

/** Replaces each capability. */
function mapLayer(replace: (capability: Capability) => Capability, report: Report): Layer {
  return (before) => before.flatMap((capability) => computeOrReport(replace, capability, report) ?? []);
}

/** Leaves out the capabilities for which `keep` returns false. */
function retainLayer(keep: (capability: Capability) => boolean, report: Report): Layer {
  return (before) => before.filter((capability) => computeOrReport(keep, capability, report) === true);
}

/** Leaves out a capability whose name an earlier one has, until that one is removed. */
function withoutClashes(capabilities: readonly Capability[], report: Report): readonly Capability[] {
  const taken = new Set<string>();
  return capabilities.filter(({ descriptor: { name } }) => {
    if (taken.has(name)) report(`a second tool named ${name} is not offered: the name is taken`);
    return !taken.has(name) && taken.add(name);
  });
}

/** Calls a function once for each capability, so an unchanged capability keeps its value. */
function onceForEach<Value>(compute: (capability: Capability) => Value): (capability: Capability) => Value {
  const known = new WeakMap<Capability, { readonly value: Value }>();
  return (capability) => {
    const entry = known.get(capability) ?? { value: compute(capability) };
    known.set(capability, entry);
    return entry.value;
  };
}

/** If the host's function fails for one tool, that tool is left out and the others stay. */
function computeOrReport<Value>(
  compute: (capability: Capability) => Value,
  capability: Capability,
  report: Report,
): Value | undefined {
  try {
    return compute(capability);
  } catch (thrown) {
    report(`tool ${capability.name} is not offered: ${describeError(thrown)}`);
    return undefined;
  }
}

/** A capability as a tool of a box. All its calls belong to one session. */
function capabilityTool(capability: Capability, session: SessionContext): Tool {
  const { descriptor } = capability;
  if (capability instanceof BridgeCapability) return mountedTool(capability, session.signal);
  const invoke = capability.invoke?.bind(capability);
  const answer = invoke ? neverRejecting(invoke) : fromResult(capability);
  return {
    descriptor,
    run: async (call, signal, caller) => answer(call, callContext(session, call, signal, caller)),
  };
}

/** A mounted tool needs only the signal of the session. */
function mountedTool(capability: BridgeCapability, ended: AbortSignal | undefined): Tool {
  return {
    descriptor: capability.descriptor,
    run: (call, signal, caller) => {
      const either = ended ? joinSignals(ended, signal) : signal;
      const rejected = (thrown: unknown): ToolOutcome => rejectedOutcome(call, either, thrown);
      try {
        return capability.invoke(call, { signal: either, caller }).catch(rejected);
      } catch (thrown) {
        return Promise.resolve(rejected(thrown));
      }
    },
  };
}

type Answer = (call: ToolCall, ctx: ToolContext) => Promise<ToolOutcome>;

/** Returns the outcome of `invoke` unchanged. If it rejects, it breaks its contract but must not break that of the box. */
function neverRejecting(invoke: Answer): Answer {
  return async (call, ctx) => {
    try {
      return await invoke(call, ctx);
    } catch (thrown) {
      return rejectedOutcome(call, ctx.signal, thrown);
    }
  };
}

function rejectedOutcome(call: ToolCall, signal: AbortSignal | undefined, thrown: unknown): ToolOutcome {
  if (signal?.aborted) return abortedOutcome(call.id, call.name, true);
  return answeredOutcome(call.id, failureResult(`${call.name} failed: ${describeError(thrown)}`));
}

/** A capability with `run` alone gets the rest from the kernel: coercion, aborts, caught errors. */
function fromResult(capability: Capability): Answer {
  const { name, description, parameters } = capability.descriptor;
  const run = (input: unknown, ctx: ToolContext) => capability.run(input, ctx);
  const tool = defineTool({ name, description, parameters, run });
  return (call, ctx) => tool.invoke(call, ctx);
}

/** The session's objects are the same in every call: tools key their state by them. */
function callContext(
  session: SessionContext,
  call: ToolCall,
  signal: AbortSignal | undefined,
  caller: Caller | undefined,
): ToolContext {
  const { contextId, cwd, fs, shell, budget, framework } = session;
  const given = session.signal || signal ? joinSignals(session.signal, signal) : undefined;
  return {
    contextId,
    cwd,
    fs,
    shell,
    budget,
    framework,
    signal: given ?? new AbortController().signal,
    call,
    ...(caller ? { caller } : {}),
  };
}
