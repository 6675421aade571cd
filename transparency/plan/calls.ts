import { withoutConnection } from "../compare/neutral.ts";
import type { Question, RequestOptions, WireSession } from "../wire/session.ts";
import { CHANGE_MS, type Feature, type Json, pause, type Step } from "./step.ts";

export interface CallOptions {
  /** Default: `tool`. */
  readonly feature?: Feature;
  /** The name of the step, if a tool is called more than once. */
  readonly id?: string;
  /** Sent with the request. */
  readonly meta?: Json;
}

/** A call of one tool: its answer, its progress, and what it asked. */
export function call(tool: string, args: Json = {}, options: CallOptions = {}): Step {
  const { feature = "tool", id = `call ${tool}`, meta = {} } = options;
  return {
    id,
    feature,
    run: (session, names) => callTool(session, names.spell(tool), { args, meta }),
  };
}

export interface ToolCallOptions extends RequestOptions {
  readonly args?: Json;
}

/** Notes and answers travel on different streams over HTTP: a moment for what is still on its way. */
const SETTLE_MS = 60;

export async function callTool(
  session: WireSession,
  name: string,
  { args = {}, meta, ...rest }: ToolCallOptions = {},
): Promise<object> {
  const fromNote = session.notes.length;
  const fromQuestion = session.questions.length;
  const progressToken = `token-${fromNote}-${fromQuestion}`;
  const options = { ...rest, meta: { ...meta, progressToken } };
  const answer = await session.request("tools/call", { name, arguments: args }, options);
  await pause(SETTLE_MS);
  const progress = session
    .notesSince(fromNote, "notifications/progress")
    .map(withoutConnection)
    .map(({ progressToken: token, ...note }) => ({ ...note, isOurs: token === progressToken }));
  const questions = session.questions.slice(fromQuestion).map(plainQuestion);
  return {
    ...answer,
    ...(progress.length > 0 ? { progress } : {}),
    ...(questions.length > 0 ? { questions } : {}),
  };
}

function plainQuestion({ method, params }: Question): Question {
  return { method, params: withoutConnection((params ?? {}) as Json) };
}

const COUNT_ROUNDS = 20;
/** A gateway may attribute nothing for a moment, because what the server says may be about the cancelled call. */
const CANCELLED_MS = 1_500;

/** Cancels a call after its first progress, and asks the server with another tool whether it noticed. */
export function cancel(tool: string, countTool: string): Step {
  return {
    id: `cancel ${tool}`,
    feature: "cancel",
    run: async (session, names) => {
      const abort = new AbortController();
      const from = session.notes.length;
      const calling = callTool(session, names.spell(tool), { signal: abort.signal });
      const hasBegun = await session.noted(from, "notifications/progress", CHANGE_MS);
      abort.abort();
      await calling;
      let counted: object = {};
      for (let round = 0; round < COUNT_ROUNDS && !isCounted(counted); round++) {
        await pause(50);
        counted = await callTool(session, names.spell(countTool));
      }
      await pause(CANCELLED_MS);
      return { hasBegun, counted };
    },
  };
}

function isCounted(answer: object): boolean {
  return JSON.stringify(answer).includes('{\\"cancelled\\":1}');
}

/** The log messages of a tool at a level, which is set for the connection or sent with the request. */
export function log(level: string, tool: string): Step {
  return {
    id: `log ${level}`,
    feature: "log",
    run: async (session, names) => {
      const isModern = session.era === "modern";
      if (!isModern) await session.request("logging/setLevel", { level });
      const from = session.notes.length;
      const meta = isModern ? { "io.modelcontextprotocol/logLevel": level } : {};
      const answer = await callTool(session, names.spell(tool), { meta });
      await pause(200);
      const messages = session.notesSince(from, "notifications/message").map(withoutConnection);
      return { ...answer, messages };
    },
  };
}
