import { describeError, joinSignals, mintUlid, untilAborted } from "indusagi/core";
import type { ModelPort, ModelUsage, ThinkingLevel, ToolDescriptor } from "indusagi/llm";
import {
  type Agent,
  type AgentEndReason,
  type Caller,
  createAgent,
  createMemoryResultStore,
  failureResult,
  type ResultStore,
  type ToolBox,
  type ToolCall,
  type ToolResult,
  type TranscriptEntry,
  viewBox,
} from "indusagi/runtime";
import type {
  DelegateAgent,
  DelegateRequest,
  DelegateRunner,
  HandleCall,
} from "../../deck/contract/index.ts";
import { gate, type Policy } from "../../policy/index.ts";
import { type ModelWindow, withinWindow } from "../parts/stable-order.ts";

/** What sub-agents get from their session. */
export interface TaskSession {
  /** The tools of the session behind its policy. */
  readonly box: ToolBox;
  readonly model: ModelPort;
  readonly thinking?: ThinkingLevel;
  /** The window of that model. */
  readonly window: ModelWindow;
  /** A policy in plan mode: only calls that change nothing pass it. */
  readonly readOnlyPolicy: Policy;
  readonly isReadOnly: (call: ToolCall, tool: ToolDescriptor) => boolean;
  readonly cwd: string;
  /** Opens the transcript of a sub-agent. */
  readonly record: (id: string) => { append(entry: TranscriptEntry): void; close(): Promise<void> };
  /** The session's long results, including the output of commands. */
  readonly results?: Pick<ResultStore, "read" | "isEmpty">;
  readonly spent: (usage: ModelUsage) => void;
  readonly caller: Caller;
}

/** Sub-agents for the `task` card, which is built before its session: the session connects itself later. */
export interface TaskRunner {
  readonly runner: DelegateRunner;
  connect(session: TaskSession): void;
}

const MAX_AT_ONCE = 4;

export function createTaskRunner(): TaskRunner {
  const slots = new Slots(MAX_AT_ONCE);
  let session: ConnectedSession | undefined;
  return {
    connect: (given) => {
      session = { ...given, boxes: new Map(SUB_AGENTS.map((kind) => [kind.name, boxesFor(kind, given)])) };
    },
    runner: {
      listAgents: () =>
        SUB_AGENTS.map(({ name, description, isReadOnly }) => ({ name, description, readOnly: isReadOnly })),
      run: async (request, call) => {
        const connected = session;
        if (!connected) return failureResult("task: the session is not open yet");
        return slots.run(() => runTask(connected, request, call), call.signal);
      },
    },
  };
}

/** A kind of sub-agent: what it may do, and how long it may work. */
interface SubAgent extends DelegateAgent {
  readonly description: string;
  /** Only calls that change nothing run. */
  readonly isReadOnly: boolean;
  /** The limit of requests to its model. */
  readonly maxSteps: number;
  /** The limit of tokens, without cached ones. */
  readonly maxTokens: number;
  /** What it is told besides the objective. */
  readonly brief: string;
}

const SHARED_BRIEF =
  "You are a sub-agent of Indus. You see only what this message says, and no user can answer questions. Your last message is " +
  "the whole answer: make it complete and short, and name files as path:line.";

/** The default. */
const GENERAL: SubAgent = {
  name: "general",
  description:
    "does a piece of work with the same tools and permissions as this session, except task and plan mode",
  isReadOnly: false,
  maxSteps: 60,
  maxTokens: 600_000,
  brief: `${SHARED_BRIEF} Do the work yourself, and check the result.`,
};

/** The kinds of sub-agents, the default first. */
const SUB_AGENTS: readonly SubAgent[] = [
  GENERAL,
  {
    name: "explore",
    description: "searches and reads, and changes nothing; for questions about code and documents",
    isReadOnly: true,
    maxSteps: 30,
    maxTokens: 300_000,
    brief: `${SHARED_BRIEF} You can only read: every call that would change something is refused.`,
  },
];

interface ConnectedSession extends TaskSession {
  /** The tools of each kind of sub-agent. Created once, because they listen to changes of the session's tools. */
  readonly boxes: ReadonlyMap<string, TaskBoxes>;
}

interface TaskBoxes {
  /** All tools of the sub-agent. */
  readonly all: ToolBox;
  /** What its model gets, limited to what fits its window. */
  readonly offered: ToolBox;
}

async function runTask(
  session: ConnectedSession,
  request: DelegateRequest,
  call: HandleCall,
): Promise<ToolResult> {
  const kind = SUB_AGENTS.find(({ name }) => name === request.agent) ?? GENERAL;
  const id = mintUlid();
  const transcript = session.record(id);
  const { all, offered } = session.boxes.get(kind.name) ?? boxesFor(kind, session);
  const agent = createAgent({
    model: session.model,
    box: asNow(offered),
    callable: () => all.descriptors(),
    system: `${kind.brief}\n\nWorking folder: ${session.cwd}`,
    maxSteps: kind.maxSteps,
    context: { windowTokens: session.window.windowTokens },
    isReadOnly: session.isReadOnly,
    results: { store: ownResults(session) },
    toolsChange: "turn",
    caller: { ...session.caller, client: { name: kind.name } },
    ...(session.thinking && { thinking: session.thinking }),
  });
  try {
    return await follow(agent, { kind, id, request, call, session, transcript });
  } finally {
    await transcript.close();
  }
}

