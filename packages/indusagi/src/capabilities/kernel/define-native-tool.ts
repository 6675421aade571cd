import type { ToolAnnotations } from "../../llm/index.ts";
import { failureResult, type ToolResult } from "../../runtime/index.ts";
import { type NativeName, READ_ONLY_NAMES } from "../../runtime/internal.ts";
import type { DefinedTool, ToolContext, ToolSpec } from "../contract/index.ts";
import { FsError } from "../contract/index.ts";
import { defineTool } from "./define-tool.ts";
import { fitInput } from "./fit-input.ts";

/** A spec whose `run` gets arguments that are known to fit `parameters`. */
export interface NativeToolSpec<Input> extends Omit<ToolSpec, "run"> {
  readonly name: NativeName;
  /** `readOnlyHint` is set from the list of read-only names. */
  readonly annotations: Omit<ToolAnnotations, "readOnlyHint">;
  run(input: Input, ctx: ToolContext): Promise<ToolResult>;
}

/**
 * Makes one of our own tools. Arguments are coerced where the schema says so and otherwise checked:
 * what does not fit is an answer that names the field. A refusal of the file system is an answer, too.
 */
export function defineNativeTool<Input>(spec: NativeToolSpec<Input>): DefinedTool {
  return defineTool({
    ...spec,
    annotations: { readOnlyHint: READ_ONLY_NAMES.includes(spec.name), ...spec.annotations },
    run: async (raw, ctx) => {
      const fitted = fitInput(spec.parameters, raw);
      if (!fitted.ok) return failureResult(`${spec.name}: ${fitted.problem}`);
      try {
        return await spec.run(fitted.value as Input, ctx);
      } catch (thrown) {
        if (thrown instanceof FsError) return failureResult(`${spec.name}: ${thrown.message}`);
        throw thrown;
      }
    },
  });
}
