import type { ToolContext } from "indusagi/capabilities";
import type { JsonSchema, ToolDescriptor } from "indusagi/llm";
import {
  faultOutcome,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  type ToolRunner,
  textResult,
} from "indusagi/runtime";

/** As much of a tool's context as a remote tool has use for. */
export type BridgeCallContext = Partial<Pick<ToolContext, "call" | "caller" | "signal">>;

/** One mounted tool as the deck holds it: its description, and the runner of its box that knows the way to it. */
export class BridgeCapability {
  readonly descriptor: ToolDescriptor;
  /** False: what a remote tool says of its own effects counts only after its server was approved. */
  readonly readOnly: boolean = false;
  readonly #runner: ToolRunner;

  constructor(descriptor: ToolDescriptor, runner: ToolRunner) {
    this.descriptor = descriptor;
    this.#runner = runner;
  }

  /** The wire name. */
  get name(): string {
    return this.descriptor.name;
  }

  /** The wire name too: it is unique, and says which server it belongs to. */
  get label(): string {
    return this.descriptor.name;
  }

  get description(): string {
    return this.descriptor.description;
  }

  get parameters(): JsonSchema {
    return this.descriptor.parameters;
  }

  /** Calls the tool and gives its answer. Always resolves. */
  async run(input: unknown, ctx: BridgeCallContext = {}): Promise<ToolResult> {
    const { id = `bridge_${this.name}`, meta } = ctx.call ?? {};
    const outcome = await this.invoke({ id, name: this.name, input, ...(meta ? { meta } : {}) }, ctx);
    // Every runner of ours gives the unfolded answer; one written to an older contract may not.
    return outcome.result ?? projectOutcome(outcome);
  }

  /** Calls the tool and gives the very outcome of its runner, with everything a result has no room for. Always resolves. */
  invoke(call: ToolCall, ctx: BridgeCallContext = {}): Promise<ToolOutcome> {
    return this.#runner.run({ ...call, name: this.name }, ctx.signal, ctx.caller);
  }
}

/** Every tool of a mounted box as a capability of the deck, in the box's order. */
export function bridgeBoxToCapabilities(box: ToolBox): BridgeCapability[] {
  return box.descriptors().map((descriptor) => new BridgeCapability(descriptor, box.runner));
}

/** A capability read back from a log: it shows what was mounted, and a call of it says why it cannot be called. */
export function replayedCapability(descriptor: ToolDescriptor, server: string): BridgeCapability {
  const message = `${descriptor.name} is only remembered from an earlier run: server "${server}" is not connected`;
  const run = async ({ id }: ToolCall): Promise<ToolOutcome> =>
    faultOutcome(id, message, { kind: "not_connected", retrySafe: true, server });
  return new BridgeCapability(descriptor, { run });
}

/** The answer of a runner that folds its results and keeps none. */
function projectOutcome({ output, isError }: ToolOutcome): ToolResult {
  const text = typeof output === "string" ? output : (JSON.stringify(output ?? undefined, null, 2) ?? "");
  return { ...textResult(text), ...(isError ? { isError } : {}) };
}
