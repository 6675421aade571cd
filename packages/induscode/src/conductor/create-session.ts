import { createEventQueue, joinSignals, Listeners } from "indusagi/core";
import type { ModelPort, ModelUsage, ToolDescriptor } from "indusagi/llm";
import {
  type Agent,
  addUsage,
  type Caller,
  createAgent,
  listCost,
  type ToolBox,
  type ToolCall,
} from "indusagi/runtime";
import type { Policy, PolicyMode } from "../policy/index.ts";
import {
  type ContextUse,
  type Session,
  type SessionContent,
  SessionError,
  type SessionEvent,
  type SessionRewind,
  type SessionRewindOptions,
  type SessionTurn,
  type SessionUsage,
} from "./contract.ts";
import { sessionBoxes } from "./parts/session-boxes.ts";
import type { SessionParts } from "./parts/session-parts.ts";
import { sessionCaller } from "./questions/answer-questions.ts";
import { createTurnFiles, type TurnFiles } from "./rewind/turn-files.ts";
import { createSessionRecord, type SessionRecord, unansweredRewind } from "./transcript/session-record.ts";

/** Opens a session over its parts. Throws if its transcript cannot be opened. */
export function createSession(parts: SessionParts): Session {
  return new Conductor(parts);
}

class Conductor implements Session {
  readonly id: string;
  readonly cwd: string;
  readonly box: ToolBox;
  readonly #parts: SessionParts;
  readonly #record: SessionRecord;
  readonly #model: SessionModel;
  readonly #files: TurnFiles;
  readonly #gated: ToolBox;
  readonly #events = new SessionEvents();
  readonly #caller: Caller;
  #agent: Agent;
  #autoCompact: boolean;
  #usage: ModelUsage = {};
  #brief: { readonly tools: unknown; readonly text: string } | undefined;
  /** Work that must not run at the same time as a turn. */
  #work: "shortened" | "rewound" | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    const { id, cwd, user, policy } = parts;
    this.#parts = parts;
    this.id = id;
    this.cwd = cwd;
    this.#autoCompact = parts.autoCompact ?? true;
    const emit = (event: SessionEvent): void => this.#events.emit(event);
    const notice = (message: string): void => emit({ kind: "notice", message });
    this.#record = createSessionRecord(parts, notice);
    this.#model = createSessionModel(parts, notice);
    this.#files = createTurnFiles(parts, this.#record, notice);
    this.#caller = sessionCaller(this, user);
    const setMode = (mode: PolicyMode): void => this.setMode(mode);
    const boxes = sessionBoxes(parts, { emit, notice, setMode, files: this.#files, model: this.#model });
    this.box = boxes.offered;
    this.#gated = boxes.gated;
    parts.onGated?.(boxes.gated);
    this.#agent = this.#newAgent();
    this.#connectTasks();
    // Without a user it is reported with the first refused command.
    if (user && !parts.isNext && parts.sandboxProblem !== undefined) notice(parts.sandboxProblem);
    if (this.#record.state.mode !== policy.mode) this.#record.append({ type: "mode", mode: policy.mode });
  }

  get mode(): PolicyMode {
    return this.#parts.policy.mode;
  }

  setMode(mode: PolicyMode): void {
    if (mode === this.mode) return;
    this.#parts.policy.setMode(mode);
    this.#record.append({ type: "mode", mode });
    this.#events.emit({ kind: "mode", mode });
  }

  get model(): string {
    return this.#model.id;
  }

  setModel(name: string): void {
    if (!this.#model.change(name)) return;
    this.#record.append({ type: "model", model: name });
    this.#events.emit({ kind: "model", model: name });
  }

  get autoCompact(): boolean {
    return this.#autoCompact;
  }

  setAutoCompact(isOn: boolean): void {
    this.#autoCompact = isOn;
  }

  send(
    content: SessionContent,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SessionEvent> {
    this.#requireIdle();
    this.#system();
    const left = new AbortController();
    const queue = createEventQueue<SessionEvent>({
      onLeave: () => left.abort(new Error("the reader of the turn left")),
    });
    // The turn is over before its end is read, so the reader can send again immediately.
    const end = (event: SessionEvent): void => {
      this.#events.endTurn();
      queue.push(event);
      queue.close();
    };
    this.#events.beginTurn((event) => queue.push(event));
    void this.#runTurn(content, joinSignals(signal, left.signal)).then(end, (error: unknown) =>
      end({ kind: "end", reason: "failed", steps: 0, usage: {}, error }),
    );
    return queue.events;
  }

  /** Events are recorded as they happen, however slow the reader is. */
  async #runTurn(content: SessionContent, signal: AbortSignal): Promise<SessionEvent> {
    await this.#files.beginTurn();
    let end: SessionEvent | undefined;
    for await (const event of this.#agent.send(content, { signal })) {
      if (event.kind === "text_delta") this.#record.partial(event.text);
      if (event.kind === "entry") this.#record.append({ type: "entry", entry: event.entry });
      if (event.kind === "end") end = event;
      else this.#events.emit(event);
    }
    if (end?.kind !== "end") throw new Error("the turn ended without an end event");
    this.#spend(end.usage);
    await this.#files.endTurn();
    if (end.reason === "failed" || end.reason === "aborted") this.#dropUnanswered();
    await this.#record.flush();
    return end;
  }

  /** A message that nothing answered leaves the conversation: the next request would send it once more. */
  #dropUnanswered(): void {
    const { state } = this.#record;
    if (!state.isUnanswered) return;
    this.#record.append(unansweredRewind(state));
    this.#agent = this.#newAgent();
  }

  complete(...request: Parameters<Session["complete"]>): ReturnType<Session["complete"]> {
    return this.#model.port.stream(...request);
  }

  onEvent(listener: (event: SessionEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  transcript(): ReturnType<Session["transcript"]> {
    return this.#agent.transcript();
  }

  usage(): SessionUsage {
    const { inputTokens, cachedInputTokens } = this.#usage;
    if (!inputTokens || cachedInputTokens === undefined) return this.#usage;
    return { ...this.#usage, cacheHitShare: Math.min(1, cachedInputTokens / inputTokens) };
  }

  async context(): Promise<ContextUse> {
    const { estimateTokens } = await import("indusagi/llm");
    const toolTokens = listCost(this.box.descriptors());
    const systemTokens = estimateTokens(this.#system());
    const tokens = (await this.#agent.contextTokens()) + toolTokens + systemTokens;
    return { tokens, toolTokens, systemTokens, windowTokens: this.#model.windowTokens };
  }

  compact(signal?: AbortSignal): ReturnType<Session["compact"]> {
    return this.#alone("shortened", async () => {
      const entry = await this.#agent.compact(signal);
      if (entry) this.#record.append({ type: "entry", entry });
      return entry;
    });
  }

  exportMarkdown(): string {
    return this.#record.markdown(this.model);
  }

  turns(): readonly SessionTurn[] {
    return this.#files.turns();
  }

  rewind(turn: number, options: SessionRewindOptions = {}): Promise<SessionRewind> {
    const { target = "both", force = false } = options;
    return this.#alone("rewound", async () => {
      const done = await this.#files.rewind(turn, { target, force });
      // An agent can only append, so a shorter conversation needs a new one.
      if (done.done && target !== "files") this.#agent = this.#newAgent();
      return done;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#record.close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newAgent(): Agent {
    const { thinking, maxSteps, policy } = this.#parts;
    const system = (): string => this.#system();
    const context = () => ({ windowTokens: this.#model.windowTokens, auto: this.#autoCompact });
    return createAgent({
      model: this.#model.port,
      box: this.box,
      transcript: this.#record.state.entries,
      results: { store: this.#record.results },
      toolsChange: "turn",
      callable: () => this.#gated.descriptors(),
      caller: this.#caller,
      // Sub-agents run in parallel; each one's calls run in order.
      isReadOnly: (call, tool) => call.name === "task" || isReader(policy, call, tool),
      // Read for each request: both change while the agent exists.
      get system() {
        return system();
      },
      get context() {
        return context();
      },
      ...(thinking && { thinking }),
      ...(maxSteps !== undefined && { maxSteps }),
    });
  }

  /** Changes with the tools, but not during a turn. */
  #system(): string {
    const tools = this.box.descriptors();
    const isStale = this.#brief?.tools !== tools && !this.#events.hasTurn;
    if (!this.#brief || isStale) this.#brief = { tools, text: this.#parts.brief(tools) };
    return this.#brief.text;
  }

  #connectTasks(): void {
    const { tasks, cwd, thinking, readOnlyPolicy, policy } = this.#parts;
    tasks?.connect({
      box: this.#gated,
      model: this.#model.port,
      window: this.#model,
      readOnlyPolicy,
      cwd,
      caller: this.#caller,
      record: (id) => this.#record.openTask(id),
      results: this.#record.results,
      spent: (usage) => this.#spend(usage),
      isReadOnly: (call, tool) => isReader(policy, call, tool),
      ...(thinking && { thinking }),
    });
  }

  #spend(usage: ModelUsage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  async #alone<Result>(work: "shortened" | "rewound", run: () => Promise<Result>): Promise<Result> {
    this.#requireIdle();
    this.#work = work;
    try {
      return await run();
    } finally {
      this.#work = undefined;
    }
  }

  #requireIdle(): void {
    if (this.#events.hasTurn) throw new SessionError("busy", "a turn is running; wait for its end event");
    if (this.#work)
      throw new SessionError("busy", `the session is being ${this.#work}; wait until that is done`);
  }
}

/** Whether a call changes nothing. An unknown effect counts as a change; the gate refuses the call. */
function isReader(policy: Policy, call: ToolCall, tool: ToolDescriptor): boolean {
  // It needs no approval of its own, but what it runs may change something.
  if (call.name === "saas-action" && !tool.origin) return false;
  try {
    return policy.examine(tool, call.input, call).readOnly;
  } catch {
    return false;
  }
}

type Reader = (event: SessionEvent) => void;

/** Sends events to the reader of the running turn, else to the listeners, else queues them until there is either. */
class SessionEvents {
  readonly #listeners = new Listeners<SessionEvent>();
  #turn: Reader | undefined;
  /** Events from before there was a listener, such as problems at the start. */
  readonly #unread: SessionEvent[] = [];
  #hasListened = false;

  get hasTurn(): boolean {
    return this.#turn !== undefined;
  }

  emit(event: SessionEvent): void {
    if (this.#turn) this.#turn(event);
    else if (this.#hasListened) this.#listeners.emit(event);
    else this.#unread.push(event);
  }

  listen(listener: Reader): () => void {
    const remove = this.#listeners.add(listener);
    this.#hasListened = true;
    for (const event of this.#unread.splice(0)) listener(event);
    return remove;
  }

  beginTurn(reader: Reader): void {
    this.#turn = reader;
    for (const event of this.#unread.splice(0)) reader(event);
  }

  endTurn(): void {
    this.#turn = undefined;
  }
}

/** The model of a session, which may be replaced between two requests. */
interface SessionModel {
  readonly id: string;
  /** Always asks the current model. */
  readonly port: ModelPort;
  readonly windowTokens: number;
  /** Calls the listener after each change of the model. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Throws if the model cannot be used. False: it is the current one. */
  change(name: string): boolean;
}

/** Throws if the first model cannot be used. */
function createSessionModel(
  { models, model: first }: Pick<SessionParts, "models" | "model">,
  notice: (message: string) => void,
): SessionModel {
  let current = models.open(first, notice);
  const listeners = new Listeners();
  return {
    get id() {
      return current.id;
    },
    get windowTokens() {
      return models.windowTokens(current.id);
    },
    port: {
      get id() {
        return current.id;
      },
      stream: (request, signal) => current.stream(request, signal),
    },
    onChange: (listener) => listeners.add(listener),
    change: (name) => {
      if (name === current.id) return false;
      current = models.open(name, notice);
      listeners.emit();
      return true;
    },
  };
}