/** A sub-agent's own results end with it, but the output of its commands is stored with the session's. */
function ownResults({ results }: TaskSession): ResultStore {
  const own = createMemoryResultStore();
  return {
    keep: (id, text) => own.keep(id, text),
    read: async (id) => (await own.read(id)) ?? results?.read(id),
    isEmpty: () => (own.isEmpty?.() ?? true) && (results?.isEmpty?.() ?? true),
  };
}

interface RunningTask {
  readonly kind: SubAgent;
  readonly id: string;
  readonly request: DelegateRequest;
  readonly call: HandleCall;
  readonly session: Pick<TaskSession, "spent">;
  readonly transcript: ReturnType<TaskSession["record"]>;
}

async function follow(
  agent: Agent,
  { kind, id, request, call, session, transcript }: RunningTask,
): Promise<ToolResult> {
  const { objective, context } = request;
  const message = context === undefined ? objective : `${objective}\n\nBackground:\n${context}`;
  const budget = new AbortController();
  let progress = 0;
  let tokens = 0;
  for await (const event of agent.send(message, { signal: joinSignals(call.signal, budget.signal) })) {
    if (event.kind === "entry") {
      transcript.append(event.entry);
      tokens += event.entry.kind === "assistant" ? tokensOf(event.entry.usage) : 0;
      if (tokens > kind.maxTokens) budget.abort(new Error("the budget is used up"));
    }
    if (event.kind === "tool_start")
      call.caller?.progress?.({ progress: ++progress, message: `${kind.name}: ${event.call.name}` });
    if (event.kind !== "end") continue;
    session.spent(event.usage);
    return taskResult(agent.transcript(), { ...event, id, kind, isOverBudget: budget.signal.aborted });
  }
  return failureResult("task: the sub-agent ended without an answer");
}

function boxesFor(kind: SubAgent, session: TaskSession): TaskBoxes {
  const all = boxFor(kind, session);
  return { all, offered: withinWindow(all, session.window) };
}

/** Tools only for the session itself: they would change what the user sees, or start more sub-agents. */
const SESSION_ONLY: ReadonlySet<string> = new Set([
  "task",
  "enter_plan_mode",
  "exit_plan_mode",
  "todo",
  "todo_set",
  "todo_read",
]);

/** A read-only sub-agent has a second gate, and does not see tools it can never run. */
function boxFor({ isReadOnly }: SubAgent, { box, readOnlyPolicy }: TaskSession): ToolBox {
  const shared = filtered(box, ({ name, origin }) => origin !== undefined || !SESSION_ONLY.has(name));
  if (!isReadOnly) return shared;
  const readers = filtered(
    shared,
    ({ name, annotations, origin }) => annotations?.readOnlyHint === true || (name === "bash" && !origin),
  );
  return gate(readers, readOnlyPolicy);
}

function filtered(box: ToolBox, keep: (tool: ToolDescriptor) => boolean): ToolBox {
  return viewBox(box, { show: (tool) => (keep(tool) ? tool : undefined) });
}

/** A fixed copy of the tools: they do not change during a sub-agent's only turn, and it must not keep a listener after it. */
function asNow(box: ToolBox): ToolBox {
  const tools = box.descriptors();
  return { descriptors: () => tools, onChange: () => () => {}, refusalOf: box.refusalOf, runner: box.runner };
}

interface TaskEnd {
  readonly id: string;
  readonly reason: AgentEndReason;
  readonly steps: number;
  readonly usage: ModelUsage;
  readonly kind: Pick<SubAgent, "maxSteps" | "maxTokens">;
  readonly isOverBudget: boolean;
  readonly error?: unknown;
}

function taskResult(transcript: readonly TranscriptEntry[], end: TaskEnd): ToolResult {
  const { id, reason, steps, usage } = end;
  const text = lastText(transcript);
  const structured = { task: id, reason, steps, usage };
  const problem = problemOf(end);
  if (problem === undefined) return { content: [{ kind: "text", text: text || "(no answer)" }], structured };
  const said = text === "" ? "" : `\n\nIts last message:\n${text}`;
  return { ...failureResult(`task: ${problem}${said}`), structured };
}

function problemOf({ reason, kind, isOverBudget, error }: TaskEnd): string | undefined {
  const { maxSteps, maxTokens } = kind;
  if (isOverBudget) return `the sub-agent was stopped after ${maxTokens} tokens; give it a smaller objective`;
  if (reason === "stop" || reason === "length" || reason === "other") return undefined;
  if (reason === "step_limit")
    return `the sub-agent was stopped after ${maxSteps} steps; give it a smaller objective`;
  if (reason === "repeating") return "the sub-agent kept repeating the same call";
  if (reason === "refused") return "the model refused";
  return reason === "aborted" ? "the sub-agent was stopped" : `the model failed: ${describeError(error)}`;
}

function tokensOf({ inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 }: ModelUsage = {}): number {
  // Cached tokens cost little.
  return Math.max(0, inputTokens - cachedInputTokens) + outputTokens;
}

function lastText(transcript: readonly TranscriptEntry[]): string {
  const last = transcript.findLast((entry) => entry.kind === "assistant");
  if (last?.kind !== "assistant") return "";
  return last.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Limits how many tasks run concurrently; the others wait in order. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason if it aborts while the work waits. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    let wake = (): void => {};
    const turn = new Promise<void>((resolve) => (wake = resolve));
    this.#waiting.push(wake);
    try {
      await untilAborted(turn, signal);
    } catch (thrown) {
      const at = this.#waiting.indexOf(wake);
      // Already woken: pass the slot on.
      if (at === -1) this.#give();
      else this.#waiting.splice(at, 1);
      throw thrown;
    }
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
