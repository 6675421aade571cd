import type { ReadStateHandle } from "indusagi/capabilities";
import type { JsonSchema } from "indusagi/llm";
import type { Caller, ToolResult } from "indusagi/runtime";

/** The handles that a host may give to the cards. A card without its handle says so when called. */
export interface DeckFramework {
  /** Enables the read-before-edit gate of the native tools. */
  readonly readState?: ReadStateHandle;
  /** Keeps the previous content of files that `write` and `edit` change. */
  readonly checkpoint?: CheckpointStore;
  /** Runs the sub-agents of the `task` card. */
  readonly delegate?: DelegateRunner;
  /** The connectors of the `saas-action` card. */
  readonly saas?: SaasGatewayPort;
  /** The notes of the `memory` card. Default: in memory, for one deck. */
  readonly memory?: MemoryStore;
}

/** What a card gets when it is built. */
export interface DeckContext {
  /** The folder for relative paths. Absolute. */
  readonly cwd: string;
  readonly framework: DeckFramework;
}

/** What a handle may use during a call. */
export interface HandleCall {
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Who made the call, for progress and questions. */
  readonly caller?: Caller;
}

/** A kind of sub-agent. */
export interface DelegateAgent {
  readonly name: string;
  /** When to use it, in one line for a model. */
  readonly description?: string;
  /** Never changes anything. Default false. */
  readonly readOnly?: boolean;
}

export interface DelegateRequest {
  readonly objective: string;
  /** The name of a listed agent. Default: the runner chooses. */
  readonly agent?: string;
  /** Background that the sub-agent needs. */
  readonly context?: string;
}

/** Runs sub-agents. */
export interface DelegateRunner {
  listAgents(): readonly DelegateAgent[];
  /** Runs one sub-agent until it ends and returns its final answer. A rejection becomes an error result. */
  run(request: DelegateRequest, call: HandleCall): Promise<ToolResult>;
}

/** One action of a connector. */
export interface SaasAction {
  /** The vendor's name, unchanged. */
  readonly slug: string;
  readonly description?: string;
  readonly parameters?: JsonSchema;
  readonly toolkit?: string;
}

export interface SaasQuery {
  readonly toolkits?: readonly string[];
  readonly query?: string;
  /** Only this action. */
  readonly slug?: string;
}

/** A gateway to connectors. A rejection becomes an error result. */
export interface SaasGatewayPort {
  /** True: the gateway itself decides whether each execution is allowed, so `saas-action` needs no approval. Default false. */
  readonly decidesCalls?: boolean;
  discover(query: SaasQuery, call: HandleCall): Promise<readonly SaasAction[]>;
  execute(slug: string, input: { readonly [name: string]: unknown }, call: HandleCall): Promise<ToolResult>;
}

/** The notes of a session. A rejection becomes an error result. */
export interface MemoryStore {
  read(): Promise<string>;
  replace(content: string): Promise<void>;
  append(content: string): Promise<void>;
}

/** A regular file's state: its exact bytes and permission bits. */
export interface FileState {
  /** Large files come in pieces, to never be whole in memory. The pieces can be read once. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** Absent if the file system has no permission bits. */
  readonly mode?: number;
}

/** The state of a path before a change: a file, absent (`undefined`), or not readable. */
export type PreviousState = FileState | "unknown" | undefined;

/** Keeps the previous states of files under the current node of the transcript, to undo a node. */
export interface CheckpointStore {
  /**
   * Keeps the state that a path had before a change. The first record of a path in a node wins.
   * Rejects if the state cannot be kept; the caller must then not change the file.
   */
  record(absPath: string, previous: PreviousState): Promise<void>;
  /**
   * Notes the state after our change (`undefined` if the file is gone), so a restore can detect whether someone else changed
   * the file since.
   */
  wrote?(absPath: string, current: FileState | undefined): Promise<void>;
}
