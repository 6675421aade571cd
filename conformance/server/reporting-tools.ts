import { setTimeout as sleep } from "node:timers/promises";
import { textResult } from "indusagi/runtime";
import type { FixtureTool } from "./fixture-tool.ts";

/** How long `test_reconnection` runs: long enough for the listener to let go of its stream. */
export const RECONNECTION_MS = 1_500;

/** Tools that say something while they run, or take their time. */
export const reportingTools: readonly FixtureTool[] = [
  {
    name: "test_tool_with_logging",
    description: "Logs three times while it runs",
    run: async ({ caller, signal }) => {
      caller.log?.({ level: "info", data: "Tool execution started" });
      await sleep(50, undefined, { signal });
      caller.log?.({ level: "info", data: "Tool processing data" });
      await sleep(50, undefined, { signal });
      caller.log?.({ level: "info", data: "Tool execution completed" });
      return textResult("logged three times");
    },
  },
  {
    name: "test_logging_tool",
    description: "Logs once",
    run: ({ caller }) => {
      caller.log?.({ level: "info", logger: "fixture", data: "one line" });
      return textResult("logged");
    },
  },
  {
    name: "test_tool_with_progress",
    description: "Reports progress three times while it runs",
    run: async ({ caller, signal }) => {
      for (const progress of [0, 50, 100]) {
        caller.progress?.({ progress, total: 100, message: `Completed step ${progress} of 100` });
        await sleep(50, undefined, { signal });
      }
      return textResult("reported three times");
    },
  },
  {
    name: "test_reconnection",
    description: "Runs so long that its stream is closed before it answers",
    run: async ({ signal }) => {
      await sleep(RECONNECTION_MS, undefined, { signal });
      return textResult("Reconnection test completed successfully");
    },
  },
];
