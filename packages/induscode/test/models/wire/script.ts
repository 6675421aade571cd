/** One scripted answer of a model, in no vendor's form. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** Arguments as the text that a model wrote, also if it is not JSON. */
  readonly rawInput?: string;
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly finish?: "stop" | "length";
  /** Answer with this status instead. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** Cut the connection after this share of the answer. */
  readonly cutAfter?: number;
  /** Send nothing more after this share of the answer, and keep the connection. */
  readonly hangAfter?: number;
  /** Repeat the middle of the answer for ever. */
  readonly isEndless?: boolean;
}

/** What a vendor's wire does: its path, its checks, and how it writes an answer. */
export interface Wire {
  /** Whether a request belongs to this wire. */
  takes(path: string): boolean;
  /** Why the vendor would refuse the request. Undefined: it is fine. */
  refusal(body: RequestBody, headers: { readonly [name: string]: unknown }): string | undefined;
  /** The server-sent events of an answer, in order. */
  events(answer: ScriptedAnswer): readonly string[];
  /** The body of an error. */
  error(status: number, message: string): unknown;
}

/** The body of a request: each wire checks its own members. */
export type RequestBody = { readonly [member: string]: unknown };
