import { CoreError, mintUlid, onAbort, settlesWithin } from "../../core/index.ts";
import { isRecord } from "../../core/internal.ts";
import type { Answers, Caller, Question, Questions } from "../../runtime/index.ts";
import { missingAbility } from "../../runtime/internal.ts";
import { flatTask, isEnded, withoutRelatedTask } from "../content/index.ts";
import {
  type ForwardedRequest,
  isProtocolFault,
  ProtocolFault,
  type RawResult,
  type ServerFleet,
  type ServerSession,
} from "../contract/index.ts";
import { runLeased } from "../fleet/index.ts";
import { RpcCode } from "../wire/index.ts";
import type { ItemRequestOptions } from "./read-item.ts";

/** The task that a request is about. */
interface AskedTask {
  readonly server: string;
  readonly session: ServerSession;
  readonly taskId: string;
  readonly options: ItemRequestOptions;
}

/** Requests in the form of the extension about tasks of legacy servers. */
export class LegacyTasks {
  readonly #held: HeldTasks;

  constructor(fleet: ServerFleet) {
    this.#held = new HeldTasks(fleet);
  }

  async request(
    session: ServerSession,
    server: string,
    { method, params }: ForwardedRequest,
    { meta, ...options }: ItemRequestOptions,
  ): Promise<RawResult> {
    const task: AskedTask = { server, session, taskId: String(params["taskId"]), options };
    switch (method) {
      case "tasks/get":
        return params["stateOnly"] ? stateOf(task) : this.#get(task);
      case "tasks/update":
        return this.#update(task, isRecord(params["inputResponses"]) ? params["inputResponses"] : {});
      case "tasks/cancel":
        return this.#cancel(task);
      default: {
        const { taskId } = task;
        return (await session.request(
          method,
          meta ? { taskId, _meta: meta } : { taskId },
          options,
        )) as RawResult;
      }
    }
  }

  async #get(task: AskedTask): Promise<RawResult> {
    const state = await stateOf(task);
    if (state["status"] === "cancelled") return state;
    if (isEnded(state)) return { ...state, ...(await endOf(task)) };
    const inputRequests = await this.#held.questions(task, state["status"] === "input_required");
    return inputRequests
      ? { ...state, status: "input_required", inputRequests }
      : { ...state, status: "working" };
  }

  async #update(task: AskedTask, answers: Answers): Promise<RawResult> {
    // An unknown id is refused by the server.
    if (!this.#held.answer(task, answers)) await stateOf(task);
    return {};
  }

  async #cancel(task: AskedTask): Promise<RawResult> {
    try {
      await ask(task, "tasks/cancel");
    } catch (thrown) {
      if (!isProtocolFault(thrown) || thrown.rpc?.code !== RpcCode.INVALID_PARAMS) throw thrown;
      // The extension acknowledges the end of a task that has ended. An unknown id is refused again.
      if (!isEnded(await stateOf(task))) throw thrown;
    }
    this.#held.end(task, "the task was cancelled");
    return {};
  }
}

async function ask({ session, taskId, options }: AskedTask, method: string): Promise<RawResult> {
  return (await session.request(method, { taskId }, options)) as RawResult;
}

async function stateOf(task: AskedTask): Promise<RawResult> {
  return flatTask(await ask(task, "tasks/get"));
}

/** How a task ended. In the legacy era a tool that reports a failure fails its task; for the extension it has completed. */
async function endOf(task: AskedTask): Promise<RawResult> {
  try {
    return { status: "completed", result: withoutRelatedTask(await ask(task, "tasks/result")) };
  } catch (thrown) {
    if (!isProtocolFault(thrown) || !thrown.rpc) throw thrown;
    return { status: "failed", error: thrown.rpc };
  }
}

/** How long a question waits after its client last asked about the task. */
const HELD_MS = 600_000;
/** How long a request for the state waits for the question that the server has announced. */
const ARRIVAL_MS = 500;
const PER_OWNER = 64;
const TOTAL = 1_024;

interface OpenQuestion {
  readonly question: Question;
  readonly resolve: (answer: unknown) => void;
}

interface HeldTask {
  readonly owner: string;
  readonly over: AbortController;
  readonly open: Map<string, OpenQuestion>;
  readonly timer: NodeJS.Timeout;
  /** Called once, when a question has arrived or the wait has ended. */
  readonly arrivals: (() => void)[];
}

/**
 * Tasks of legacy servers that wait for an answer. Such a server asks only while its client waits for the result, and a client of the
 * extension never does, so we wait for it and keep the questions until they are answered.
 */
