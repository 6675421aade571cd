import { describeError, untilAborted } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { ToolDescriptor } from "../../llm/index.ts";
import {
  abortedOutcome,
  answeredOutcome,
  failureResult,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
} from "../../runtime/index.ts";
import { takeArguments } from "../../runtime/internal.ts";
import type { DefinedTool, ToolContext, ToolSpec } from "../contract/index.ts";
import { clamp } from "./budget.ts";
import { abortSignalOf } from "./call-context.ts";

/** Makes a tool from a spec. It has one frozen descriptor, coerces its arguments and never throws. */
export function defineTool(spec: ToolSpec): DefinedTool {
  const descriptor = describe(spec);

  const invoke = async (call: ToolCall, ctx: ToolContext): Promise<ToolOutcome> => {
    const signal = abortSignalOf(ctx);
    if (signal?.aborted) return abortedOutcome(call.id, spec.name, false);
    try {
      const running = spec.run(takeArguments(call, spec.parameters), ctx);
      const result = running instanceof Promise ? await untilAborted(running, signal) : running;
      return answeredOutcome(call.id, result);
    } catch (thrown) {
      if (signal?.aborted) return abortedOutcome(call.id, spec.name, true);
      return answeredOutcome(call.id, failureResult(`${spec.name} failed: ${shortReason(thrown)}`));
    }
  };

  return {
    name: spec.name,
    description: spec.description,
    parameters: spec.parameters,
    descriptor: () => descriptor,
    invoke,
    execute: async (input, ctx): Promise<ToolResult> => (await invoke({ ...ctx.call, input }, ctx)).result,
  };
}

/** Some error messages repeat the whole input: keep both ends. */
function shortReason(thrown: unknown): string {
  return clamp(describeError(thrown), {
    kind: "middle",
    maxBytes: 800,
    notice: (omitted) => ` [... ${omitted} bytes omitted ...] `,
  });
}

function describe(spec: ToolSpec): ToolDescriptor {
  const { name, description, parameters, title, annotations, outputSchema } = spec;
  return Object.freeze(definedMembers({ name, description, parameters, title, annotations, outputSchema }));
}
