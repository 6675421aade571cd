import { isoTime, mintUlid, shortenText } from "indusagi/core";
import type { ToolDescriptor, ToolOrigin } from "indusagi/llm";
import type { Caller, ClientInfo, ToolBox, ToolCall, ToolOutcome } from "indusagi/runtime";
import type { CallOutcome, CallRecord } from "../../audit/index.ts";
import { tokenIn } from "../access/principal.ts";
import { jsonSize } from "./json-size.ts";

/** Gets each call when it has ended, with its arguments, whose values must not be kept. Must not throw. */
export type CallObserver = (record: CallRecord, call: ToolCall) => void;

/** Names of tools and clients are texts of clients. */
const MAX_NAME = 128;

/** A box that reports each call when it has ended. Put it inside a search, so that the tool that is called is reported. */
export function observedBox(box: ToolBox, observe: CallObserver): ToolBox {
  const originOf = originTable(box);
  return {
    descriptors: () => box.descriptors(),
    onChange: (listener) => box.onChange(listener),
    refusalOf: box.refusalOf,
    runner: {
      run: async (call, signal, caller) => {
        const [at, startMs, known] = [isoTime(), performance.now(), originOf(call.name)];
        const outcome = await box.runner.run(call, signal, caller);
        // A tool whose server was starting is known only now.
        const origin = known ?? originOf(call.name);
        observe(recordOf({ at, startMs, origin, call, caller, outcome }), call);
        return outcome;
      },
    },
  };
}

interface EndedCall {
  readonly at: string;
  readonly startMs: number;
  readonly origin: ToolOrigin | undefined;
  readonly call: ToolCall;
  readonly caller: Caller | undefined;
  readonly outcome: ToolOutcome;
}

function recordOf({ at, startMs, origin, call, caller, outcome }: EndedCall): CallRecord {
  const ended = outcomeOf(outcome);
  // A server that was removed while its tool ran is known from the fault only.
  const owner = origin?.server ?? outcome.fault?.server;
  const token = caller?.principal === undefined ? undefined : tokenIn(caller.principal);
  const client = caller?.client && clientName(caller.client);
  return {
    at,
    id: `req_${mintUlid()}`,
    ...(token ? { principal: token.name } : {}),
    ...(token?.id === undefined ? {} : { token: token.id }),
    ...(client === undefined ? {} : { client }),
    session: caller?.key ?? "local",
    ...(owner === undefined ? {} : { server: owner }),
    // One name on every route: at the path of a server its tools have their own names.
    tool: shortenText(origin ? `${origin.server}__${origin.tool}` : call.name, MAX_NAME),
    ms: Math.round((performance.now() - startMs) * 10) / 10,
    outcome: ended,
    argumentBytes: jsonSize(call.input),
    resultBytes: ended === "ok" || ended === "error" ? jsonSize(outcome.wire?.value() ?? outcome.result) : 0,
    pid: process.pid,
  };
}

/** What the cause of a fault means; the others by their kind. */
const REASONS: { readonly [reason: string]: CallOutcome } = {
  aborted: "cancelled",
  unknown_tool: "unknown",
  policy: "refused",
  auth: "refused",
};

function outcomeOf({ fault, suspended, isError }: ToolOutcome): CallOutcome {
  if (suspended) return "asked";
  if (!fault) return isError ? "error" : "ok";
  return REASONS[fault.reason ?? ""] ?? (fault.kind === "timeout" ? "timeout" : "failed");
}

function clientName({ name, version }: ClientInfo): string {
  return shortenText(version === undefined ? name : `${name}/${version}`, MAX_NAME);
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
