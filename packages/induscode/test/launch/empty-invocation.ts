import type { Invocation } from "../../src/launch/index.ts";

/** What a line without flags and words asks for. */
export const EMPTY_INVOCATION: Invocation = {
  print: false,
  json: false,
  interactive: false,
  listModels: false,
  continue: false,
  tools: [],
  noTools: false,
  mcp: [],
  help: false,
  version: false,
  attachments: [],
};
