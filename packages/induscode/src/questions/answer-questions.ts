import { pathToFileURL } from "node:url";
import type { Answers, CallerAbilities, Question, Questions } from "indusagi/runtime";
import type { Session } from "../conductor/index.ts";
import type { QuestionUser } from "./question-user.ts";
import { sample, samplingRequest } from "./sampling.ts";

export interface AnswererOptions {
  readonly user: QuestionUser;
  readonly cwd: string;
  /** The session, once it is open: its model answers sampling requests. */
  readonly session: () => Pick<Session, "model" | "complete"> | undefined;
  /** What the front end can show. Default: forms and addresses. */
  readonly can?: Pick<CallerAbilities, "elicit">;
}

/** The part of a session's user that answers the questions of servers. */
export interface QuestionAnswers {
  readonly can: CallerAbilities;
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers>;
}

/** Answers the questions of servers: forms and addresses by the user, sampling by the session's model, roots by the folder. */
export function answerQuestions(options: AnswererOptions): QuestionAnswers {
  return {
    can: { elicit: { form: true, url: true }, ...options.can, sample: {}, roots: true },
    // One after the other: a user answers one question at a time.
    ask: async (requests, signal) => {
      const answers: { [key: string]: unknown } = {};
      for (const [key, question] of Object.entries(requests))
        answers[key] = await answerOne(question, options, signal);
      return answers;
    },
  };
}

async function answerOne(
  { method, params = {} }: Question,
  { user, cwd, session }: AnswererOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  switch (method) {
    case "roots/list":
      return { roots: [{ uri: pathToFileURL(cwd).href, name: "workspace" }] };
    case "elicitation/create":
      return elicit(params, user, signal);
    case "sampling/createMessage": {
      const opened = session();
      if (!opened) throw new Error("the session is not open yet");
      const request = samplingRequest(params);
      if (!(await user.approveSampling({ model: opened.model, request }, signal)))
        throw new Error("the user declined the sampling request");
      return sample(opened, request, signal);
    }
  }
}

async function elicit(
  params: { readonly [member: string]: unknown },
  user: QuestionUser,
  signal: AbortSignal | undefined,
): Promise<object> {
  const { mode = "form", message = "", url, requestedSchema } = params;
  const text = String(message);
  if (mode === "url") {
    const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
    // Other schemes start programs.
    if (!address || !/^https?:$/.test(address.protocol)) throw new Error("the address is not an http URL");
    return { action: await user.visitUrl({ message: text, url: address }, signal) };
  }
  if (mode !== "form" || typeof requestedSchema !== "object" || requestedSchema === null)
    throw new Error(`a question in mode ${JSON.stringify(mode)} cannot be answered`);
  const schema = requestedSchema as { readonly [keyword: string]: unknown };
  return user.fillForm({ message: text, schema }, signal);
}
