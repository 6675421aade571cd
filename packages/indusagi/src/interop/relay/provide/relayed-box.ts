import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import {
  type Caller,
  createTableBox,
  foldContent,
  type Suspension,
  type TableTool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
} from "../../../runtime/index.ts";
import { fromMcpResult } from "../../content/index.ts";
import {
  type Renaming,
  renameInItem,
  renameInQuestions,
  renameInResult,
  renameTexts,
} from "../names/rename-uris.ts";
import { type ResourceNames, restoredText } from "../names/resource-names.ts";
import { askedWithShownUris } from "../names/shown-questions.ts";

/**
 * The tools of servers with the URIs in their definitions and results named as clients read them. Remembers which resources
 * each client is given, because they may be in no list.
 */
export function relayedBox(box: ToolBox, names: ResourceNames): ToolBox {
  const entries = new WeakMap<ToolDescriptor, TableTool>();
  const entryOf = (tool: ToolDescriptor): TableTool => {
    const { definition, origin } = tool;
    const shown = definition && origin ? renameInItem(definition, names.inLists(origin.server)) : definition;
    const known = entries.get(tool);
    // The object is the tool's version.
    if (known && known.descriptor.definition === shown) return known;
    const descriptor = shown === definition ? tool : { ...tool, ...(shown && { definition: shown }) };
    const entry: TableTool = {
      descriptor,
      run: async (call, signal, caller) => {
        if (!origin) return box.runner.run(call, signal, caller);
        const asked = caller && askedWithShownUris(caller, names, origin.server);
        const outcome = await box.runner.run(restored(call, origin.server), signal, asked);
        return renamed(outcome, names, origin.server, caller);
      },
    };
    entries.set(tool, entry);
    return entry;
  };
  const tools = (): TableTool[] => box.descriptors().map(entryOf);
  const table = createTableBox(tools(), { refusalOf: box.refusalOf });
  box.onChange(({ changed }) => {
    // A changed tool may keep its descriptor.
    for (const tool of changed) entries.delete(tool);
    table.replace(tools());
  });
  names.onClash(() => queueMicrotask(() => table.replace(tools())));
  return table.box;
}

function restored(call: ToolCall, server: string): ToolCall {
  if (!call.meta) return call;
  const meta = renameTexts(call.meta, (text) => restoredText(server, text));
  return meta === call.meta ? call : { ...call, meta };
}

function renamed(
  outcome: ToolOutcome,
  names: ResourceNames,
  server: string,
  caller: Caller | undefined,
): ToolOutcome {
  if (outcome.suspended)
    return withShownQuestions(outcome, outcome.suspended, names.inResults(server, caller));
  if (outcome.fault) return outcome;
  const raw = outcome.wire?.value();
  if (!isRecord(raw)) return outcome;
  const value = renameInResult(raw, names.inResults(server, caller));
  if (value === raw) return outcome;
  const { content, structuredContent, _meta: meta } = value;
  const result = fromMcpResult({
    content: Array.isArray(content) ? content : [],
    isError: outcome.isError,
    raw: value,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isRecord(meta) ? { meta } : {}),
  });
  const output = foldContent(result.content);
  return { id: outcome.id, output, isError: outcome.isError, result, wire: { value: () => value } };
}

/** A suspended call has its questions in its outcome. */
function withShownQuestions(outcome: ToolOutcome, suspended: Suspension, renaming: Renaming): ToolOutcome {
  const requests = renameInQuestions(suspended.requests, renaming);
  return requests === suspended.requests ? outcome : { ...outcome, suspended: { ...suspended, requests } };
}
