import { isRecord } from "../../../core/internal.ts";
import {
  type Caller,
  foldContent,
  layerBox,
  type Suspension,
  type Tool,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
} from "../../../runtime/index.ts";
import { fromMcpResult } from "../../content/index.ts";
import {
  mayNameUrisIn,
  type Renaming,
  renameInItem,
  renameInQuestions,
  renameInResult,
  renameTexts,
} from "../names/rename-uris.ts";
import { askedWithShownUris, type ResourceNames } from "../names/resource-names.ts";

/**
 * The tools of servers, with the URIs in their definitions and results as clients read them. Remembers which resources each
 * client gets, because they may be in no list.
 */
export function relayedBox(box: ToolBox, names: ResourceNames): ToolBox {
  const shownAs = new WeakMap<Tool, Tool>();
  const shown = (tool: Tool): Tool => {
    const { definition, origin } = tool.descriptor;
    if (!origin) return tool;
    const renamed = definition && renameInItem(definition, names.inLists(origin.server));
    const known = shownAs.get(tool);
    if (known && known.descriptor.definition === renamed) return known;
    const isSame = !renamed || renamed === definition;
    const descriptor = isSame ? tool.descriptor : { ...tool.descriptor, definition: renamed };
    const next: Tool = { descriptor, run: relayedRun(tool, origin.server, names) };
    shownAs.set(tool, next);
    return next;
  };
  return layerBox(box, {
    list: (tools) => tools.map(shown),
    onListChange: (listener) => names.onClash(() => queueMicrotask(listener)),
  });
}

function relayedRun({ run }: Tool, server: string, names: ResourceNames): Tool["run"] {
  return (call, signal, caller) => {
    const asked = caller && askedWithShownUris(caller, names, server);
    return run(restored(call, server, names), signal, asked).then((outcome) =>
      renamedOutcome(outcome, names, server, caller),
    );
  };
}

function restored(call: ToolCall, server: string, names: ResourceNames): ToolCall {
  if (!call.meta) return call;
  const meta = renameTexts(call.meta, (text) => names.restored(server, text));
  return meta === call.meta ? call : { ...call, meta };
}

function renamedOutcome(
  outcome: ToolOutcome,
  names: ResourceNames,
  server: string,
  caller: Caller | undefined,
): ToolOutcome {
  if (outcome.suspended)
    return withShownQuestions(outcome, outcome.suspended, names.inResults(server, caller));
  // The result of a task comes later.
  if (outcome.fault || outcome.task) return outcome;
  // A large result is parsed only if there may be something to rename.
  if (outcome.wire?.outline && !mayNameUrisIn(outcome.wire.outline)) return outcome;
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
