import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { LsInput } from "./run-ls.ts";

/** `ls`: lists a folder. */
export function lsTool(): DefinedTool {
  return defineNativeTool<LsInput>({
    name: "ls",
    description:
      "List a folder: folders first, then files with their sizes. Hidden names are listed only with showHidden.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "The folder. Default: the working folder." },
        showHidden: { type: "boolean", description: "Also list names that start with a dot. Default false." },
      },
    },
    annotations: { openWorldHint: false },
    run: async (input, ctx) => {
      const { runLs } = await import("./run-ls.ts");
      return runLs(input, ctx);
    },
  });
}
