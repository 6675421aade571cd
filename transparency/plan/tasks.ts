import { withoutConnection } from "../compare/neutral.ts";
import { answerTo } from "../wire/answers.ts";
import type { Answer, Question, WireSession } from "../wire/session.ts";
import { callTool } from "./calls.ts";
import { listen } from "./changes.ts";
import { CHANGE_MS, type Json, pause, type Step } from "./step.ts";

/**
 * Steps about tasks. The two eras have different messages for them, so each client uses those of its own era, and a step returns
 * what both have in common. Where the eras prescribe different things, it returns whether the client got what its own era
 * prescribes: `AS_SPECIFIED`, or else what came instead.
 */

const AS_SPECIFIED = "as the era specifies";
const RELATED = "io.modelcontextprotocol/related-task";
const CREATE_MS = 10_000;
const FOLLOW_MS = 15_000;
const POLL_MS = 20;

/** Runs a tool as a task: its creation, its state right after that, its questions, its end and its result. */
export function task(tool: string, args: Json = {}): Step {
  return {
    id: `task ${tool}`,
    feature: "tasks",
    run: async (session, names) => {
      const created = await create(session, names.spell(tool), args);
      if (!("id" in created)) return created;
      const right = await session.request("tasks/get", { taskId: created.id });
      const followed = await follow(session, created.id);
      return { created: created.shown, isKnownAtOnce: "result" in right, ...followed };
    },
  };
}

/** Runs a tool as a task and reads the resource that its result names. */
export function taskWithPage(tool: string): Step {
  return {
    id: `page of task ${tool}`,
    feature: "apps",
    run: async (session, names) => {
      const created = await create(session, names.spell(tool), {});
      if (!("id" in created)) return created;
      const { outcome } = await follow(session, created.id);
      const { _meta, content } = ("result" in outcome ? outcome.result : {}) as {
        readonly _meta?: { readonly ui?: { readonly resourceUri?: string } };
        readonly content?: readonly { readonly uri?: string }[];
      };
      const uris = [_meta?.ui?.resourceUri, content?.[0]?.uri];
      const pages: Answer[] = [];
      for (const uri of uris) pages.push(await session.request("resources/read", { uri }));
      return { uris, pages };
    },
  };
}

/** Cancels a task that runs, asks the server with another tool whether it noticed, and cancels it once more. */
export function cancelTask(tool: string, countTool: string): Step {
  return {
    id: `cancel task ${tool}`,
    feature: "tasks",
    run: async (session, names) => {
      const created = await create(session, names.spell(tool), {});
      if (!("id" in created)) return created;
      const taskId = created.id;
      const first = await session.request("tasks/cancel", { taskId });
      let status: unknown;
      for (let round = 0; round < 50 && status !== "cancelled"; round++) {
        if (round > 0) await pause(POLL_MS);
        const answer = await session.request("tasks/get", { taskId });
        status = "result" in answer ? answer.result["status"] : answer;
      }
      const counted = await callTool(session, names.spell(countTool));
      const again = await session.request("tasks/cancel", { taskId });
      return { first: cancelled(session, first), status, counted, again: cancelledAgain(session, again) };
    },
  };
}

/** A legacy client gets the task, a modern one an empty answer. */
function cancelled({ era }: WireSession, answer: Answer): unknown {
  if (!("result" in answer)) return answer;
  const { status, taskId } = answer.result;
  const isRight = era === "legacy" ? status === "cancelled" : taskId === undefined && status === undefined;
  return isRight ? AS_SPECIFIED : answer;
}

function cancelledAgain({ era }: WireSession, answer: Answer): unknown {
  const isRight = era === "legacy" ? codeOf(answer) === -32_602 : "result" in answer;
  return isRight ? AS_SPECIFIED : answer;
}

/** Requests about a task that does not exist, by a client that may ask. */
export const unknownTask: Step = {
  id: "an unknown task",
  feature: "tasks",
  run: async (session) => {
    const codes: Json[] = [];
    for (const method of ["tasks/get", "tasks/cancel"])
      codes.push({ method, code: codeOf(await session.request(method, { taskId: "no-such-task" })) });
    return codes;
  },
};

