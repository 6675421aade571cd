import { isRecord } from "../../core/internal.ts";
import type { Caller, TaskWish } from "../../runtime/index.ts";
import type { FaultKind } from "./fault.ts";
import type { RpcMessage } from "./transport.ts";

/**
 * What is told on a link: a connection between two processes of ours that serve the same clients together. One of them talks to the
 * clients, the other owns the server. A link speaks the modern era, so what only a legacy server says travels under these names too.
 * Most are members of `_meta`. They are never sent to a client or a server.
 */
export const LinkKey = {
  /** In a request: the client that it is made for, a `LinkedCaller`. */
  CALLER: "dev.indusagi/caller",
  /** In a result: the tool did not answer; a `LinkedFault`. */
  FAULT: "dev.indusagi/fault",
  /** In a call: its client asks for a task; a `TaskWish`. */
  TASK: "dev.indusagi/task",
  /** In a listed tool: its `execution`, which only a legacy server has. */
  EXECUTION: "dev.indusagi/execution",
  /** Among the extensions of a server: its capability `tasks`, which only a legacy server has. */
  TASKS: "dev.indusagi/tasks",
  /** The method of a notification that contains one of the server: the modern era does not have it. */
  NOTICE: "dev.indusagi/notice",
} as const;

interface Members {
  readonly [member: string]: unknown;
}

/** Who makes a request. */
export type LinkedCaller = Pick<Caller, "key" | "principal" | "isSingle">;

/** Why a call failed. Its message is the text of the result. */
export interface LinkedFault {
  readonly kind: FaultKind;
  readonly retrySafe: boolean;
  readonly reason?: string | undefined;
}

/** The caller in the `_meta` of a request that came over a link. */
export function linkedCallerIn(meta: Members | undefined): LinkedCaller | undefined {
  const told = meta?.[LinkKey.CALLER] as Partial<LinkedCaller> | undefined;
  if (typeof told?.key !== "string") return undefined;
  const { key, principal, isSingle } = told;
  return { key, ...(principal === undefined ? {} : { principal }), ...(isSingle === true && { isSingle }) };
}

/** Who may continue what a caller began: a later request of the same session or principal, else any that knows its id. */
export function linkedOwner({ key, principal, isSingle }: LinkedCaller): string {
  return principal ?? (isSingle ? "anyone" : key);
}

/** The task that the client of a call asks for, from the `_meta` of a call that came over a link. */
export function linkedTaskIn(meta: Members | undefined): TaskWish | undefined {
  const told = meta?.[LinkKey.TASK];
  if (!isRecord(told)) return undefined;
  return typeof told["ttlMs"] === "number" ? { ttlMs: told["ttlMs"] } : {};
}

/** A listed tool as it is sent over a link. */
export function toolForLink(tool: Members): Members {
  const { execution, ...rest } = tool;
  if (execution === undefined) return tool;
  const meta = isRecord(rest["_meta"]) ? rest["_meta"] : {};
  return { ...rest, _meta: { ...meta, [LinkKey.EXECUTION]: execution } };
}

/** A tool that was listed over a link, as its server lists it. */
export function toolFromLink(tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool["_meta"]) || !(LinkKey.EXECUTION in tool["_meta"])) return tool;
  const { _meta, ...rest } = tool;
  const { [LinkKey.EXECUTION]: execution, ...meta } = tool["_meta"];
  return { ...rest, execution, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/** The capabilities of a server that were told over a link, as it declares them. */
export function capabilitiesFromLink(capabilities: Members): Members {
  const { extensions, ...others } = capabilities;
  if (!isRecord(extensions) || !(LinkKey.TASKS in extensions)) return capabilities;
  const { [LinkKey.TASKS]: tasks, ...rest } = extensions;
  return { ...others, tasks, ...(Object.keys(rest).length > 0 && { extensions: rest }) };
}

/** The message that a notification on a link contains; any other message is returned as it is. */
export function messageFromLink(message: RpcMessage): RpcMessage {
  const { method, params } = message.method === LinkKey.NOTICE ? (message.params ?? {}) : {};
  if (typeof method !== "string") return message;
  return { jsonrpc: "2.0", method, ...(isRecord(params) && { params }) };
}
