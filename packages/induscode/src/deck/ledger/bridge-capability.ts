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

/** The part of a tool's context that a remote tool uses. */
export type BridgeCallContext = Partial<Pick<ToolContext, "call" | "caller" | "signal">>;

/** One mounted tool in the deck: its descriptor, and the runner of the box it came from. */
export class BridgeCapability {
  readonly descriptor: ToolDescriptor;
  /** False: a remote tool's own claim to be read-only counts only after its server was approved. */
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

  /** Also the wire name: it is unique and shows the server. */
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
    const { id = `bridge_${this.name}`, meta } = ctx.call ?? {};
    const outcome = await this.invoke({ id, name: this.name, input, ...(meta ? { meta } : {}) }, ctx);
    // Our runners always set `result`; a runner written for an older contract may not.
    return outcome.result ?? projectOutcome(outcome);
  }

  /** Calls the tool and returns the outcome of its runner unchanged: also fault, suspension and wire form. Never rejects. */
  invoke(call: ToolCall, ctx: BridgeCallContext = {}): Promise<ToolOutcome> {
    return this.#runner.run({ ...call, name: this.name }, ctx.signal, ctx.caller);
  }
}

/** The tools of a mounted box as capabilities of the deck, in the order of the box. */
export function bridgeBoxToCapabilities(box: ToolBox): BridgeCapability[] {
  return box.descriptors().map((descriptor) => new BridgeCapability(descriptor, box.runner));
}

/** A capability read from a log. It shows which tool was mounted; a call fails with the reason. */
export function replayedCapability(descriptor: ToolDescriptor, server: string): BridgeCapability {
  const message = `${descriptor.name} is known only from an earlier run: server "${server}" is not connected`;
  const run = async ({ id }: ToolCall): Promise<ToolOutcome> =>
    faultOutcome(id, message, { kind: "not_connected", retrySafe: true, server });
  return new BridgeCapability(descriptor, { run });
}

/** The result for an outcome without one. */
function projectOutcome({ output, isError }: ToolOutcome): ToolResult {
  const text = typeof output === "string" ? output : (JSON.stringify(output ?? undefined, null, 2) ?? "");
  return { ...textResult(text), ...(isError ? { isError } : {}) };
}
