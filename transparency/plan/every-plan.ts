import { call } from "./calls.ts";
import { ask, HELLO, list, PROMPTS, prompt, RESOURCES, read, TEMPLATES, TOOLS } from "./requests.ts";
import type { Step } from "./step.ts";

/** The beginning of every plan: what the server tells about itself, and its tools. */
export const HELLO_AND_TOOLS: readonly Step[] = [...HELLO, list(TOOLS)];

/** The beginning for a server that has more than tools. */
export const HELLO_AND_LISTS: readonly Step[] = [
  ...HELLO_AND_TOOLS,
  list(RESOURCES),
  list(TEMPLATES),
  list(PROMPTS),
];

/** The end for a server that has more than tools: requests for what it does not have. */
export function missing(uri: string): readonly Step[] {
  return [prompt("no-such-prompt", {}, "errors"), read(uri, "errors"), ...MISSING_TOOL];
}

/** The end for a server that has tools only. */
export const MISSING_TOOL: readonly Step[] = [
  call("no-such-tool", {}, { feature: "errors" }),
  ask("unknown method", "errors", "no/such/method"),
];
