import type { RemoteTool } from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";

/**
 * The newer listing, with every tool that is defined as before in its old object, so that whoever holds a descriptor still
 * holds the right one. When nothing differs at all, the older listing itself.
 */
export function mergeListing(
  before: readonly RemoteTool[],
  after: readonly RemoteTool[],
): readonly RemoteTool[] {
  const known = new Map(before.map((tool) => [tool.ref.name, tool]));
  const merged = after.map((tool) => {
    const old = known.get(tool.ref.name);
    return old && isSameDefinition(old.definition, tool.definition) ? old : tool;
  });
  const isUnchanged = merged.length === before.length && merged.every((tool, at) => tool === before[at]);
  return isUnchanged ? before : merged;
}
