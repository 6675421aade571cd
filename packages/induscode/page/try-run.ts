import { signal } from "@preact/signals";
import type { TryAnswer, TryEvent, TryQuestion, TryRequest } from "../src/console/contract.ts";
import { lines, messageOf, RequestError, request } from "./request.ts";

export type WireMessage = Extract<TryEvent, { readonly type: "message" }> & { readonly number: number };

export interface AskedQuestion {
  readonly request: TryQuestion;
  readonly answer: (answer: Omit<TryAnswer, "question">) => Promise<void>;
}

export type TryOutcome =
  | { readonly type: "result"; readonly ms: number; readonly result: unknown }
  | {
      readonly type: "failed";
      readonly ms: number;
      readonly message: string;
      readonly remedy?: string | undefined;
    };

/** What the page keeps of the exchange. */
const MAX_MESSAGES = 500;

export const messages = signal<readonly WireMessage[]>([]);
/** Questions of servers that wait for the person, oldest first. */
export const questions = signal<readonly AskedQuestion[]>([]);
let lastMessage = 0;

/** Runs one request of the console as a client of the gateway. Its messages and questions are shown as they come. Never throws. */
export async function runTry(body: TryRequest, stopped: AbortSignal): Promise<TryOutcome> {
  const asked: AskedQuestion[] = [];
  let id = "";
  try {
    for await (const event of lines("POST /console/try", { body, signal: stopped })) {
      if (event.type === "begun") ({ id } = event);
      else if (event.type === "message") note(event);
      else if (event.type === "question") asked.push(ask(id, event));
      else if (event.type === "result" || event.type === "failed") return event;
    }
    return failed("the gateway ended the exchange without a result");
  } catch (error) {
    if (stopped.aborted) return failed("cancelled");
    return failed(messageOf(error), error instanceof RequestError ? error.remedy : undefined);
  } finally {
    questions.value = questions.value.filter((question) => !asked.includes(question));
  }
}

function failed(message: string, remedy?: string): TryOutcome {
  return { type: "failed", ms: 0, message, remedy };
}

function note(event: Extract<TryEvent, { readonly type: "message" }>): void {
  messages.value = [...messages.value, { ...event, number: ++lastMessage }].slice(-MAX_MESSAGES);
}

function ask(
  id: string,
  { question, request: asked }: Extract<TryEvent, { readonly type: "question" }>,
): AskedQuestion {
  const entry: AskedQuestion = {
    request: asked,
    answer: async (answer) => {
      questions.value = questions.value.filter((one) => one !== entry);
      await request("POST /console/try/ID/answer", { id, body: { question, ...answer } });
    },
  };
  questions.value = [...questions.value, entry];
  return entry;
}
