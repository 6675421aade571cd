import { definedMembers, isRecord } from "../../core/internal.ts";
import { Extension, type RawResult, type TaskKind } from "../contract/index.ts";
import { extensionsIn } from "./extensions.ts";

/** Names the task that a message of the legacy era belongs to. */
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** What a legacy server with all of tasks declares. */
export const LEGACY_TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } } as const;

const ENDED: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** Whether a task in this state changes no more. */
export function isEnded({ status }: RawResult): boolean {
  return ENDED.has(status);
}

/** The kind of tasks that a server declared. Undefined if it has none. */
export function taskKindIn(capabilities: unknown): TaskKind | undefined {
  if (extensionsIn(capabilities)?.[Extension.TASKS]) return "extension";
  const requests = memberOf(memberOf(capabilities, "tasks"), "requests");
  return isRecord(memberOf(memberOf(requests, "tools"), "call")) ? "legacy" : undefined;
}

function memberOf(value: unknown, member: string): unknown {
  return isRecord(value) ? value[member] : undefined;
}

// Between eras a task has one form, that of the extension: flat, with its result or error. These translate that of the legacy era.

/** The state of a task of the legacy era as that of the extension, without result. */
export function flatTask(task: RawResult): RawResult {
  const { ttl, pollInterval, ...same } = task;
  return definedMembers({
    ...same,
    ttlMs: typeof ttl === "number" ? Math.ceil(ttl) : null,
    pollIntervalMs: typeof pollInterval === "number" ? Math.ceil(pollInterval) : undefined,
  });
}

/** The state of a task as a legacy client gets it. There a task whose tool failed has failed. */
export function legacyTask(task: RawResult): RawResult {
  const { resultType: _type, ttlMs, pollIntervalMs, status, result, ...others } = task;
  const { error: _error, inputRequests: _questions, ...same } = others;
  return definedMembers({
    ...same,
    status: status === "completed" && memberOf(result, "isError") === true ? "failed" : status,
    ttl: typeof ttlMs === "number" ? ttlMs : null,
    pollInterval: typeof pollIntervalMs === "number" ? pollIntervalMs : undefined,
  });
}

/** A message that belongs to a task. */
export function withRelatedTask(message: RawResult, taskId: string): RawResult {
  const { _meta: meta } = message;
  return { ...message, _meta: { ...(isRecord(meta) && meta), [RELATED_TASK]: { taskId } } };
}

/** The task that a message belongs to. */
export function relatedTask(message: RawResult | undefined): string | undefined {
  const taskId = memberOf(memberOf(memberOf(message, "_meta"), RELATED_TASK), "taskId");
  return typeof taskId === "string" ? taskId : undefined;
}

/** The same message without the task it belongs to: the extension has no such mark. */
export function withoutRelatedTask(message: RawResult): RawResult {
  const { _meta: meta, ...rest } = message;
  if (!isRecord(meta) || !Object.hasOwn(meta, RELATED_TASK)) return message;
  const { [RELATED_TASK]: _task, ...others } = meta;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}

const MIN_POLL_MS = 10;
const MAX_POLL_MS = 5_000;
const DEFAULT_POLL_MS = 1_000;

/** How long to wait before the state of a task is asked for again. */
export function pollMs({ pollIntervalMs }: RawResult): number {
  const ms = typeof pollIntervalMs === "number" ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.min(Math.max(ms, MIN_POLL_MS), MAX_POLL_MS);
}
