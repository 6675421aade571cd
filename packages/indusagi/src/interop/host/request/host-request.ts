import type { ServerContext } from "@modelcontextprotocol/server";
import { CoreError, joinSignals } from "../../../core/index.ts";
import type { Answers, Caller, Question, Questions, Resumption } from "../../../runtime/index.ts";
import type { RawResult } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { Conversation } from "../questions/conversation.ts";
import { RequestRound, type Round } from "../questions/round.ts";
import type { HostConnection } from "./host-connection.ts";
import { RpcFailure } from "./rpc-failure.ts";
import { sendable } from "./sendable.ts";

/** What a request comes to: a result in the protocol's words; one that asks something may carry a state to be sealed. */
export type Work = (caller: Caller, signal: AbortSignal) => Promise<RawResult>;

/** What travels through the client between two rounds of one request. */
interface SealedState {
  /** What the request was about: a state is good for nothing else. */
  readonly of: string;
  /** A conversation that waits here. */
  readonly parked?: string;
  /** A state that somebody behind us gave. */
  readonly state?: string;
}

/** Runs the work of one request with a caller that reaches its client, in the way of the connection's era. */
export function serveRequest(
  connection: HostConnection,
  ctx: ServerContext,
  about: string,
  work: Work,
): Promise<RawResult> {
  return connection.peer.era === "legacy"
    ? legacyRequest(connection, ctx, work)
    : modernRound(connection, ctx, about, work);
}

async function legacyRequest(connection: HostConnection, ctx: ServerContext, work: Work): Promise<RawResult> {
  const end = begun(connection);
  // Whoever goes on talking after the answer talks to nobody.
  let round: Round | undefined = new RequestRound(ctx);
  const stopWaiting = letGoOfStream(connection, ctx);
  // Here and below what is spread comes last: a member after a spread costs ten times as much, and this is every call.
  const caller: Caller = {
    can: connection.abilities(ctx),
    progress: (note) => round?.progress(note),
    log: (entry) => round?.log(entry),
    ask: (requests, signal) => askDirectly(connection, ctx, requests, signal),
    ...connection.client(ctx),
  };
  try {
    return await work(caller, ctx.mcpReq.signal);
  } finally {
    end();
    stopWaiting();
    round = undefined;
  }
}

function begun({ peer }: HostConnection): () => void {
  if (!peer.begin) return () => {};
  const end = peer.begin();
  if (!end) throw new RpcFailure(RpcCode.REFUSED, "too many calls are running; try again when one has ended");
  return end;
}

/** Closes the stream of a request that takes long. What is said from then on waits for the client to come back. */
function letGoOfStream({ peer }: HostConnection, ctx: ServerContext): () => void {
  if (peer.pollAfterMs === undefined) return () => {};
  const timer = setTimeout(() => ctx.http?.closeSSE?.(), peer.pollAfterMs);
  return () => clearTimeout(timer);
}

/** In the legacy era a client can be asked while its request runs. */
async function askDirectly(
  connection: HostConnection,
  ctx: ServerContext,
  requests: Questions,
  signal?: AbortSignal,
): Promise<Answers> {
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

/** The client's answer goes to whoever asked, as it came. */
const AS_RECEIVED = {
  "~standard": {
    version: 1,
    vendor: "indusagi",
    validate: (value: unknown) => ({ value }),
  },
} as const;

const ABILITY = {
  "elicitation/create": "elicit",
  "sampling/createMessage": "sample",
  "roots/list": "roots",
} as const;

function requireAbility(connection: HostConnection, ctx: ServerContext, { method }: Question): void {
  if (connection.abilities(ctx)[ABILITY[method]]) return;
  throw new CoreError("unable", `the client cannot answer ${method}: it did not declare that capability`);
}

/** In the modern era it can only be asked by ending the request; the work waits until it comes back. */
async function modernRound(
  connection: HostConnection,
  ctx: ServerContext,
  about: string,
  work: Work,
): Promise<RawResult> {
  const sealed = ctx.mcpReq.requestState<SealedState>();
  if (sealed && sealed.of !== about) throw expired();
  const talk = sealed?.parked
    ? takeUp(connection, ctx, sealed.parked)
    : begin(connection, ctx, work, resumptionOf(ctx, sealed));
  const turn = await talk.turn(new RequestRound(ctx));
  if ("result" in turn) return sealResult(connection, ctx, about, turn.result);
  const ticket = connection.core.parked.park(talk, connection.peer.listener);
  const requestState = await connection.seal({ of: about, parked: ticket } satisfies SealedState, ctx);
  return { resultType: "input_required", inputRequests: turn.questions, requestState };
}

function begin(
  connection: HostConnection,
  ctx: ServerContext,
  work: Work,
  resume: Resumption | undefined,
): Conversation {
  const client = connection.client(ctx);
  const can = { suspend: true, ...connection.abilities(ctx) };
  return new Conversation(connection.owner, async (talk) => {
    const caller: Caller = {
      can,
      progress: (note) => talk.round?.progress(note),
      log: (entry) => talk.round?.log(entry),
      ask: async (requests, signal) => {
        for (const question of Object.values(requests)) requireAbility(connection, ctx, question);
        return talk.ask(sendable(requests), signal);
      },
      ...client,
      ...(resume ? { resume } : {}),
    };
    return work(caller, talk.signal);
  });
}

function takeUp(connection: HostConnection, ctx: ServerContext, id: string): Conversation {
  const talk = connection.core.parked.take(id, connection.owner);
  if (!talk) throw expired();
  talk.answer(ctx.mcpReq.inputResponses ?? {});
  return talk;
}

function resumptionOf(ctx: ServerContext, sealed: SealedState | undefined): Resumption | undefined {
  const responses = ctx.mcpReq.inputResponses;
  if (responses === undefined && sealed === undefined) return undefined;
  return { responses: responses ?? {}, ...(sealed?.state === undefined ? {} : { state: sealed.state }) };
}

/** A state that somebody behind us gave goes out sealed, and bound to who got it. */
async function sealResult(
  connection: HostConnection,
  ctx: ServerContext,
  about: string,
  result: RawResult,
): Promise<RawResult> {
  const { resultType, requestState } = result;
  if (resultType !== "input_required" || typeof requestState !== "string") return result;
  const sealed = { of: about, state: requestState } satisfies SealedState;
  return { ...result, requestState: await connection.seal(sealed, ctx) };
}

function expired(): RpcFailure {
  return new RpcFailure(RpcCode.INVALID_PARAMS, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
}
