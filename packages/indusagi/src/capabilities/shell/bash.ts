import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { BashInput } from "./run-bash.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

/** `bash`: runs a command line and returns its output and exit status. */
export function bashTool(): DefinedTool {
  return defineNativeTool<BashInput>({
    name: "bash",
    description:
      "Run a command line in a shell and return its stdout, stderr and exit status. Each call starts a new shell: " +
      "directory and variables do not carry over (use cwd). There is no terminal and standard input is empty. " +
      "When the command ends, everything it left running in the background is ended too: " +
      "use the process tool for servers, watchers and other long-running jobs.",
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line." },
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: "End the command after this many milliseconds. Default 120000, at most 600000.",
        },
        cwd: { type: "string", description: "Where to run it, absolute or relative to the working folder." },
      },
      required: ["command"],
    },
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run: async (input, ctx) => {
      const { runBash } = await import("./run-bash.ts");
      return runBash({ timeoutMs: DEFAULT_TIMEOUT_MS, ...input }, ctx);
    },
  });
}
