import { TimeSlices } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { descriptorKey } from "../ledger/index.ts";
import { bodyId } from "../ledger-log/internal.ts";

/**
 * Computes and caches the hashes that a ledger and its log need, yielding to other work: a thousand tools take as long as
 * starting a server.
 */
export async function prepareTools(tools: readonly ToolDescriptor[]): Promise<void> {
  const slices = new TimeSlices();
  for (const tool of tools) {
    try {
      descriptorKey(tool);
      bodyId(tool);
    } catch {
      // Nested too deeply to hash. The ledger handles that.
    }
    await slices.pause();
  }
}
