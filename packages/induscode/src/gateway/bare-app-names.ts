import { appPagesOf, isNamedForApps } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { faultOutcome, layerBox, type ToolBox } from "indusagi/runtime";

/**
 * Accepts a tool under the name that it has on its server, because the page of an app has that name compiled in. Only if one server
 * has it, has a page, and its definition names apps as callers; never a name of our own. The call then runs under the full name, so
 * rules, pins and records concern the real tool.
 */
export function acceptBareAppNames(box: ToolBox, isOurs: (name: string) => boolean): ToolBox {
  return layerBox(box, {
    missing: (next) => async (call, signal, caller) => {
      const tools = isOurs(call.name) ? [] : toolsForApps(box.descriptors(), call.name);
      const [only, another] = tools;
      if (!only) return next(call, signal, caller);
      if (another) {
        const names = tools.map(({ name }) => name).join(", ");
        const message = `several servers have a tool named ${JSON.stringify(call.name)} for apps: call one of ${names}`;
        return faultOutcome(call.id, message, {
          kind: "tool_error",
          reason: "unknown_tool",
          retrySafe: true,
        });
      }
      return next({ ...call, name: only.name }, signal, caller);
    },
  });
}

function toolsForApps(tools: readonly ToolDescriptor[], name: string): readonly ToolDescriptor[] {
  const found = tools.filter((tool) => tool.origin?.tool === name && isNamedForApps(tool));
  if (found.length === 0) return found;
  const withPages = new Set(
    tools.flatMap((tool) => (appPagesOf(tool).length > 0 ? (tool.origin?.server ?? []) : [])),
  );
  return found.filter(({ origin }) => origin && withPages.has(origin.server));
}
