import { contentHash, isRecord, shortenText } from "../../../core/index.ts";
import { projectSchema, type ToolDescriptor } from "../../../llm/index.ts";
import { docText, schemaType } from "../../../llm/internal.ts";
import type { ToolApi } from "./tool-api.ts";

/** The declarations of tools in one answer, about 2,500 tokens. */
const MAX_CHARS = 10_000;
/** Of one tool. A longer one is shown without the comments of its arguments, then without its types. */
const MAX_TOOL_CHARS = 2_000;
const MAX_DOC = 400;
const MAX_WHOLE_DOC = 4_000;
const NO_TYPE = "unknown";

export interface Declarations {
  readonly text: string;
  /** The tools that did not fit. */
  readonly others: readonly ToolDescriptor[];
}

/** The tools as TypeScript declarations, in order, as far as they fit. `isWhole`: with all of their descriptions. */
export function declareTools(
  tools: readonly ToolDescriptor[],
  api: ToolApi,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Declarations {
  const groups: { readonly namespace: string; readonly lines: string[] }[] = [];
  const others: ToolDescriptor[] = [];
  let left = MAX_CHARS;
  for (const tool of tools) {
    const name = api.nameOf(tool);
    if (!name) continue;
    const lines = declarationOf(tool, isWhole).replace(NAME_MARK, name.name);
    if (lines.length > left && left < MAX_CHARS) {
      others.push(tool);
      continue;
    }
    left -= lines.length;
    const group = groups.at(-1);
    if (group?.namespace === name.namespace) group.lines.push(lines);
    else groups.push({ namespace: name.namespace, lines: [lines] });
  }
  const text = groups.map(
    ({ namespace, lines }) => `declare namespace ${namespace} {\n${lines.join("\n")}\n}`,
  );
  return { text: text.join("\n"), others };
}

/** In place of the name, which depends on the other tools of the server. */
const NAME_MARK = "\0";

const MAX_KEPT = 4_000;
const byTool = new WeakMap<ToolDescriptor, string>();
const byFingerprint = new Map<string, string>();

/** Made once for each form of a tool: a gateway lists the same tool in several boxes. */
function declarationOf(tool: ToolDescriptor, isWhole: boolean): string {
  if (isWhole) return declare(tool, MAX_WHOLE_DOC);
  const known = byTool.get(tool);
  if (known !== undefined) return known;
  const { description, parameters, outputSchema, annotations } = tool;
  const fingerprint = contentHash([
    description,
    parameters,
    outputSchema ?? null,
    annotations?.destructiveHint ?? null,
    annotations?.readOnlyHint ?? null,
  ]);
  const declared = byFingerprint.get(fingerprint) ?? declare(tool, MAX_DOC);
  byFingerprint.set(fingerprint, declared);
  for (const oldest of byFingerprint.keys()) {
    if (byFingerprint.size <= MAX_KEPT) break;
    byFingerprint.delete(oldest);
  }
  byTool.set(tool, declared);
  return declared;
}

function declare(tool: ToolDescriptor, maxDoc: number): string {
  const { description, parameters, annotations } = tool;
  const note = annotations?.destructiveHint ? " [may destroy something]" : "";
  const doc = docText(
    `${shortenText(description, maxDoc) || "(no description)"}${note}`,
    maxDoc + note.length,
  );
  const schema = outputOf(tool);
  const output = isRecord(schema) ? projectSchema(schema, "portable").schema : undefined;
  const written = (withNotes: boolean): string => {
    const isBare = Object.keys((parameters["properties"] as object | undefined) ?? {}).length === 0;
    const required = parameters["required"];
    const mark = Array.isArray(required) && required.length > 0 ? "" : "?";
    const args = isBare ? "args?: {}" : `args${mark}: ${schemaType(parameters, { withNotes })}`;
    const result = output === undefined ? NO_TYPE : schemaType(output, { withNotes });
    return `  /** ${doc} */\n  function ${NAME_MARK}(${args}): Promise<${result}>;`;
  };
  const most = maxDoc === MAX_WHOLE_DOC ? MAX_CHARS : MAX_TOOL_CHARS;
  const fitting = [written(true), written(false)].find((text) => text.length <= most);
  return (
    fitting ??
    `  /** ${doc} (Its types are too long to be shown.) */\n  function ${NAME_MARK}(args: Record<string, unknown>): Promise<unknown>;`
  );
}

/** The schema of a tool's structured content. */
export function outputOf({ outputSchema, definition }: ToolDescriptor): unknown {
  return outputSchema ?? definition?.["outputSchema"];
}
