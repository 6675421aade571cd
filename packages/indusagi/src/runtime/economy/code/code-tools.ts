import { shortenText } from "../../../core/index.ts";
import type { JsonSchema, ToolDescriptor } from "../../../llm/index.ts";
import { RUN_CODE, TOOL_SEARCH } from "../own-tools.ts";

/** Limits the list of namespaces: every request to a model contains it. */
const MAX_NAMESPACES_TEXT = 1_600;

export const CODE_SEARCH_PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description:
        'What the functions should do: service, action and object, with other words for them, such as "linear create issue ticket bug"',
    },
    server: { type: "string", description: "Only functions of this server" },
    names: {
      type: "array",
      items: { type: "string" },
      description: 'Instead of a query: functions to declare in full, such as "files.readTextFile"',
    },
  },
};

export const CODE_SEARCH_TOOL: ToolDescriptor = Object.freeze({
  name: TOOL_SEARCH,
  description: `Finds functions for ${RUN_CODE} and returns their TypeScript declarations. Search before you write a program, and before you say that something cannot be done.`,
  parameters: CODE_SEARCH_PARAMETERS,
  annotations: { title: "Search functions", readOnlyHint: true, openWorldHint: false },
});

export const RUN_CODE_PARAMETERS: JsonSchema = {
  type: "object",
  properties: {
    code: {
      type: "string",
      description: "The body of an async function, in TypeScript or JavaScript",
    },
  },
  required: ["code"],
};

/** The tool that runs programs. It names the namespaces, because a model uses only what it expects to exist. */
export function runCodeTool(namespaces: readonly string[]): ToolDescriptor {
  const known =
    namespaces.length === 0 ? "" : ` Namespaces: ${shortenText(namespaces.join(", "), MAX_NAMESPACES_TEXT)}.`;
  return Object.freeze({
    name: RUN_CODE,
    description:
      "Runs a program and returns what it returns and prints with console.log. Each server is a namespace with a function for each " +
      "of its tools: `const text = await files.readTextFile({ path }); return text.length`. A call resolves with the tool's " +
      "structured result if it declares one, else with its text, else with its content blocks; a call that fails throws. Use " +
      "Promise.all for calls that do not depend on each other, and return only what you need: answers of calls stay in the " +
      `program. There are no files, network or modules besides these functions.${known}`,
    parameters: RUN_CODE_PARAMETERS,
    annotations: { title: "Run a program" },
  });
}