class HeldTasks {
  readonly #fleet: ServerFleet;
  readonly #held = new Map<string, HeldTask>();

  constructor(fleet: ServerFleet) {
    this.#fleet = fleet;
  }

  /** The open questions of a task. `isAsking`: its server says that it waits for an answer. */
  async questions(task: AskedTask, isAsking: boolean): Promise<Questions | undefined> {
    const held = this.#held.get(keyOf(task)) ?? (isAsking ? this.#hold(task) : undefined);
    if (!held) return undefined;
    held.timer.refresh();
    if (held.open.size === 0 && isAsking) {
      const { signal } = task.options;
      const arrival = new Promise<void>((resolve) => held.arrivals.push(resolve));
      await settlesWithin(arrival, ARRIVAL_MS, signal && { signal });
    }
    if (held.open.size === 0) return undefined;
    return Object.fromEntries([...held.open].map(([key, { question }]) => [key, question]));
  }

  /** Passes answers on. Unknown keys are ignored. False if nothing is held for the task. */
  answer(task: AskedTask, answers: Answers): boolean {
    const held = this.#held.get(keyOf(task));
    held?.timer.refresh();
    for (const [key, { resolve }] of [...(held?.open ?? [])])
      if (Object.hasOwn(answers, key)) resolve(answers[key]);
    return held !== undefined;
  }

  end(task: AskedTask, reason: string): void {
    this.#held.get(keyOf(task))?.over.abort(new CoreError("aborted", reason));
  }

  #hold(task: AskedTask): HeldTask {
    const { server, taskId, options } = task;
    const caller: Caller = options.caller ?? { key: "own", can: {} };
    const owner = ownerOf(caller);
    this.#requireRoom(server, owner);
    const over = new AbortController();
    const timer = setTimeout(
      () => over.abort(new CoreError("unanswered", "nobody answered")),
      HELD_MS,
    ).unref();
    const held: HeldTask = { owner, over, timer, open: new Map(), arrivals: [] };
    const { key, can, principal, isSingle, client } = caller;
    const holder: Caller = {
      ...{ key, can },
      ...(principal !== undefined && { principal }),
      ...(isSingle && { isSingle }),
      ...(client && { client }),
      ask: (requests, signal) => askLater(held, can, requests, signal),
    };
    const waiting = { caller: holder, signal: over.signal };
    const longest = { timeoutMs: Number.POSITIVE_INFINITY, totalMs: Number.POSITIVE_INFINITY };
    this.#held.set(keyOf(task), held);
    // Its result is fetched when the client asks for the state.
    void runLeased(this.#fleet, server, waiting, (endpoint) =>
      endpoint.session().request("tasks/result", { taskId }, { ...waiting, ...longest }),
    )
      .catch(() => {})
      .finally(() => {
        clearTimeout(timer);
        this.#held.delete(keyOf(task));
        arrived(held);
      });
    return held;
  }

  #requireRoom(server: string, owner: string): void {
    const owned = [...this.#held.values()].filter((held) => held.owner === owner).length;
    if (owned < PER_OWNER && this.#held.size < TOTAL) return;
    const message = "too many tasks wait for an answer; answer or cancel one of them first";
    throw new ProtocolFault("protocol", message, { server, reason: "policy", retrySafe: true });
  }
}

/** A server with an instance for each client may use the same id twice. */
function keyOf({ server, taskId, options: { caller } }: AskedTask): string {
  return JSON.stringify([server, taskId, caller ? ownerOf(caller) : ""]);
}

function ownerOf({ principal, key, isSingle }: Caller): string {
  return principal ?? (isSingle ? "" : key);
}

function arrived({ arrivals }: HeldTask): void {
  for (const tell of arrivals.splice(0)) tell();
}

/** Keeps questions until the client has answered all of them. A key is never used twice. */
async function askLater(
  held: HeldTask,
  can: Caller["can"],
  requests: Questions,
  signal = held.over.signal,
): Promise<Answers> {
  const answers = Object.entries(requests).map(async ([name, question]) => {
    const missing = missingAbility(can, question);
    if (missing) throw missing;
    const { method, params } = question;
    const key = `question_${mintUlid()}`;
    const answer = await new Promise<unknown>((resolve, reject) => {
      held.open.set(key, {
        question: params ? { method, params: withoutRelatedTask(params) } : question,
        resolve,
      });
      onAbort(signal, reject);
      arrived(held);
    }).finally(() => held.open.delete(key));
    return [name, answer] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}
