import type { ToolDescriptor } from "../contract/index.ts";
import { membersText } from "./type-text.ts";

/**
 * A tool as a typed function: `add(text: string, tags?: string[])`. The text contains names of a server, so escape it
 * before a terminal shows it.
 */
export function toolSignature({ name, parameters }: Pick<ToolDescriptor, "name" | "parameters">): string {
  return `${name}(${membersText(parameters, 0)})`;
}
