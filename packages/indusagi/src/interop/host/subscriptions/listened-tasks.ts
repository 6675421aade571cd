import { callListener } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { Caller } from "../../../runtime/index.ts";
import { Extension, linkedCallerIn, MetaKey, type RawResult, type RpcMessage } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostCore } from "../host-core.ts";
import { declaredAbilities } from "../request/host-connection.ts";
import { type HostPeer, peerClient, peerOwner } from "../request/host-peer.ts";
import { declaresTasks, offersTasks, tasksNotDeclared } from "../tasks/follows-tasks.ts";

export const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
/** Tasks that one subscription may name. */
const MAX_TASKS = 100;

/** The client of a subscription. */
export interface TaskListener {
  readonly core: HostCore;
  readonly peer: HostPeer;
  /** Aborts when the subscription ends. */
  readonly signal: AbortSignal;
}

/** Sends the changes of tasks to one subscription, which the SDK serves without knowing of them. */
export interface TaskPush {
  /** Starts to send, and returns the acknowledgement with the tasks whose changes are sent. It must be sent next. */
  acknowledge(acknowledged: RpcMessage, send: (message: RpcMessage) => void): RpcMessage;
  end(): void;
}

/**
 * The tasks of a `subscriptions/listen` request. Undefined if it names none, or if the host has no tasks. Throws an `RpcFailure` if the
 * client does not follow tasks, or names too many.
 */
export function pushTasks(message: unknown, { core, peer, signal }: TaskListener): TaskPush | undefined {
  const taskIds = listenedTasks(message);
  const providers = peer.providers ?? {};
  if (!taskIds || !offersTasks(core, providers)) return undefined;
  const { id, params } = message as RpcMessage;
  const meta = recordIn(recordIn(params)["_meta"]);
  const capabilities = meta[MetaKey.CLIENT_CAPABILITIES];
  if (!declaresTasks(capabilities)) throw tasksNotDeclared();
  if (taskIds.length > MAX_TASKS)
    throw new RpcFailure(
      RpcCode.INVALID_PARAMS,
      `a subscription may name at most ${MAX_TASKS} tasks; use several subscriptions`,
    );
  const owner = peerOwner(peer);
  const linked = core.isLinked ? linkedCallerIn(meta) : undefined;
  const can = declaredAbilities(capabilities, core, peer.era);
  const caller: Caller = {
    ...(linked ?? peerClient(peer)),
    can: { ...can, extensions: { ...can.extensions, [Extension.TASKS]: {} } },
  };
  // One object for all tasks: the provider asks each server once.
  const request = { caller, signal };
  const stops: (() => void)[] = [];
  const start = (send: (message: RpcMessage) => void): readonly string[] => {
    const push = (task: RawResult): void => {
      const { resultType: _, _meta, ...state } = task;
      const meta = { ...recordIn(_meta), [MetaKey.SUBSCRIPTION_ID]: id };
      callListener(send, {
        jsonrpc: "2.0",
        method: "notifications/tasks",
        params: { ...state, _meta: meta },
      } as const);
    };
    return taskIds.filter((taskId) => {
      const stop = core.tasks?.watch(taskId, owner, push) ?? providers.tasks?.watch?.(taskId, push, request);
      if (stop) stops.push(stop);
      return stop !== undefined;
    });
  };
  return {
    acknowledge: (acknowledged, send) => {
      const room = core.taskPushes.take(owner, taskIds.length);
      stops.push(room.release);
      const pushed = room.isGranted ? start(send) : [];
      if (pushed.length === 0) return acknowledged;
      const notifications = { ...recordIn(acknowledged.params?.["notifications"]), taskIds: pushed };
      return { ...acknowledged, params: { ...acknowledged.params, notifications } };
    },
    end: () => {
      for (const stop of stops.splice(0)) stop();
    },
  };
}

/** Undefined if the message names none. */
function listenedTasks(message: unknown): readonly string[] | undefined {
  const { method, params } = message as RpcMessage;
  if (method !== "subscriptions/listen") return undefined;
  const { taskIds } = recordIn(params?.["notifications"]);
  if (!Array.isArray(taskIds)) return undefined;
  return [...new Set(taskIds.filter((id) => typeof id === "string"))];
}

function recordIn(value: unknown): { readonly [member: string]: unknown } {
  return isRecord(value) ? value : {};
}
