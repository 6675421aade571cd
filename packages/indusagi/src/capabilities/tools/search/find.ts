import type { DefinedTool } from "../../contract/index.ts";
import { defineNativeTool } from "../../kernel/index.ts";
import type { FindInput } from "./run-find.ts";

export interface FindToolOptions {
  /** A search that takes longer is given up, which is an error. Default 30 s. */
  readonly deadlineMs?: number;
}

const CAP = 500;

/** `find`: which files and folders have a name. */
export function findTool(options: FindToolOptions = {}): DefinedTool {
  return defineNativeTool<FindInput>({
    name: "find",
    description:
      "Find files and folders by name, whatever its case. Answers paths relative to the folder searched, sorted, " +
      `at most ${CAP}; folders end in a slash. Leaves out .git, node_modules and what .gitignore excludes.`,
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          description:
            "A part of the name; or, with * or ?, a glob for the whole name (*.ts), or for the whole path if it has a slash (src/**/*.ts).",
        },
        path: {
          type: "string",
          minLength: 1,
          description: "The folder to search. Default: the working folder.",
        },
        type: {
          type: "string",
          enum: ["file", "dir"],
          description: "Only regular files, or only folders. Default: everything.",
        },
      },
      required: ["query"],
    },
    annotations: { openWorldHint: false },
    run: async (input, ctx) => {
      // Threads are loaded when somebody searches, not when somebody lists the tools.
      const { runFind } = await import("./run-find.ts");
      return runFind(ctx, { ...input, cap: CAP, deadlineMs: options.deadlineMs ?? 30_000 });
    },
  });
}
