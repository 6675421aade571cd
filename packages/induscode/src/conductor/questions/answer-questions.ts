import { pathToFileURL } from "node:url";
import { folderRoots } from "indusagi/interop";
import type { ImagePart, JsonSchema, Message, ModelRequest, TextPart } from "indusagi/llm";
import type { Answers, Caller, CallerAbilities, Question, Questions } from "indusagi/runtime";
import type { Session, SessionUser } from "../contract.ts";

interface AnswererOptions {
  readonly user: QuestionUser;
  readonly cwd: string;
  /** The session, once it is open: its model answers sampling requests. */
  readonly session: () => Pick<Session, "model" | "complete"> | undefined;
  /** What the front end can show. Default: forms and URLs. */
  readonly can?: Pick<CallerAbilities, "elicit"> | undefined;
}

/** The part of a session's user that answers servers' questions. */
interface QuestionAnswers {
  readonly can: CallerAbilities;
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers>;
}

/** Answers servers' questions: the user fills forms and visits URLs, the session's model samples, and the folder is the root. */
export function answerQuestions(options: AnswererOptions): QuestionAnswers {
  return {
    can: { elicit: { form: true, url: true }, ...options.can, sample: {}, roots: true },
    // In sequence: a user answers one question at a time.
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

type Members = { readonly [member: string]: unknown };

async function elicit(params: Members, user: QuestionUser, signal: AbortSignal | undefined): Promise<object> {
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

/** Converts a server's request. Throws, with the reason for the server, if it is not supported. */
function samplingRequest(params: Members): ModelRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = params;
  if (!Array.isArray(messages) || messages.length === 0) throw new Error("the request has no messages");
  if (Array.isArray(tools) && tools.length > 0)
    throw new Error("tools in a sampling request are not supported");
  return {
    messages: messages.map(messageOf),
    tools: [],
    ...(typeof systemPrompt === "string" && { system: systemPrompt }),
    ...(typeof maxTokens === "number" && maxTokens > 0 && { maxOutputTokens: Math.floor(maxTokens) }),
    ...(typeof temperature === "number" && { temperature }),
    ...(Array.isArray(stopSequences) && {
      stopSequences: stopSequences.filter((each): each is string => typeof each === "string"),
    }),
  };
}

function messageOf(message: unknown): Message {
  const { role, content } = Object(message) as Members;
  const parts = (Array.isArray(content) ? content : [content]).map(partOf);
  if (role === "user") return { role, content: parts };
  if (role !== "assistant") throw new Error(`a message has the role ${JSON.stringify(role)}`);
  const texts = parts.filter((part) => part.kind === "text");
  if (texts.length < parts.length) throw new Error("a message of the assistant may only contain text");
  return { role, content: texts };
}

function partOf(block: unknown): TextPart | ImagePart {
  const { type, text, data, mimeType } = Object(block) as Members;
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { kind: "image", mimeType, data };
  throw new Error(`content of type ${JSON.stringify(type)} is not supported`);
}

const STOP_REASONS: { readonly [reason: string]: string } = { stop: "endTurn", length: "maxTokens" };

/** Asks the session's model and returns the result of `sampling/createMessage`. */
async function sample(
  session: Pick<Session, "model" | "complete">,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<object> {
  let text = "";
  let reason = "stop";
  for await (const event of session.complete(request, signal)) {
    if (event.kind === "part" && event.part.kind === "text") text += event.part.text;
    if (event.kind === "finish") reason = event.reason;
  }
  return {
    role: "assistant",
    content: { type: "text", text },
    model: session.model,
    stopReason: STOP_REASONS[reason] ?? reason,
  };
}

/** A server asks the user to fill in a form. All text is the server's: escape it before printing it. */
export interface FormQuestion {
  readonly message: string;
  /** An object whose members are strings, numbers, booleans and lists of choices. */
  readonly schema: JsonSchema;
}

/** A server asks the user to visit a URL. */
export interface UrlQuestion {
  readonly message: string;
  readonly url: URL;
}

/** A server wants an answer from the session's model. */
export interface SamplingQuestion {
  readonly model: string;
  readonly request: ModelRequest;
}

/** `cancel`: the user made no decision. */
export type FormAnswer =
  | { readonly action: "accept"; readonly content: { readonly [name: string]: unknown } }
  | { readonly action: "decline" | "cancel" };

/** How a front end lets its user answer servers' questions. Each rejects when the signal aborts. */
export interface QuestionUser {
  fillForm(question: FormQuestion, signal?: AbortSignal): Promise<FormAnswer>;
  /** Asks for consent first, and accepts when the URL was opened or shown. */
  visitUrl(question: UrlQuestion, signal?: AbortSignal): Promise<FormAnswer["action"]>;
  approveSampling(question: SamplingQuestion, signal?: AbortSignal): Promise<boolean>;
}

/** The caller for tools, prompts and resources: a server's questions go to the session's user. Without one, only the folder is known. */
export function sessionCaller(
  { id, cwd }: Pick<Session, "id" | "cwd">,
  user: SessionUser | undefined,
): Caller {
  return { key: id, ...(user?.ask ? { can: user.can, ask: user.ask.bind(user) } : folderRoots(cwd)) };
}
