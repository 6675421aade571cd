import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createTableBox, type TableBox, type TableTool, textResult } from "indusagi/runtime";

/** A tool of a server, with what a test says about it. */
export function tool(server: string, name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor {
  return {
    name: `${server}__${name}`,
    description: "",
    parameters: { type: "object" },
    origin: { server, tool: name },
    ...more,
  };
}

/** A box whose tools answer with their name and their arguments. */
export function boxOf(tools: readonly ToolDescriptor[]): TableBox {
  return createTableBox(tools.map(entryOf));
}

const entries = new WeakMap<ToolDescriptor, TableTool>();

export function entryOf(descriptor: ToolDescriptor): TableTool {
  const known = entries.get(descriptor);
  const entry: TableTool = known ?? {
    descriptor,
    run: async ({ id, name, input }) => answeredOutcome(id, textResult(`${name} ${JSON.stringify(input)}`)),
  };
  entries.set(descriptor, entry);
  return entry;
}

const VERBS = ["create", "list", "update", "delete", "archive", "copy", "share", "rename", "export", "lock"];
const NOUNS = [
  "invoice",
  "ticket",
  "folder",
  "contact",
  "calendar",
  "photo",
  "playlist",
  "vehicle",
  "recipe",
  "meeting",
];
const SERVICES = [
  "acme",
  "borealis",
  "cumulus",
  "delphi",
  "everest",
  "fjord",
  "granite",
  "harbor",
  "indigo",
  "juniper",
];

/** 1,000 tools of ten servers, each with a description and parameters of the usual length. */
export function thousandTools(): ToolDescriptor[] {
  return SERVICES.flatMap((server) =>
    NOUNS.flatMap((noun) =>
      VERBS.map((verb) =>
        tool(server, `${verb}_${noun}`, {
          description: `${verb} one ${noun} of your account. ${"Needs the right to do so. ".repeat(8)}`,
          parameters: {
            type: "object",
            properties: {
              [`${noun}_id`]: { type: "string", description: `Which ${noun}` },
              note: { type: "string" },
            },
            required: [`${noun}_id`],
          },
        }),
      ),
    ),
  );
}
