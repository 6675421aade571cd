import type { DefinedTool } from "../../contract/index.ts";
import { defineNativeTool } from "../../kernel/index.ts";
import { lockFile } from "../file/file-locks.ts";
import { toolPath } from "../file/paths/tool-path.ts";
import type { EditInput } from "./run-edit.ts";

/** `edit`: replaces one piece of text in a file by another. */
export function editTool(): DefinedTool {
  return defineNativeTool<EditInput>({
    name: "edit",
    description:
      "Replace a piece of text in a file. oldText must stand in the file exactly once, unless replaceAll is true: " +
      "give enough of the lines around it. Small differences in white space are forgiven when only one place can be meant.",
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
          description: "The text to replace, as it stands in the file, without line numbers.",
        },
        newText: { type: "string", description: "The text to put in its place." },
        replaceAll: {
          type: "boolean",
          description: "Replace every place where oldText stands. Default false.",
        },
      },
      required: ["path", "oldText", "newText"],
    },
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    // Its place in the queue comes first, before anything is loaded: calls of one turn keep their order.
    run: (input, ctx) =>
      lockFile(ctx.fs, toolPath(ctx, input.path), async () => {
        const { runEdit } = await import("./run-edit.ts");
        return runEdit(input, ctx);
      }),
  });
}
