import { canonicalJson, closestNames, isRecord } from "../../core/index.ts";
import {
  coerceArguments,
  explainMismatch,
  type JsonSchema,
  type ToolCallPart,
  type ToolDescriptor,
} from "../../llm/index.ts";
import { noteArguments } from "../call-arguments.ts";
import type { Caller, ToolBox, ToolCall, ToolFault, ToolOutcome } from "../contract/index.ts";
import { abortedOutcome } from "../results.ts";
import type { AgentEvent, ToolEntry, TranscriptEntry } from "./contract.ts";

interface RunCallsOptions {
  readonly box: ToolBox;
  readonly tools: KnownTools;
  readonly transcript: readonly TranscriptEntry[];
  readonly isReadOnly: (call: ToolCall, tool: ToolDescriptor) => boolean;
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Called with each answer as soon as it arrives. */
  readonly answered: (entry: ToolEntry) => Promise<void>;
}

interface KnownTools {
  /** The tools the model was offered. */
  readonly listed: readonly ToolDescriptor[];
  /** All tools it may call. Absent: those it was offered. */
  readonly callable: (() => readonly ToolDescriptor[]) | undefined;
}

/** Runs the calls of one step. Every call gets one answer, even after an abort. Returns whether the turn must end. */
export async function runCalls(
  calls: readonly ToolCallPart[],
  options: RunCallsOptions,
): Promise<"continue" | "repeating"> {
  const { tools, transcript, isReadOnly, answered } = options;
  const ordered: { readonly isReadOnly: boolean; readonly run: () => Promise<void> }[] = [];
  let isRepeating = false;
  for (const part of calls) {
    const prepared = await prepareCall(part, tools);
    const verdict = judgeRepeat(transcript, part);
    isRepeating ||= verdict === "end";
    if (prepared.kind === "refused" || verdict !== "run") {
      const entry = prepared.kind === "refused" ? refusedEntry(prepared) : repeatedEntry(part);
      ordered.push({ isReadOnly: true, run: () => answered(entry) });
    } else {
      const call = { id: part.id, name: part.name, input: prepared.input };
      const { tool } = prepared;
      if (!tool.origin && schemaOf(tool) === tool.parameters) noteArguments(call, tool.parameters);
      const run = async (): Promise<void> => answered(await runOne(prepared, call, options));
      // The order of a single call does not matter.
      ordered.push({ isReadOnly: calls.length > 1 && isReadOnly(call, prepared.tool), run });
    }
  }
  for (const batch of callBatches(ordered)) await Promise.all(batch.map(({ run }) => run()));
  return isRepeating ? "repeating" : "continue";
}

interface ReadyCall {
  readonly kind: "ready";
  readonly part: ToolCallPart;
  readonly tool: ToolDescriptor;
  readonly input: unknown;
}

interface RefusedCall {
  readonly kind: "refused";
  readonly part: ToolCallPart;
  /** Why it cannot run, in words for the model. */
  readonly message: string;
  readonly fault: ToolFault;
}

/** Finds the tool and repairs the arguments to fit its schema. */
async function prepareCall(
  part: ToolCallPart,
  { listed, callable = () => [] }: KnownTools,
): Promise<ReadyCall | RefusedCall> {
  const named = ({ name }: ToolDescriptor): boolean => name === part.name;
  const tool = listed.find(named) ?? callable().find(named);
  if (!tool) {
    const message = await unknownTool(part.name, [...listed, ...callable()]);
    return { kind: "refused", part, message, fault: { ...NOT_RUN, reason: "unknown_tool" } };
  }
  const schema = schemaOf(tool);
  const input = coerceArguments(schema, part.input);
  const problem = brokenJson(input) ?? explainMismatch({ type: "object", ...schema }, input);
  if (problem === undefined) return { kind: "ready", part, tool, input };
  const message = `${part.name} was not run: ${problem}. Call it again with corrected arguments`;
  return { kind: "refused", part, message, fault: { ...NOT_RUN, reason: "bad_arguments" } };
}

const NOT_RUN: ToolFault = { kind: "tool_error", retrySafe: true };

/** A server's tool is checked against the schema its server sent: the model's version may be simplified. */
function schemaOf({ definition, parameters }: ToolDescriptor): JsonSchema {
  const own = definition?.["inputSchema"];
  return isRecord(own) ? own : parameters;
}

