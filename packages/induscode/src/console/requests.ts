import type { IncomingMessage } from "node:http";
import { isRecord } from "indusagi/core";
import {
  type AppRequest,
  type CallQuery,
  CONSOLE_LIMITS,
  type ConnectRequest,
  type DecideRequest,
  type Era,
  type LogsRequest,
  type RowRequest,
  type TokenRequest,
  type ToolChange,
  type TryAnswer,
  type TryRequest,
} from "./contract.ts";
import { ConsoleRefusal } from "./guard.ts";
import type { PlainObject } from "./source.ts";

// What the page sends, parsed once. A member that is wrong is named.

/** Reads a JSON body. A form of another page cannot send this type without asking first, and is refused then. */
export async function readBody(request: IncomingMessage): Promise<PlainObject> {
  const { "content-type": type = "", "content-encoding": encoding } = request.headers;
  if (!/^application\/json(?:\s*;|$)/i.test(type) || encoding !== undefined)
    throw new ConsoleRefusal(415, "bad_request", "the body is not application/json");
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= CONSOLE_LIMITS.bodyBytes) chunks.push(chunk);
      else reject(new ConsoleRefusal(413, "bad_request", "the body is too large"));
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
  });
  return parseBody(text);
}

function parseBody(text: string): PlainObject {
  if (text === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw wrong("the body is not JSON");
  }
  if (!isRecord(body)) throw wrong("the body is not an object");
  return body;
}

export function codeIn(body: PlainObject): string {
  return text(body, "code");
}

export function callQuery(query: URLSearchParams): CallQuery {
  const named = (name: string): string | undefined => query.get(name) || undefined;
  const number = (name: string): number | undefined => {
    const given = named(name);
    if (given === undefined) return undefined;
    const value = Number(given);
    if (!Number.isFinite(value) || value < 0) throw wrong(`${name} is not a number`);
    return value;
  };
  return {
    server: named("server"),
    tool: named("tool"),
    principal: named("principal"),
    client: named("client"),
    outcomes: named("outcomes"),
    methods: named("methods"),
    slowerThanMs: number("slowerThanMs"),
    sinceMs: number("sinceMs"),
    untilMs: number("untilMs"),
    last: number("last"),
  };
}

export function logsRequest(body: PlainObject): LogsRequest {
  return { stream: text(body, "stream"), servers: texts(body, "servers") ?? [] };
}

const SUBJECTS = ["tool", "prompt", "instructions"] as const;

export function decideRequest(body: PlainObject): DecideRequest {
  const { changes } = body;
  if (!Array.isArray(changes) || changes.length === 0 || !changes.every(isRecord))
    throw wrong("changes is not a list of changes");
  return {
    changes: changes.map((change) => ({
      server: text(change, "server"),
      subject: oneOf(change, "subject", SUBJECTS),
      name: text(change, "name"),
      after: text(change, "after"),
    })),
  };
}

export function tokenRequest(body: PlainObject): TokenRequest {
  const { calls } = body;
  if (calls !== undefined && !Number.isSafeInteger(calls)) throw wrong("calls is not a whole number");
  return {
    name: text(body, "name"),
    servers: texts(body, "servers"),
    tools: texts(body, "tools"),
    calls: calls as number | undefined,
    listing: optional(body, "listing", (each, name) => oneOf(each, name, ["all", "search", "auto"] as const)),
  };
}

export function toolChangeIn(body: PlainObject): ToolChange {
  const kind = oneOf(body, "kind", ["show", "hide", "rename", "describe"] as const);
  const tool = text(body, "tool");
  return kind === "show" || kind === "hide" ? { kind, tool } : { kind, tool, text: text(body, "text") };
}

const SCOPES = ["user", "project"] as const;

export function rowRequest(body: PlainObject): RowRequest {
  const action = oneOf(body, "action", ["add", "edit", "remove"] as const);
  const { row } = body;
  if (action !== "remove" && !isRecord(row)) throw wrong("row is not an object");
  return {
    action,
    name: text(body, "name"),
    row: isRecord(row) ? row : undefined,
    scope: optional(body, "scope", (each, name) => oneOf(each, name, ["user", "project", "file"] as const)),
  };
}

export function connectRequest(body: PlainObject): ConnectRequest {
  return {
    client: text(body, "client"),
    scope: optional(body, "scope", (each, name) => oneOf(each, name, SCOPES)),
    undo: body["undo"] === true,
    move: body["move"] === true,
    profile: optional(body, "profile", text),
  };
}

export function eraIn(value: unknown): Era {
  if (value === "legacy" || value === "modern") return value;
  throw wrong("era is neither legacy nor modern");
}

export function tryRequest(body: PlainObject): TryRequest {
  const era = eraIn(body["era"]);
  const kind = oneOf(body, "kind", ["tool", "resource", "prompt"] as const);
  const app = optional(body, "app", text);
  if (kind === "resource") return { era, kind, uri: text(body, "uri"), app };
  const { arguments: given = {} } = body;
  if (!isRecord(given)) throw wrong("arguments is not an object");
  const name = text(body, "name");
  if (kind === "tool") return { era, kind, name, arguments: given, app };
  if (!Object.values(given).every((value) => typeof value === "string"))
    throw wrong("the arguments of a prompt are texts");
  return { era, kind, name, arguments: given as Readonly<Record<string, string>> };
}

export function tryAnswer(body: PlainObject): TryAnswer {
  const { content } = body;
  return {
    question: text(body, "question"),
    action: oneOf(body, "action", ["accept", "decline", "cancel"] as const),
    content: isRecord(content) ? content : undefined,
  };
}

export function appRequest(body: PlainObject): AppRequest {
  return { era: eraIn(body["era"]), tool: text(body, "tool") };
}

function text(body: PlainObject, name: string): string {
  const value = body[name];
  if (typeof value !== "string") throw wrong(`${name} is not a text`);
  return value;
}

function texts(body: PlainObject, name: string): readonly string[] | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw wrong(`${name} is not a list of texts`);
  return value;
}

function oneOf<Word extends string>(body: PlainObject, name: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === body[name]);
  if (found === undefined) throw wrong(`${name} is not one of ${words.join(", ")}`);
  return found;
}

function optional<Value>(
  body: PlainObject,
  name: string,
  read: (body: PlainObject, name: string) => Value,
): Value | undefined {
  return body[name] === undefined ? undefined : read(body, name);
}

function wrong(message: string): ConsoleRefusal {
  return new ConsoleRefusal(400, "bad_request", message);
}
