import type { DefinedTool } from "../contract/index.ts";
import { lockFile } from "../file/file-locks.ts";
import { toolPath } from "../file/paths/tool-path.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { EditInput } from "./run-edit.ts";

/** `edit`: replaces a piece of text in a file. */
export function editTool(): DefinedTool {
  return defineNativeTool<EditInput>({
    name: "edit",
    description:
      "Replace a piece of text in a file. oldText must occur exactly once, unless replaceAll is true: " +
      "include enough of the lines around it. Small differences in white space are accepted if only one place matches.",
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The file, absolute or relative to the working folder.",
        },
        oldText: {
          type: "string",
          description: "The text to replace, exactly as in the file, without line numbers.",
        },
        newText: { type: "string", description: "The new text." },
        replaceAll: {
          type: "boolean",
          description: "Replace every occurrence of oldText. Default false.",
        },
      },
      required: ["path", "oldText", "newText"],
    },
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    // Join the queue before loading anything, so the calls of one turn keep their order.
    run: (input, ctx) =>
      lockFile(ctx.fs, toolPath(ctx, input.path), async () => {
        const { runEdit } = await import("./run-edit.ts");
        return runEdit(input, ctx);
      }),
  });
}