/** The methods that only the other era has, and the list that only a legacy server may have. */
export const otherMethods: Step = {
  id: "methods of the other era",
  feature: "tasks",
  run: async (session) => {
    const ofOthers = session.era === "legacy" ? ["tasks/update"] : ["tasks/result", "tasks/list"];
    const codes: unknown[] = [];
    for (const method of ofOthers) codes.push(codeOf(await session.request(method, { taskId: "x" })));
    return codes.every((code) => code === -32_601) ? AS_SPECIFIED : codes;
  },
};

/** Whether a client that may list tasks finds its own in the list. */
export function listTasks(tool: string): Step {
  return {
    id: "list of tasks",
    feature: "tasks",
    run: async (session, names) => {
      const created = await create(session, names.spell(tool), {});
      if (!("id" in created)) return created;
      await follow(session, created.id);
      const answer = await session.request("tasks/list");
      const { tasks } = (session.hello["capabilities"] ?? {}) as { readonly tasks?: Json };
      const isOffered = session.era === "legacy" && tasks?.["list"] !== undefined;
      const listed = "result" in answer ? (answer.result["tasks"] as readonly Json[]) : [];
      const isRight = isOffered
        ? listed.some(({ taskId }) => taskId === created.id)
        : codeOf(answer) === -32_601;
      return isRight ? AS_SPECIFIED : answer;
    },
  };
}

/** Whether a client is told about the end of a task: it asks for it in the modern era, and only listens in the legacy one. */
export function taskNotes(tool: string, args: Json = {}): Step {
  return {
    id: "notes about a task",
    feature: "tasks",
    run: async (session, names) => {
      const from = session.notes.length;
      const created = await create(session, names.spell(tool), args);
      if (!("id" in created)) return created;
      const isModern = session.era === "modern";
      const method = isModern ? "notifications/tasks" : "notifications/tasks/status";
      await using listening = isModern ? await listen(session, { taskIds: [created.id] }) : undefined;
      const isEnd = ({ taskId, status }: Json): boolean => taskId === created.id && status === "completed";
      const until = performance.now() + CHANGE_MS;
      while (!session.notesSince(from, method).some(isEnd) && performance.now() < until) await pause(POLL_MS);
      const end = session.notesSince(from, method).find(isEnd);
      return {
        isAccepted: listening?.isAccepted ?? true,
        isToldOfEnd: end !== undefined,
        // A modern client gets the whole task.
        hasResult: isModern === (end?.["result"] !== undefined) ? AS_SPECIFIED : end,
      };
    },
  };
}

/** A call without a task, by a client that follows none. Modern clients say so in each request. */
export function plainCall(tool: string, args: Json = {}): Step {
  return {
    id: `plain call ${tool}`,
    feature: "tasks",
    run: (session, names) => {
      const { extensions: _, ...rest } = session.capabilities;
      const meta =
        session.era === "modern" ? { "io.modelcontextprotocol/clientCapabilities": rest } : undefined;
      return callTool(session, names.spell(tool), { args, ...(meta && { meta }) });
    },
  };
}

/** Requests about tasks by a client that did not declare them. In the legacy era a client need not. */
export const undeclaredTasks: Step = {
  id: "tasks of a client that declares none",
  feature: "tasks",
  run: async (session) => {
    const isModern = session.era === "modern";
    const seen: unknown[] = [];
    for (const method of ["tasks/get", "tasks/cancel"]) {
      const answer = await session.request(method, { taskId: "no-such-task" });
      const { tasks } = (session.hello["capabilities"] ?? {}) as { readonly tasks?: unknown };
      const legacyCode = tasks === undefined ? -32_601 : -32_602;
      const isRight = isModern
        ? codeOf(answer) === -32_021 && JSON.stringify(answer).includes("io.modelcontextprotocol/tasks")
        : codeOf(answer) === legacyCode;
      seen.push(isRight ? AS_SPECIFIED : answer);
    }
    return seen;
  },
};

interface Created {
  readonly id: string;
  readonly shown: object;
}

