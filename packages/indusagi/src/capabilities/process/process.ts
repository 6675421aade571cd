import type { DefinedTool } from "../contract/index.ts";
import { defineNativeTool } from "../kernel/index.ts";
import type { ProcessInput } from "./run-process.ts";

export interface ProcessToolOptions {
  /** How long `start` waits for a command that fails at once, e.g. because of a typo. Default 150 ms. */
  readonly settleMs?: number;
}

/** `process`: runs commands in the background of a session. */
export function processTool({ settleMs = 150 }: ProcessToolOptions = {}): DefinedTool {
  return defineNativeTool<ProcessInput>({
    name: "process",
    description:
      "Run commands in the background of this session, such as servers and watchers. " +
      "start (command) returns an id; poll (id) shows the job's status and its output since the last poll; " +
      "stop (id) ends it with everything it started; list shows all jobs. Do not end the command with &. " +
      "All jobs end with the session.",
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
