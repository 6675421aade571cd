import type { ToolDescriptor, ToolOrigin } from "indusagi/llm";
import { type Caller, type ToolBox, type ToolCall, type ToolOutcome, wrapCalls } from "indusagi/runtime";
import type { CallOutcome } from "../../audit/index.ts";
import { jsonSize } from "./json-size.ts";
import {
  beginCall,
  type CallObserver,
  type EndedCall,
  outcomeOfFault,
  recordedName,
  recordOf,
  shortName,
} from "./recorded-call.ts";

/** A box that reports each call when it has ended. Put it inside a search, so that the tool that is called is reported. */
export function observedBox(box: ToolBox, observe: CallObserver): ToolBox {
  const originOf = originTable(box);
  return wrapCalls(box, async (call, signal, caller) => {
    const [begun, known] = [beginCall(), originOf(call.name)];
    const outcome = await box.runner.run(call, signal, caller);
    // A tool whose server was starting is known only now.
    const origin = known ?? originOf(call.name);
    observe(recordOf(begun, endedCall({ origin, call, caller, outcome })), call.input);
    return outcome;
  });
}

interface ToolEnd {
  readonly origin: ToolOrigin | undefined;
  readonly call: ToolCall;
  readonly caller: Caller | undefined;
  readonly outcome: ToolOutcome;
}

function endedCall({ origin, call, caller, outcome }: ToolEnd): EndedCall {
  const ended = outcomeOf(outcome);
  return {
    method: "tools/call",
    target: { tool: origin ? recordedName(origin.server, origin.tool) : shortName(call.name) },
    // A server that was removed while its tool ran is known from the fault only.
    server: origin?.server ?? outcome.fault?.server,
    outcome: ended,
    caller,
    argumentBytes: jsonSize(call.input),
    resultBytes: ended === "ok" || ended === "error" ? jsonSize(outcome.wire?.value() ?? outcome.result) : 0,
  };
}

function outcomeOf({ fault, suspended, isError }: ToolOutcome): CallOutcome {
  if (suspended) return "asked";
  if (!fault) return isError ? "error" : "ok";
  return outcomeOfFault(fault);
}

/** The origin of a tool by its name. The table is made again only when the tools have changed. */
function originTable(box: ToolBox): (name: string) => ToolOrigin | undefined {
  let listed: readonly ToolDescriptor[] | undefined;
  let origins: ReadonlyMap<string, ToolOrigin> = new Map();
  return (name) => {
    const tools = box.descriptors();
    if (tools !== listed) {
      listed = tools;
      origins = new Map(tools.flatMap((tool) => (tool.origin ? [[tool.name, tool.origin]] : [])));
    }
    return origins.get(name);
  };
}
