import { cutText } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import { firstSentence } from "./first-sentence.ts";

/** The texts a tool is found by, one for each field of the index. */
export interface ToolText {
  readonly name: string;
  readonly title: string;
  /** The first sentence of the description. */
  readonly purpose: string;
  readonly description: string;
  /** The names of the parameters. */
  readonly parameters: string;
  /** What the parameters say about themselves. */
  readonly notes: string;
  readonly server: string;
}

/** Long texts are repetitive, and each word costs time. */
const MAX_DESCRIPTION = 800;
const MAX_NOTES = 600;
/** Nested objects are rarely what a tool is about. */
const MAX_DEPTH = 2;

export function toolText(tool: ToolDescriptor): ToolText {
  const purpose = firstSentence(cutText(tool.description, MAX_DESCRIPTION));
  const found: Found = { names: [], notes: [] };
  collect(tool.parameters, found, 0);
  return {
    // In calls, a server's tool has its server as a prefix, which is a separate field here.
    name: tool.origin?.tool ?? tool.name,
    title: tool.title ?? tool.annotations?.title ?? "",
    purpose,
    description: cutText(tool.description.trim(), MAX_DESCRIPTION).slice(purpose.length),
    parameters: found.names.join(" "),
    notes: cutText(found.notes.join(" "), MAX_NOTES),
    server: tool.origin?.server ?? "",
  };
}

interface Found {
  readonly names: string[];
  readonly notes: string[];
}

function collect(schema: unknown, found: Found, depth: number): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  const { properties, items, enum: values } = schema;
  if (typeof schema["description"] === "string" && depth > 0) found.notes.push(schema["description"]);
  if (Array.isArray(values)) found.notes.push(values.filter((value) => typeof value === "string").join(" "));
  if (isRecord(properties))
    for (const [name, member] of Object.entries(properties)) {
      found.names.push(name);
      collect(member, found, depth + 1);
    }
  collect(items, found, depth);
}
