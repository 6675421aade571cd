import type { Answers, Questions } from "./question.ts";

/** How far a running call has come. */
export interface ProgressNote {
  /** Grows with every note of one call. */
  readonly progress: number;
  /** What `progress` will reach, where that is known. */
  readonly total?: number;
  /** What is happening, in a few words. */
  readonly message?: string;
}

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** Something a tool wants to be on record. */
export interface LogEntry {
  readonly level: LogLevel;
  /** Which part of the tool or server speaks. */
  readonly logger?: string;
  readonly data: unknown;
}

/** The program at the other end, as it introduced itself. Not authenticated: for logs and display only. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
}

/** What the caller is able to do for a running tool. What is absent it cannot. */
export interface CallerAbilities {
  /** Put a form, or a URL to visit, before a person. */
  readonly elicit?: { readonly form?: boolean; readonly url?: boolean };
  /** Run a model for the tool. */
  readonly sample?: { readonly tools?: boolean; readonly context?: boolean };
  /** Say which folders it works in. */
  readonly roots?: boolean;
  /** Take a suspended outcome and come back with `resume`. */
  readonly suspend?: boolean;
  /** Follow a call as a task. */
  readonly task?: boolean;
}

/** Continues a call that was suspended: the state it was given, and what it asked for. */
export interface Resumption {
  readonly state?: string;
  readonly responses: Answers;
}

/**
 * Who is behind a call, and what can be sent back while it runs. It travels with the call through every layer;
 * nothing reaches around it. Absent means our own code calls and nobody is there to answer.
 */
export interface Caller {
  /** To whom the call is attributed: a session, else a principal, else a listener. Calls of different keys never share a question. */
  readonly key: string;
  /** Who was authenticated, where anybody was. */
  readonly principal?: string;
  readonly client?: ClientInfo;
  readonly can: CallerAbilities;
  /** Reports progress. Never throws, never blocks; a note after the outcome is dropped. */
  progress?(note: ProgressNote): void;
  /** Puts something on record with the caller. Never throws, never blocks. */
  log?(entry: LogEntry): void;
  /**
   * Asks a batch of questions and waits for all the answers. Rejects when the caller cannot or will not answer,
   * and with the signal's reason when it aborts.
   */
  ask?(requests: Questions, signal?: AbortSignal): Promise<Answers>;
  /** Set when this call takes up a suspended one. */
  readonly resume?: Resumption;
}
