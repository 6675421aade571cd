import { explainMismatch } from "../../llm/arguments/index.ts";
import type { ToolAnnotations } from "../../llm/index.ts";
import { failureResult, type ToolResult } from "../../runtime/index.ts";
import { type NativeName, READ_ONLY_NAMES } from "../../runtime/internal.ts";
import type { DefinedTool, ToolContext, ToolSpec } from "../contract/index.ts";
import { FsError } from "../contract/index.ts";
import { defineTool } from "./define-tool.ts";

/** A spec whose `run` gets arguments that fit `parameters`. */
export interface NativeToolSpec<Input> extends Omit<ToolSpec, "run"> {
  readonly name: NativeName;
  /** `readOnlyHint` is set from the list of read-only names. */
  readonly annotations: Omit<ToolAnnotations, "readOnlyHint">;
  run(input: Input, ctx: ToolContext): Promise<ToolResult>;
}

/**
 * Makes one of our own tools. Arguments that do not fit the schema, and refusals of the file system, are error results
 * that name the field or the path.
 */
export function defineNativeTool<Input>(spec: NativeToolSpec<Input>): DefinedTool {
  return defineTool({
    ...spec,
    annotations: { readOnlyHint: READ_ONLY_NAMES.includes(spec.name), ...spec.annotations },
    run: async (input, ctx) => {
      const mismatch = explainMismatch(spec.parameters, input);
      if (mismatch !== undefined) return failureResult(`${spec.name}: ${mismatch}`);
      try {
        return await spec.run(input as Input, ctx);
      } catch (thrown) {
        if (thrown instanceof FsError) return failureResult(`${spec.name}: ${thrown.message}`);
        throw thrown;
      }
    },
  });
}
