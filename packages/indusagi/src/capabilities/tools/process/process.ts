import type { DefinedTool } from "../../contract/index.ts";
import { defineNativeTool } from "../../kernel/index.ts";
import type { ProcessInput } from "./run-process.ts";

export interface ProcessToolOptions {
  /** How long a start waits for a command that ends at once, e.g. with a typing error. Default 150 ms. */
  readonly settleMs?: number;
}

/** `process`: commands that go on while the conversation does. */
export function processTool({ settleMs = 150 }: ProcessToolOptions = {}): DefinedTool {
  return defineNativeTool<ProcessInput>({
    name: "process",
    description:
      "Run commands in the background of this session, such as servers and watchers. " +
      "start (command) gives an id; poll (id) shows how the job stands and what it said since the last poll; " +
      "stop (id) ends it with everything it started; list shows all jobs. Do not end the command with &. " +
      "All jobs are ended with the session.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["start", "list", "poll", "stop"] },
        command: { type: "string", minLength: 1, description: "The command line, for start." },
        id: { type: "string", minLength: 1, description: "The job, such as job-1, for poll and stop." },
      },
      required: ["action"],
    },
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: true },
    run: async (input, ctx) => {
      const { runProcess } = await import("./run-process.ts");
      return runProcess(input, ctx, settleMs);
    },
  });
}
