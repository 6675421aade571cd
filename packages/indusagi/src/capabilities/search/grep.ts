import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { GrepInput } from "./run-grep.ts";

export interface GrepToolOptions {
  /** A search that takes longer fails. Default 30 s. */
  readonly deadlineMs?: number;
  /** The ripgrep to use; false for none. Default: the one of the optional package, else the one on the PATH. */
  readonly ripgrepPath?: string | false;
}

const DEFAULT_CAP = 200;
const MAX_CAP = 5000;

/** `grep`: finds lines that match a pattern. */
export function grepTool(options: GrepToolOptions = {}): DefinedTool {
  return defineNativeTool<GrepInput>({
    name: "grep",
    description:
      "Search file contents, line by line, with a regular expression. Returns `path:line: text`, sorted by path. " +
      "Skips .git, node_modules, what .gitignore excludes, binary files and files over 2 MiB.",
    parameters: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          minLength: 1,
          description: "A regular expression, or plain text with flag F.",
        },
        path: {
          type: "string",
          minLength: 1,
          description: "The folder or file to search. Default: the working folder.",
        },
        flags: {
          type: "string",
          description:
            'Letters, e.g. "iw": i = ignore case, F = the pattern is plain text, w = whole words only.',
        },
        cap: {
          type: "integer",
          minimum: 1,
          description: `The number of hits to show. Default ${DEFAULT_CAP}, at most ${MAX_CAP}.`,
        },
      },
      required: ["pattern"],
    },
    annotations: { openWorldHint: false },
    run: async (input, ctx) => {
      // Worker threads and child processes are loaded with the first search, not when the tools are listed.
      const { runGrep } = await import("./run-grep.ts");
      const { deadlineMs = 30_000, ripgrepPath } = options;
      const cap = Math.min(input.cap ?? DEFAULT_CAP, MAX_CAP);
      return runGrep(ctx, { ...input, cap, deadlineMs, ripgrepPath });
    },
  });
}
