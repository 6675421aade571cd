import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { ReadInput } from "./run-read.ts";

const DEFAULT_LINES = 2000;

/** `read`: a window of a text file with line numbers, or an image. */
export function readTool(): DefinedTool {
  return defineNativeTool<ReadInput>({
    name: "read",
    description:
      "Read a text file, with line numbers, or look at an image (PNG, JPEG, GIF, WebP). " +
      `Returns up to ${DEFAULT_LINES} lines from the start, or the part that offset and limit select; ` +
      "the first line of the answer gives the part shown and how to continue.",
    parameters: {
      type: "object",
      properties: {
        path: {
          type: "string",
          minLength: 1,
          description: "The file, absolute or relative to the working folder.",
        },
        offset: { type: "integer", minimum: 1, description: "The first line to show, counted from 1." },
        limit: {
          type: "integer",
          minimum: 1,
          description: `How many lines to show. Default ${DEFAULT_LINES}.`,
        },
      },
      required: ["path"],
    },
    annotations: { openWorldHint: false },
    run: async (input, ctx) => {
      const { runRead } = await import("./run-read.ts");
      return runRead({ limit: DEFAULT_LINES, ...input }, ctx);
    },
  });
}
