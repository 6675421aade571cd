import {
  type ConsoleError,
  type ConsoleErrorCode,
  type ConsoleRoutes,
  SESSION_HEADER,
} from "../src/console/contract.ts";
import { endSession, sessionKey } from "./access.ts";

/** Why a request did not work, in words to show. */
export class RequestError extends Error {
  readonly code: ConsoleErrorCode | "unreachable";
  readonly remedy: string | undefined;

  constructor(code: ConsoleErrorCode | "unreachable", message: string, remedy?: string) {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}

export interface RequestOptions<Body> {
  /** What stands for `ID` or `NAME` in the route. */
  readonly id?: string | undefined;
  readonly query?: object | undefined;
  readonly body?: Body | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and returns its answer. Throws a `RequestError`. */
export async function request<Route extends keyof ConsoleRoutes>(
  route: Route,
  options: RequestOptions<ConsoleRoutes[Route]["request"]> = {},
): Promise<ConsoleRoutes[Route]["answer"]> {
  const response = await open(route, options);
  return (await response.json()) as ConsoleRoutes[Route]["answer"];
}

/** Sends a request and yields the lines of its answer, each as a value. */
export async function* lines<Route extends keyof ConsoleRoutes>(
  route: Route,
  options: RequestOptions<ConsoleRoutes[Route]["request"]> = {},
): AsyncGenerator<ConsoleRoutes[Route]["answer"]> {
  const { body } = await open(route, options);
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part !== "") yield JSON.parse(part) as ConsoleRoutes[Route]["answer"];
  }
}

/** The folder the page shows, for a gateway of several. */
let folder: string | undefined;
export function chooseFolder(id: string | undefined): void {
  folder = id;
}

async function open<Body>(
  route: string,
  { id, query, body, signal }: RequestOptions<Body>,
): Promise<Response> {
  const [method = "GET", path = "/"] = route.split(" ");
  const url = new URL(path.replace(/ID|NAME/, encodeURIComponent(id ?? "")), location.origin);
  const members = { folder, ...query } as { readonly [name: string]: string | number | undefined };
  for (const [name, value] of Object.entries(members))
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  const key = sessionKey();
  const headers = {
    ...(key === undefined ? {} : { [SESSION_HEADER]: key }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const response = await fetch(url, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    signal: signal ?? null,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new RequestError(
      "unreachable",
      "the gateway does not answer",
      "It may have ended: start it again, then run indus console.",
    );
  });
  if (response.ok) return response;
  const failure = await refusal(response);
  // The key of a refused code is none: only a session that was open ends.
  if (failure.code === "no_session" && key !== undefined) endSession();
  throw failure;
}

async function refusal(response: Response): Promise<RequestError> {
  try {
    const { error } = (await response.json()) as ConsoleError;
    return new RequestError(error.code, error.message, error.remedy);
  } catch {
    return new RequestError("failed", `the gateway answered with status ${response.status}`);
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
