/**
 * Something that passed between us and a server, for a log. Without the secrets of the server's row, and without the
 * arguments and results of calls, which are the user's data.
 */
export type WireEvent =
  | {
      readonly kind: "stderr";
      /** One line that its process wrote to standard error, shortened if it is very long. */
      readonly line: string;
    }
  | WireMessage
  | {
      readonly kind: "dropped";
      /** How many events were left out before this one, because there were too many in a short time. */
      readonly count: number;
    };

/** One message, in brief. */
export interface WireMessage {
  readonly kind: "sent" | "received";
  readonly id?: string | number;
  /** The method of a request or notification; of an answer, the method of its request. */
  readonly method?: string;
  readonly isAnswer?: boolean;
  /** The tool, prompt or resource that the request names. */
  readonly target?: string;
  /** Of an answer: the time since its request, in milliseconds. */
  readonly ms?: number;
  readonly error?: { readonly code: number; readonly message: string };
  /** What an answer or a log message of the server says, in a few words. */
  readonly note?: string;
}
