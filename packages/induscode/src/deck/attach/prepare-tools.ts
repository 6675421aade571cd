import { TimeSlices } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { descriptorKey } from "../ledger/index.ts";
import { bodyId } from "../ledger-log/internal.ts";

/**
 * Computes the hashes that a ledger and its log need of each tool, with other work in between: those of a thousand tools take
 * as long as the start of a server. What follows uses them.
 */
export async function prepareTools(tools: readonly ToolDescriptor[]): Promise<void> {
  const slices = new TimeSlices();
  for (const tool of tools) {
    try {
      descriptorKey(tool);
      bodyId(tool);
    } catch {
      // It is nested too deeply to have one. The ledger decides what that means.
    }
    await slices.pause();
  }
}