async function create(session: WireSession, name: string, args: Json): Promise<Created | { noTask: Answer }> {
  const isModern = session.era === "modern";
  const params = { name, arguments: args, ...(isModern ? {} : { task: {} }) };
  // A gateway that waits for the end of the task would keep the call of a task that does not end.
  const signal = AbortSignal.timeout(CREATE_MS);
  const answer = await session.request("tools/call", params, { signal });
  if (!("result" in answer)) return { noTask: answer };
  const { resultType, ...flat } = answer.result;
  const given = isModern ? (resultType === "task" ? flat : undefined) : flat["task"];
  const { taskId, createdAt, lastUpdatedAt, ttl, ttlMs, pollInterval, pollIntervalMs, ...rest } =
    withoutConnection((given ?? {}) as Json);
  if (typeof taskId !== "string") return { noTask: answer };
  const isWire = isModern
    ? ttl === undefined && pollInterval === undefined
    : ttlMs === undefined && pollIntervalMs === undefined;
  const shown = {
    ...rest,
    // It becomes a header.
    isPlainId: /^[\x21-\x7e]+$/.test(taskId),
    hasTimes: [createdAt, lastUpdatedAt].every((time) => !Number.isNaN(Date.parse(String(time)))),
    ttl: isModern ? ttlMs : ttl,
    poll: isModern ? pollIntervalMs : pollInterval,
    members: isWire ? AS_SPECIFIED : given,
  };
  return { id: taskId, shown };
}

interface Followed {
  readonly status: unknown;
  readonly outcome: Answer;
  readonly questions?: readonly Question[];
}

async function follow(session: WireSession, taskId: string): Promise<Followed> {
  const from = session.questions.length;
  const { status, outcome } =
    session.era === "modern" ? await followModern(session, taskId) : await followLegacy(session, taskId);
  const hasFailed = "error" in outcome || (session.era === "legacy" && isErrorIn(outcome));
  const isRight = status === (hasFailed ? "failed" : "completed");
  const questions = session.questions
    .slice(from)
    .map(({ method, params }) => ({ method, params: withoutConnection((params ?? {}) as Json) }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    status: isRight ? AS_SPECIFIED : status,
    outcome,
    ...(questions.length > 0 ? { questions } : {}),
  };
}

function isErrorIn(outcome: Answer): boolean {
  return "result" in outcome && outcome.result["isError"] === true;
}

async function followModern(
  session: WireSession,
  taskId: string,
): Promise<{ status: unknown; outcome: Answer }> {
  const answered = new Set<string>();
  const until = performance.now() + FOLLOW_MS;
  while (performance.now() < until) {
    const answer = await session.request("tasks/get", { taskId });
    if (!("result" in answer)) return { status: undefined, outcome: answer };
    const { status, inputRequests, result, error } = answer.result;
    if (error !== undefined) return { status, outcome: { error: error as Json } };
    if (result !== undefined) {
      const isRelated = JSON.stringify(result).includes(RELATED);
      return { status: isRelated ? RELATED : status, outcome: { result: result as Json } };
    }
    if (status === "cancelled") break;
    const inputResponses: { [key: string]: unknown } = {};
    for (const [key, { method, params }] of Object.entries((inputRequests ?? {}) as Questions)) {
      if (answered.has(key)) continue;
      answered.add(key);
      session.questions.push({ method, params });
      inputResponses[key] = answerTo(method, params);
    }
    if (Object.keys(inputResponses).length > 0)
      await session.request("tasks/update", { taskId, inputResponses });
    await pause(POLL_MS);
  }
  return { status: undefined, outcome: { failure: "the task did not end" } };
}

type Questions = { readonly [key: string]: Question };

async function followLegacy(
  session: WireSession,
  taskId: string,
): Promise<{ status: unknown; outcome: Answer }> {
  const outcome = await session.request("tasks/result", { taskId }, { timeoutMs: FOLLOW_MS });
  const state = await session.request("tasks/get", { taskId });
  const status = "result" in state ? state.result["status"] : state;
  if (!("result" in outcome)) return { status, outcome };
  const { _meta } = outcome.result as { readonly _meta?: { readonly [key: string]: unknown } };
  const { taskId: related } = (_meta?.[RELATED] ?? {}) as { readonly taskId?: unknown };
  return { status: related === taskId ? status : { related }, outcome };
}

function codeOf(answer: Answer): unknown {
  return "error" in answer ? answer.error["code"] : answer;
}
