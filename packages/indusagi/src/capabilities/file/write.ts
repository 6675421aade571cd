import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import { lockFile } from "./file-locks.ts";
import { toolPath } from "./paths/tool-path.ts";
import type { WriteInput } from "./run-write.ts";

/** `write`: creates a file or replaces its whole content. */
export function writeTool(): DefinedTool {
  return defineNativeTool<WriteInput>({
    name: "write",
    description:
      "Create a file, or replace the whole content of one. Missing folders are created. " +
      "An existing file keeps its mode, encoding and line endings. To change a part of a file, use edit.",
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The file, absolute or relative to the working folder.",
        },
        content: { type: "string", description: "The whole new content." },
      },
      required: ["path", "content"],
    },
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    // Join the queue before loading anything, so the calls of one turn keep their order.
    run: (input, ctx) =>
      lockFile(ctx.fs, toolPath(ctx, input.path), async (realPath) => {
        const { runWrite } = await import("./run-write.ts");
        return runWrite(input, realPath, ctx);
      }),
  });
}
