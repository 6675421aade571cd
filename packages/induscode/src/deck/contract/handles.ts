import type { JsonSchema } from "indusagi/llm";
import type { Caller, ToolResult } from "indusagi/runtime";

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
  discover(query: SaasQuery, call: HandleCall): Promise<readonly SaasAction[]>;
  execute(slug: string, input: { readonly [name: string]: unknown }, call: HandleCall): Promise<ToolResult>;
}

/** The notes of a session. A rejection becomes an error result. */
export interface MemoryStore {
  read(): Promise<string>;
  replace(content: string): Promise<void>;
  append(content: string): Promise<void>;
}
