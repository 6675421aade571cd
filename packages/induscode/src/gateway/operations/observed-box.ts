import type { ToolOrigin } from "indusagi/llm";
import type { Caller, ToolBox, ToolCall, ToolOutcome } from "indusagi/runtime";
import { aroundCalls } from "../around-calls.ts";
import type { CallOutcome } from "./audit/index.ts";
import { jsonSize, resultSize } from "./json-size.ts";
import {
  beginCall,
  type CallObserver,
  type EndedCall,
  outcomeOfFault,
  recordedName,
  recordOf,
  shortName,
} from "./recorded-call.ts";

/** Reports each call when it has ended. Put it inside a search, to report the tool that is really called. */
export function observedBox(box: ToolBox, observe: CallObserver): ToolBox {
  return aroundCalls(box, (run, find) => (call, signal, caller) => {
    const begun = beginCall();
    return run(call, signal, caller).then((outcome) => {
      const ended = endedCall({ origin: find(call.name)?.origin, call, caller, outcome });
      observe(recordOf(begun, ended), call.input);
      return outcome;
    });
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
    // If the server was removed while its tool ran, only the fault names it.
    server: origin?.server ?? outcome.fault?.server,
    outcome: ended,
    caller,
    argumentBytes: jsonSize(call.input),
    resultBytes: ended === "ok" || ended === "error" ? resultSize(outcome) : 0,
  };
}

function outcomeOf({ fault, suspended, isError }: ToolOutcome): CallOutcome {
  if (suspended) return "asked";
  if (!fault) return isError ? "error" : "ok";
  return outcomeOfFault(fault);
}
