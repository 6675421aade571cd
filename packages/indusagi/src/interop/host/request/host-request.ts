import { joinSignals } from "../../../core/index.ts";
import type { Answers, Caller, Question, Questions, Resumption } from "../../../runtime/index.ts";
import { logLevelOf, missingAbility } from "../../../runtime/internal.ts";
import { type HostClient, LinkKey, type RawResult } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import { Conversation } from "../questions/conversation.ts";
import { RequestRound, type Round } from "../questions/round.ts";
import { followsTasks } from "../tasks/follows-tasks.ts";
import type { TaskTable } from "../tasks/task-table.ts";
import type { HostConnection } from "./host-connection.ts";
import { AS_RECEIVED, type RequestContext } from "./request-context.ts";
import { sendable } from "./sendable.ts";

/**
 * The work of one request; resolves to a protocol result. A result that asks a question may carry a state to seal.
 */
export type Work = (caller: Caller, signal: AbortSignal) => Promise<RawResult>;

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** The state that a client holds between two rounds of one request. */
interface SealedState {
  /** The only request that the state is valid for. */
  readonly of: string;
  /** Ticket of a conversation that waits here. */
  readonly parked?: string;
  /** State from an upstream server. */
  readonly state?: string;
}

/** Runs the work of one request with a caller that reaches the client, as the era of the connection requires. */
export function serveRequest(
  connection: HostConnection,
  ctx: RequestContext,
  about: string,
  work: Work,
): Promise<RawResult> {
  return connection.peer.era === "legacy"
    ? legacyRequest(connection, ctx, work)
    : modernRound(connection, ctx, about, work);
}

/** A request's `_meta` to pass on: without the progress token, which is ours. The SDK has removed the reserved keys. */
export function requestMeta(ctx: RequestContext): { readonly [key: string]: unknown } | undefined {
  if (!ctx.mcpReq._meta) return undefined;
  const { progressToken: _, [LinkKey.CALLER]: _caller, [LinkKey.TASK]: _task, ...meta } = ctx.mcpReq._meta;
  return Object.keys(meta).length > 0 ? meta : undefined;
}

function legacyRequest(connection: HostConnection, ctx: RequestContext, work: Work): Promise<RawResult> {
  const end = countCall(connection);
  // Cleared after the answer, so later progress and log entries are dropped.
  let round: Round | undefined = new RequestRound(ctx, () => connection.logLevel);
  const { logLevel } = connection;
  const stopWaiting = releaseStreamLater(connection, ctx);
  const client = connection.caller(ctx);
  const caller = callerOf(client, client.can, {
    progress: (note) => round?.progress(note),
    ask: (requests, signal) => askDirectly(connection, ctx, requests, signal),
  });
  caller.log = (entry) => round?.log(entry);
  if (logLevel) caller.logLevel = logLevel;
  const done = (): void => {
    end();
    stopWaiting();
    round = undefined;
  };
  let working: Promise<RawResult>;
  try {
    working = work(caller, ctx.mcpReq.signal);
  } catch (thrown) {
    done();
    throw thrown;
  }
  return working.then(
    (result) => (done(), result),
    (thrown) => {
      done();
      throw thrown;
    },
  );
}

type MutableCaller = { -readonly [Member in keyof Caller]: Caller[Member] };

/** Without spreads, which cost ten times as much as this: it runs for each call. */
function callerOf(
  { key, client, principal, isSingle }: Omit<HostClient, "era">,
  can: Caller["can"],
  { progress, ask }: Required<Pick<Caller, "progress" | "ask">>,
): MutableCaller {
  const caller: MutableCaller = { key, can, progress, ask };
  if (client) caller.client = client;
  if (principal !== undefined) caller.principal = principal;
  if (isSingle) caller.isSingle = isSingle;
  return caller;
}

function countCall({ peer }: HostConnection): () => void {
  if (!peer.begin) return () => {};
  const end = peer.begin();
  if (!end) throw new RpcFailure(RpcCode.REFUSED, "too many calls are running; try again when one has ended");
  return end;
}

/** Closes the stream of a long request. Messages sent after that wait for the client to return. */
function releaseStreamLater({ peer }: HostConnection, ctx: RequestContext): () => void {
  if (peer.pollAfterMs === undefined) return () => {};
  const timer = setTimeout(() => ctx.http?.closeSSE?.(), peer.pollAfterMs);
  return () => clearTimeout(timer);
}

