import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { FindInput } from "./run-find.ts";

export interface FindToolOptions {
  /** A search that takes longer fails. Default 30 s. */
  readonly deadlineMs?: number;
}

const CAP = 500;

/** `find`: finds files and folders by name. */
export function findTool(options: FindToolOptions = {}): DefinedTool {
  return defineNativeTool<FindInput>({
    name: "find",
    description:
      "Find files and folders by name, ignoring case. Returns sorted paths relative to the searched folder, " +
      `at most ${CAP}; folders end in a slash. Skips .git, node_modules and what .gitignore excludes.`,
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          minLength: 1,
          description:
            "A part of the name; with * or ?, a glob for the whole name (*.ts), or for the whole path if it has a slash (src/**/*.ts).",
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
      // Worker threads are loaded with the first search, not when the tools are listed.
      const { runFind } = await import("./run-find.ts");
      return runFind(ctx, { ...input, cap: CAP, deadlineMs: options.deadlineMs ?? 30_000 });
    },
  });
}
