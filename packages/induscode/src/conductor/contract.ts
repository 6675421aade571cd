import { CoreError } from "indusagi/core";
import type { ModelEvent, ModelRequest, ModelUsage, ToolDescriptor, UserMessage } from "indusagi/llm";
import type {
  AgentEvent,
  Answers,
  CallerAbilities,
  CompactionEntry,
  Questions,
  ToolBox,
  ToolCall,
  TranscriptEntry,
} from "indusagi/runtime";
import type { ApprovalAnswer, PolicyMode } from "../policy/index.ts";

/** What the user says: text, or text with images. */
export type SessionContent = string | UserMessage["content"];

/**
 * An event of a session. A turn ends with `end`, like an agent's. `mode`, `model` and `notice` may also come between turns,
 * through `Session.onEvent`.
 */
export type SessionEvent =
  | AgentEvent
  | { readonly kind: "mode"; readonly mode: PolicyMode }
  | { readonly kind: "model"; readonly model: string }
  /** A plan of the model, and what became of it. `path`: its file, absent if it could not be written. */
  | {
      readonly kind: "plan";
      readonly state: "presented" | "approved" | "returned";
      readonly plan: string;
      readonly path?: string;
    }
  /** One line for the user. */
  | { readonly kind: "notice"; readonly message: string };

/** What a call would do, as data. The text comes from a model or a server: escape it before printing it. */
export type CallPreview =
  | { readonly kind: "command"; readonly command: string; readonly cwd: string }
  /** A unified diff. `isNew`: the file does not exist yet. */
  | { readonly kind: "diff"; readonly path: string; readonly diff: string; readonly isNew: boolean }
  /** The arguments as indented JSON. */
  | { readonly kind: "arguments"; readonly json: string };

/** A call that needs approval. */
export interface SessionApproval {
  readonly call: ToolCall;
  readonly descriptor: ToolDescriptor;
  /** Why it asks, as a phrase: `default mode`, or `the path /etc/hosts outside the session's folders`. */
  readonly reason: string;
  readonly preview: CallPreview;
  /** Allow rules that would cover this call and similar ones, the narrowest first. Empty if no rule can. */
  readonly rules: readonly string[];
  /** The sub-agent that makes the call. Absent: the session itself. */
  readonly agent?: string;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** A plan that waits for a decision. */
export interface PlanQuestion {
  /** Markdown, written by the model. */
  readonly plan: string;
  /** The file that holds it. Absent if it could not be written. */
  readonly path?: string;
  readonly signal: AbortSignal;
}

/** `mode`: how the session continues. `message`: what the model should change in the plan. */
export type PlanAnswer =
  | { readonly approved: true; readonly mode: Exclude<PolicyMode, "plan"> }
  | { readonly approved: false; readonly message?: string };

/** The front end of a session: the answers of a person, or of the program that drives the session. */
export interface SessionUser {
  /** Decides about a call. `rule` in the answer means "always": the rule is kept for later sessions of the folder. */
  approve(question: SessionApproval): Promise<ApprovalAnswer>;
  approvePlan(question: PlanQuestion): Promise<PlanAnswer>;
  /** What `ask` can answer. Servers are told when they are opened. */
  readonly can: CallerAbilities;
  /** Answers questions of servers, as `Caller.ask` does. */
  ask?(requests: Questions, signal?: AbortSignal): Promise<Answers>;
}

/** The tokens of all turns so far. */
export interface SessionUsage extends ModelUsage {
  /** The share of the input that came from the vendor's cache, between 0 and 1. Absent if the vendor reports none. */
  readonly cacheHitShare?: number;
}

/** How much of the model's window the next request needs. Estimates. */
export interface ContextUse {
  /** Everything: system prompt, tools and conversation. */
  readonly tokens: number;
  readonly windowTokens: number;
  readonly toolTokens: number;
  readonly systemTokens: number;
}

/** One message of the user and what followed. */
export interface SessionTurn {
  /** Counts from 1. */
  readonly turn: number;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The text of the user's message. */
  readonly text: string;
  /** The files that our tools changed, absolute. */
  readonly paths: readonly string[];
  /** The whole folder was saved before the turn, so what commands changed can be undone. */
  readonly hasSnapshot: boolean;
}

export type RewindTarget = "files" | "conversation" | "both";

export interface SessionRewindOptions {
  /** Default: `both`. */
  readonly target?: RewindTarget;
  /** Also restore files that someone else changed since. */
  readonly force?: boolean;
}

/** What a rewind did. */
export interface SessionRewind {
  /** False: there were conflicts, and nothing was changed. */
  readonly done: boolean;
  /** Files restored to their content before the turn, including those removed since. Absolute. */
  readonly restored: readonly string[];
  /** Files that did not exist before the turn, and were removed. */
  readonly removed: readonly string[];
  /** Paths that differ from what the session wrote there, each with the reason. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  /** Paths that are never changed, each with the reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** What the rewind could not cover, in one line. */
  readonly warning?: string;
}

/** A conversation between a user and a model that works with the tools of a folder. */
export interface Session extends AsyncDisposable {
  /** A ULID. `--resume` takes it. */
  readonly id: string;
  readonly cwd: string;
  /** The tools behind the policy, as the model gets them. */
  readonly box: ToolBox;
  readonly mode: PolicyMode;
  setMode(mode: PolicyMode): void;
  /** `provider/name`. */
  readonly model: string;
  /** Takes effect with the next request. Throws, with the fix, if the model cannot be used. */
  setModel(name: string): void;
  /**
   * Sends a user message and runs the model until it is done. Never throws: the last event is `end`. Leaving the loop early
   * aborts the turn. One turn runs at a time. If the turn fails or is aborted before anything answered, the message is not part
   * of the conversation: the last turn is the one before it.
   */
  send(content: SessionContent, options?: { readonly signal?: AbortSignal }): AsyncIterable<SessionEvent>;
  /** Asks the model of the session outside of the conversation. */
  complete(request: ModelRequest, signal?: AbortSignal): AsyncIterable<ModelEvent>;
  /** Called with events between turns. Returns a function that removes the listener. */
  onEvent(listener: (event: SessionEvent) => void): () => void;
  transcript(): readonly TranscriptEntry[];
  usage(): SessionUsage;
  context(): Promise<ContextUse>;
  /** Whether the conversation is shortened automatically when the window fills. */
  readonly autoCompact: boolean;
  setAutoCompact(isOn: boolean): void;
  /** Shortens the conversation now. Undefined if there is nothing to shorten. */
  compact(signal?: AbortSignal): Promise<CompactionEntry | undefined>;
  /** The whole conversation as Markdown. */
  exportMarkdown(): string;
  /** The turns that can be undone, oldest first. */
  turns(): readonly SessionTurn[];
  /** Goes back to the state before a turn. Throws while a turn runs. */
  rewind(turn: number, options?: SessionRewindOptions): Promise<SessionRewind>;
  /** Waits for the transcript to be on the disk. */
  close(): Promise<void>;
}

/** Why a session cannot be opened or used. */
export type SessionErrorKind =
  /** There is no such session to continue. */
  | "unknown_session"
  /** Its transcript cannot be read. */
  | "damaged"
  /** Another process uses it. */
  | "in_use"
  /** The session has no such turn. */
  | "unknown_turn"
  /** A turn is running. */
  | "busy";

/** A session cannot be opened or used. The message names the fix. */
export class SessionError extends CoreError<SessionErrorKind> {}