/** Adapters pass on arguments that are not JSON as the text the model wrote. */
function brokenJson(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  try {
    JSON.parse(input);
    return undefined;
  } catch (error) {
    return `its arguments are not valid JSON (${(error as Error).message})`;
  }
}

async function unknownTool(name: string, tools: readonly ToolDescriptor[]): Promise<string> {
  const similar = await closestNames(name, [...new Set(tools.map((tool) => tool.name))]);
  const hint = similar.length > 0 ? `; did you mean ${similar.join(" or ")}?` : "";
  return `there is no tool named ${JSON.stringify(name)}${hint}`;
}

async function runOne({ part }: ReadyCall, call: ToolCall, options: RunCallsOptions): Promise<ToolEntry> {
  const { box, signal, emit, caller } = options;
  if (signal.aborted) return entryOf(part, abortedOutcome(part.id, part.name, false));
  emit({ kind: "tool_start", call: part, sent: call.input });
  const progress: Caller["progress"] = (note) => {
    emit({ kind: "tool_progress", id: part.id, note });
    caller?.progress?.(note);
  };
  const outcome = await box.runner.run(call, signal, { key: "agent", can: {}, ...caller, progress });
  return { ...entryOf(part, outcome), sent: call.input };
}

function entryOf({ id, name, input }: ToolCallPart, outcome: ToolOutcome): ToolEntry {
  const { result, isError } = outcome;
  const { content, origin } = result;
  const fault = outcome.fault ?? result.fault;
  return {
    ...{ kind: "tool", id, name, given: input, content, isError },
    ...(origin && { origin }),
    ...(fault && { fault }),
  };
}

function refusedEntry({ part, message, fault }: RefusedCall): ToolEntry {
  return failedEntry(part, message, fault);
}

function repeatedEntry(part: ToolCallPart): ToolEntry {
  return failedEntry(part, repeatedMessage(part.name), {
    kind: "tool_error",
    reason: REPEATED,
    retrySafe: true,
  });
}

function failedEntry({ id, name, input }: ToolCallPart, text: string, fault: ToolFault): ToolEntry {
  return { kind: "tool", id, name, given: input, content: [{ kind: "text", text }], isError: true, fault };
}

/**
 * Groups calls into batches that run one after the other. Adjacent read-only calls share a batch and run concurrently. Every
 * other call has its own batch, so changes happen in the order the model asked for.
 */
export function callBatches<Call extends { readonly isReadOnly: boolean }>(
  calls: readonly Call[],
): readonly (readonly Call[])[] {
  const batches: Call[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (call.isReadOnly && last?.every(({ isReadOnly }) => isReadOnly)) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

/** After this many equal answers in a row, the same call is not run again. */
const MAX_EQUAL = 3;
/** After this many refused calls the turn ends. */
const MAX_REFUSED = 3;

type RepeatVerdict = "run" | "refuse" | "end";

/**
 * Decides whether to run a call again: a call that got the same answer several times in a row would get it once more. A
 * call whose answers differ, such as a poll, keeps running.
 */
function judgeRepeat(
  transcript: readonly TranscriptEntry[],
  call: { readonly name: string; readonly input: unknown },
): RepeatVerdict {
  const wanted = callKey(call.name, call.input);
  let equal = 0;
  let refused = 0;
  let answer: string | undefined;
  for (let position = transcript.length - 1; position >= 0; position--) {
    const entry = transcript[position];
    if (entry?.kind === "user") break;
    if (entry?.kind !== "tool") continue;
    if (callKey(entry.name, entry.given) !== wanted) break;
    if (entry.fault?.reason === REPEATED) {
      refused++;
      continue;
    }
    answer ??= answerKey(entry);
    if (answerKey(entry) !== answer) break;
    equal++;
  }
  if (equal < MAX_EQUAL) return "run";
  return refused < MAX_REFUSED ? "refuse" : "end";
}

/** The reason of the fault of a call that was not run again. */
const REPEATED = "repeated";

/** The answer to a call that is not run again. */
function repeatedMessage(name: string): string {
  return `${name} was not run: the same call with the same arguments gave the same answer ${MAX_EQUAL} times. Change the arguments, use another tool, or answer with what is known`;
}

function callKey(name: string, input: unknown): string {
  return `${name} ${canonicalJson(input ?? null)}`;
}

function answerKey({ content, isError }: ToolEntry): string {
  return `${isError} ${JSON.stringify(content)}`;
}
