import type { ToolDescriptor } from "../contract/index.ts";
import { membersText } from "./type-text.ts";

/**
 * A tool as a typed function: `add(text: string, tags?: string[])`. Contains names from a server: escape it before
 * showing it on a terminal.
 */
export function toolSignature({ name, parameters }: Pick<ToolDescriptor, "name" | "parameters">): string {
  return `${name}(${membersText(parameters, 0)})`;
}
