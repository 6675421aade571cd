import type { ToolContext } from "indusagi/capabilities";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import {
  faultOutcome,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  type ToolRunner,
  textResult,
  toolsOf,
} from "indusagi/runtime";
import { bridgeFingerprint } from "./bridge-key.ts";

/** The part of a tool's context that a remote tool uses. */
export type BridgeCallContext = {
  readonly [Part in "call" | "caller" | "signal"]?: ToolContext[Part] | undefined;
};

/** What is known about a tool besides its descriptor. */
export interface CapabilityFacts {
  /** The fingerprint of the tool. Default: computed from the descriptor. */
  readonly fingerprint?: string;
  /** The descriptor was too large to store and is incomplete. Such a tool is never offered; its server is started instead. */
  readonly isCut?: boolean;
}

const NO_FACTS: CapabilityFacts = {};

/** One mounted tool in the deck: its descriptor, and the runner of the box it came from. */
export class BridgeCapability {
  readonly descriptor: ToolDescriptor;
  /** False: a remote tool's own claim to be read-only counts only after its server was approved. */
  readonly readOnly: boolean = false;
  /** Whether the descriptor is incomplete: it was read from a log, and was too large for it. */
  readonly isCut: boolean;
  readonly #runner: ToolRunner;
  #fingerprint: string | undefined;

  constructor(descriptor: ToolDescriptor, runner: ToolRunner, facts: CapabilityFacts = NO_FACTS) {
    this.descriptor = descriptor;
    this.isCut = facts.isCut ?? false;
    this.#runner = runner;
    this.#fingerprint = facts.fingerprint;
  }

  /** See `bridgeFingerprint`. A cut tool has the fingerprint of the whole tool. */
  get fingerprint(): string {
    this.#fingerprint ??= bridgeFingerprint(this.descriptor);
    return this.#fingerprint;
  }

  /** The wire name. */
  get name(): string {
    return this.descriptor.name;
  }

  /** The wire name too: it is unique and shows the server. */
  get label(): string {
    return this.descriptor.name;
  }

  get description(): string {
    return this.descriptor.description;
  }

  get parameters(): JsonSchema {
    return this.descriptor.parameters;
  }

  /** Calls the tool and returns its result. Never rejects. */
  async run(input: unknown, ctx: BridgeCallContext = {}): Promise<ToolResult> {
    const call = { id: `bridge_${this.name}`, ...ctx.call, name: this.name, input };
    const outcome = await this.invoke(call, ctx);
    // Our runners always set `result`; a runner written for an older contract may not.
    return outcome.result ?? projectOutcome(outcome);
  }

  /** Calls the tool and returns its runner's outcome unchanged, with fault, suspension and wire form. Never rejects. */
  invoke(call: ToolCall, ctx: BridgeCallContext = {}): Promise<ToolOutcome> {
    const own = call.name === this.name ? call : { ...call, name: this.name };
    return this.#runner.run(own, ctx.signal, ctx.caller);
  }
}

/** The tools of a mounted box as capabilities of the deck, in the order of the box. */
export function bridgeBoxToCapabilities(box: ToolBox): BridgeCapability[] {
  return box.descriptors().map((descriptor) => new BridgeCapability(descriptor, box.runner));
}

/** The tools of a mounted box as capabilities that follow the box. An unchanged tool stays the same capability. */
export interface BridgeSource {
  list(): readonly BridgeCapability[];
  /** Calls `listener` after every change of the box. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Why a tool that is not listed is refused; see `ToolBox.refusalOf`. */
  readonly refusalOf?: ToolBox["refusalOf"];
}

/** For `ToolDeck.graft`: follows the tools as they come and go. `bridgeBoxToCapabilities` takes a snapshot. */
export function bridgeBoxSource(box: ToolBox): BridgeSource {
  const known = new WeakMap<Tool, BridgeCapability>();
  const capabilityOf = (tool: Tool): BridgeCapability => {
    const capability = known.get(tool) ?? new BridgeCapability(tool.descriptor, tool);
    known.set(tool, capability);
    return capability;
  };
  const list = (): readonly BridgeCapability[] => toolsOf(box).map(capabilityOf);
  return {
    list,
    refusalOf: box.refusalOf,
    onChange: (listener) => {
      list(); // Registers `toolsOf`'s own listener first, so `listener` sees the tools after the change.
      return box.onChange(() => listener());
    },
  };
}

/** A capability read from a log. It shows which tool was mounted; a call fails with the reason. */
export function replayedCapability(
  descriptor: ToolDescriptor,
  server: string,
  facts: CapabilityFacts = NO_FACTS,
): BridgeCapability {
  return new BridgeCapability(descriptor, disconnected(server), facts);
}

let lastRunner: { readonly server: string; readonly runner: ToolRunner } | undefined;

/** A log has many tools of one server in a row, which share a runner. */
function disconnected(server: string): ToolRunner {
  if (lastRunner?.server !== server) {
    const run = async ({ id, name }: ToolCall): Promise<ToolOutcome> => {
      const message = `${name} is known only from an earlier run: server "${server}" is not connected`;
      return faultOutcome(id, message, { kind: "not_connected", retrySafe: true, server });
    };
    lastRunner = { server, runner: { run } };
  }
  return lastRunner.runner;
}

/** The result for an outcome without one. */
function projectOutcome({ output, isError }: ToolOutcome): ToolResult {
  const text = typeof output === "string" ? output : (JSON.stringify(output ?? undefined, null, 2) ?? "");
  return isError ? { ...textResult(text), isError } : textResult(text);
}
