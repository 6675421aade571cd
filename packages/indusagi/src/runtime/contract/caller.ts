/** The progress of a running call. */
export interface ProgressNote {
  /** Increases with every note of one call. */
  readonly progress: number;
  /** The final value of `progress`, if known. */
  readonly total?: number;
  /** A short description of the current step. */
  readonly message?: string;
}

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A log entry from a tool. */
export interface LogEntry {
  readonly level: LogLevel;
  /** The part of the tool or server that wrote the entry. */
  readonly logger?: string;
  readonly data: unknown;
}

/** The name and version that the client reported. Not authenticated: for logs and display only. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
}

/** What the caller can do for a running tool. An absent member means it cannot. */
export interface CallerAbilities {
  /** Show the user a form, or a URL to visit. */
  readonly elicit?: { readonly form?: boolean; readonly url?: boolean };
  /** Run a model for the tool. */
  readonly sample?: { readonly tools?: boolean; readonly context?: boolean };
  /** List the folders it works in. */
  readonly roots?: boolean;
  /** Handle a suspended outcome: repeat the call with `resume`. */
  readonly suspend?: boolean;
  /** Follow a call as a task: handle an outcome with a `task`. */
  readonly task?: boolean;
  /** The protocol extensions it declared, by id, with their settings; as far as the tool may learn of them. */
  readonly extensions?: { readonly [id: string]: { readonly [setting: string]: unknown } };
}

/** Continues a suspended call: the state of the suspension, and the answers to its questions. */
export interface Resumption {
  readonly state?: string;
  readonly responses: Answers;
}

/**
 * The origin of a call, and what can be sent back while it runs. Every layer passes it on with the call; there is no
 * other channel. Absent means that our own code makes the call and questions cannot be answered.
 */
export interface Caller {
  /** The owner of the call: a session, else a principal, else a listener. A question is never shared between different keys. */
  readonly key: string;
  /** True if the key is only for this request: its client has neither a session nor a principal. */
  readonly isSingle?: boolean;
  /** The authenticated user, if any. */
  readonly principal?: string;
  readonly client?: ClientInfo;
  readonly can: CallerAbilities;
  /** Reports progress. Never throws or blocks; notes after the outcome are dropped. */
  progress?(note: ProgressNote): void;
  /** Sends a log entry to the caller. Never throws or blocks. */
  log?(entry: LogEntry): void;
  /** The level the caller asked for; less severe entries are dropped. Absent: none was set. */
  readonly logLevel?: LogLevel;
  /**
   * Asks a batch of questions and waits for all answers. Rejects if the caller cannot or will not answer; if the
   * signal aborts, rejects with the signal's reason.
   */
  ask?(requests: Questions, signal?: AbortSignal): Promise<Answers>;
  /** Lets the call go on as a task: the caller is answered now, and asks for the result later. Absent: it cannot. */
  asTask?(): void;
  /** Set if this call continues a suspended one. */
  readonly resume?: Resumption;
  /** Set if a program makes the call: the hash of its text. */
  readonly program?: string;
  /** For whoever asks somebody other than the caller: the time until the answer does not count as the call's own. */
  waitFor?<T>(answer: Promise<T>): Promise<T>;
}

/** The questions a tool may ask its caller. */
export type QuestionMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** One question in MCP's own format, so it can be relayed without being parsed. */
export interface Question {
  readonly method: QuestionMethod;
  readonly params?: { readonly [member: string]: unknown };
}

/** A batch of questions. The asker chooses the keys. */
export interface Questions {
  readonly [key: string]: Question;
}

/** The answers under the same keys. Each is the MCP result for the question's method. */
export interface Answers {
  readonly [key: string]: unknown;
}