/** In the legacy era a client can be asked while its request runs. */
async function askDirectly(
  connection: HostConnection,
  ctx: RequestContext,
  requests: Questions,
  signal?: AbortSignal,
): Promise<Answers> {
  connection.elicitations.note(requests);
  const options = {
    signal: joinSignals(signal, ctx.mcpReq.signal),
    timeout: connection.core.questionMs,
  };
  const answers = Object.entries(requests).map(async ([key, question]) => {
    requireAbility(connection, ctx, question);
    const { method, params = {} } = question;
    return [key, await ctx.mcpReq.send({ method, params: { ...params } }, AS_RECEIVED, options)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Throws if the client of a request cannot be asked. */
export function requireAbility(connection: HostConnection, ctx: RequestContext, question: Question): void {
  const missing = missingAbility(connection.abilities(ctx), question);
  if (missing) throw missing;
}

/** In the modern era a client can be asked only by ending its request; the work waits until the client returns. */
function modernRound(
  connection: HostConnection,
  ctx: RequestContext,
  about: string,
  work: Work,
): Promise<RawResult> {
  const sealed = ctx.mcpReq.requestState() as SealedState | undefined;
  if (sealed && sealed.of !== about) throw expired();
  const talk = sealed?.parked
    ? resumeParked(connection, ctx, sealed.parked)
    : startConversation(connection, ctx, work, resumptionOf(ctx, sealed));
  return talk.turn(new RequestRound(ctx)).then((turn) => {
    if ("result" in turn) return sealResult(connection, ctx, about, turn.result);
    if ("isTask" in turn)
      return requireTaskTable(connection).adopt(talk, { listener: connection.peer.listener });
    return parkedAnswer(connection, ctx, about, { talk, questions: turn.questions });
  });
}

/** Asks the client, and keeps the work until it returns. */
async function parkedAnswer(
  connection: HostConnection,
  ctx: RequestContext,
  about: string,
  { talk, questions }: { readonly talk: Conversation; readonly questions: Questions },
): Promise<RawResult> {
  const ticket = connection.core.parked.park(talk, connection.peer.listener);
  const requestState = await connection.seal({ of: about, parked: ticket } satisfies SealedState, ctx);
  return { resultType: "input_required", inputRequests: questions, requestState };
}

function requireTaskTable({ core }: HostConnection): TaskTable {
  if (!core.tasks) throw new RpcFailure(RpcCode.INTERNAL_ERROR, "this host has no tasks");
  return core.tasks;
}

function startConversation(
  connection: HostConnection,
  ctx: RequestContext,
  work: Work,
  resume: Resumption | undefined,
): Conversation {
  const client = connection.client(ctx);
  const follows = followsTasks(ctx);
  const can = {
    suspend: true,
    ...(follows && connection.providers.tasks ? { task: true } : {}),
    ...connection.abilities(ctx),
  };
  const mayBeTask = connection.core.tasks !== undefined && follows;
  const logLevel = ctx.mcpReq.envelope?.[LOG_LEVEL];
  return new Conversation(connection.ownerOf(ctx), (talk) => {
    const caller = callerOf(client, can, {
      progress: (note) => talk.progress(note),
      ask: async (requests, signal) => {
        for (const question of Object.values(requests)) requireAbility(connection, ctx, question);
        return talk.ask(sendable(requests), signal);
      },
    });
    // Absent if the client wants no log messages, so a mounted server is not asked for them.
    if (logLevel !== undefined) {
      caller.log = (entry) => talk.round?.log(entry);
      caller.logLevel = logLevelOf(logLevel);
    }
    if (mayBeTask) caller.asTask = () => talk.becomeTask();
    if (resume) caller.resume = resume;
    return work(caller, talk.signal);
  });
}

function resumeParked(connection: HostConnection, ctx: RequestContext, id: string): Conversation {
  const talk = connection.core.parked.take(id, connection.ownerOf(ctx));
  if (!talk) throw expired();
  talk.answer(ctx.mcpReq.inputResponses ?? {});
  return talk;
}

function resumptionOf(ctx: RequestContext, sealed: SealedState | undefined): Resumption | undefined {
  const responses = ctx.mcpReq.inputResponses;
  if (responses === undefined && sealed === undefined) return undefined;
  return { responses: responses ?? {}, ...(sealed?.state === undefined ? {} : { state: sealed.state }) };
}

/** Seals the state of an upstream server and binds it to the client that receives it. */
function sealResult(
  connection: HostConnection,
  ctx: RequestContext,
  about: string,
  result: RawResult,
): RawResult | Promise<RawResult> {
  const { resultType, requestState: state } = result;
  if (resultType !== "input_required" || typeof state !== "string") return result;
  const sealing = connection.seal({ of: about, state } satisfies SealedState, ctx);
  return sealing.then((requestState) => ({ ...result, requestState }));
}

function expired(): RpcFailure {
  return new RpcFailure(RpcCode.INVALID_PARAMS, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}
