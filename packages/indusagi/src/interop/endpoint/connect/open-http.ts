import { definedMembers } from "../../../core/internal.ts";
import {
  isProtocolFault,
  type MessageTransport,
  type RefusedRequest,
  type RpcMessage,
  type ServerConfig,
  type TokenProvider,
} from "../../contract/index.ts";
import { networkFetch } from "../../network/index.ts";
import { MAX_MESSAGE_BYTES, RpcCode, TEXT_IDS, withIdsAsSent } from "../../wire/index.ts";
import type { ConnectionContext } from "../connection-context.ts";
import { lacksScope, refusesMessages, refusingFetch } from "../faults/http-refusal.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { NoticeStream } from "../list/notice-stream.ts";
import { type Attempt, attemptConnection, type Connection } from "./attempt-connection.ts";
import { boundedFetch, reportingFetch } from "./bounded-fetch.ts";
import { serverKey } from "./era-memory.ts";
import { LargeAnswers } from "./large-answers.ts";
import { OversizedMessages } from "./oversized-messages.ts";

/** How long the SDK gets to reopen a lost notification stream itself. */
const REOPEN_MS = 5000;

type HttpServer = Exclude<ServerConfig, { kind: "stdio" }>;

/** Connects over HTTP: with the configured transport first, then with the other one unless the configuration forbids it. */
export async function openHttp(context: ConnectionContext, config: HttpServer): Promise<Connection> {
  const { eras } = context.options;
  const other = config.kind === "sse" ? ("streamable-http" as const) : ("sse" as const);
  const kinds = config.onMismatch === "fail" ? [config.kind] : [config.kind, other];
  let first: unknown;
  for (const kind of kinds) {
    try {
      const connection = await attemptConnection(context, await httpAttempt(context, config, kind));
      if (kind !== "sse") eras?.remember(serverKey(config), connection.session.era);
      return connection;
    } catch (thrown) {
      first ??= thrown;
      if (kind === kinds.at(-1) || !speaksAnotherTransport(thrown)) throw kind === kinds[0] ? thrown : first;
    }
  }
  throw first;
}

async function httpAttempt(
  context: ConnectionContext,
  config: HttpServer,
  kind: HttpServer["kind"],
): Promise<Attempt> {
  const { options, note, redactor, traffic, server } = context;
  const { auth } = options;
  const { arrived: onArrival } = traffic;
  const stream = new NoticeStream();
  const oversized = new OversizedMessages(server, note);
  const answers = new LargeAnswers();
  const failure = new FetchFailure();
  const network = options.fetch ?? networkFetch({ note, env: options.place?.env });
  const send = auth ? authorizedFetch(network, auth, new URL(config.url)) : network;
  const refuses = kind === "sse" ? refusesMessages(auth !== undefined) : undefined;
  const watched = refusingFetch(failure.watch(reportingFetch(send, onArrival)), { refuses, redactor });
  const maxBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  const bounded = boundedFetch(stream.watch(watched), {
    server,
    maxBytes,
    onArrival,
    onOversized: oversized.report,
    answers,
  });
  // Loaded here, so a program that uses no servers does not load the SDK.
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const http = definedMembers({
    requestInit: { headers: { ...config.headers } },
    fetch: errorsAsAnswers(bounded, note),
    // `authorizedFetch` handles refusals.
    authProvider: auth && { token: () => auth.token() },
  });
  const url = new URL(config.url);
  const attempt = { config, oversized, answers, explain: (thrown: unknown) => failure.explain(thrown) };
  if (kind === "sse") {
    const transport = new SSEClientTransport(url, http) as unknown as MessageTransport;
    // The older transport has only the legacy era, and some servers behind it fail on a probe.
    return { ...attempt, transport, era: "legacy", hasSession: true };
  }
  const transport = new StreamableHTTPClientTransport(url, http);
  return {
    ...attempt,
    transport: transport as unknown as MessageTransport,
    era: options.eras?.recall(serverKey(config)),
    notices: {
      stream,
      waitMs: options.reopenMs ?? REOPEN_MS,
      // Opens a stream although none was lost.
      reopen: () => transport.resumeStream(""),
    },
  };
}

/** A 4xx other than an authentication error: the server may speak the other HTTP transport. */
export function speaksAnotherTransport(thrown: unknown): boolean {
  const { status } = symptomsOf(thrown);
  return (
    status !== undefined &&
    status >= 400 &&
    status < 500 &&
    status !== 401 &&
    status !== 403 &&
    status !== 429
  );
}

/** Remembers why the last request failed: SDK errors about event streams have neither a code nor a cause. */
class FetchFailure {
  #last: unknown;

  watch(fetching: typeof fetch): typeof fetch {
    return async (input, init) => {
      try {
        return await fetching(input, init);
      } catch (thrown) {
        if (!init?.signal?.aborted) this.#last = thrown;
        throw thrown;
      }
    };
  }

  /** The remembered failure, if the thrown error itself explains nothing. */
  explain(thrown: unknown): unknown {
    const { status, code } = symptomsOf(thrown);
    const isExplained = isProtocolFault(thrown) || status !== undefined || code !== undefined;
    return isExplained ? thrown : (this.#last ?? thrown);
  }
}

/**
 * A `fetch` that lets the provider renew a refused token and then retries the request, once for each kind of refusal. The
 * SDK would do this for a 401, but without saying which token was refused: two requests that fail at the same time would
 * both renew it.
 */
function authorizedFetch(send: typeof fetch, provider: TokenProvider, serverUrl: URL): typeof fetch {
  return async (input, init) => {
    const handled = new Set<number>();
    let sent = init;
    let response = await send(input, sent);
    for (;;) {
      const renew = renewal(response, provider);
      if (!renew || handled.has(response.status)) return response;
      handled.add(response.status);
      await renew({ response, serverUrl, token: tokenOf(sent) });
      const token = await provider.token();
      if (token === undefined) return response;
      await response.body?.cancel().catch(() => {});
      sent = withToken(sent, token);
      response = await send(input, sent);
    }
  };
}

/** What the provider can do about a refusal; `undefined` if the response is not a refusal or the provider can do nothing. */
function renewal(
  response: Response,
  provider: TokenProvider,
): ((refused: RefusedRequest) => Promise<void>) | undefined {
  if (response.status === 401) return provider.onUnauthorized?.bind(provider);
  return lacksScope(response) ? provider.onInsufficientScope?.bind(provider) : undefined;
}

function tokenOf(init: RequestInit | undefined): string | undefined {
  return /^bearer (.+)$/i.exec(new Headers(init?.headers).get("authorization") ?? "")?.[1];
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

/**
 * The SDK accepts an error in the body as the answer only with the status 400, and only if its id equals the request's exactly. For
 * a method that a server does not have, the modern era requires the status 404.
 */
function errorsAsAnswers(fetching: typeof fetch, note: (message: string) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetching(input, init);
    const { status, statusText, headers } = response;
    if ((status !== 400 && status !== 404) || init?.method !== "POST") return response;
    const text = await response.text();
    const answered = status === 404 && isUnknownMethod(text, init.body) ? 400 : status;
    return new Response(corrected(text, note), { status: answered, statusText, headers });
  };
}

/** Whether a server says that it does not have the method of a modern request. A 404 of a legacy server is about its session. */
function isUnknownMethod(text: string, sent: RequestInit["body"]): boolean {
  if (typeof sent !== "string") return false;
  try {
    const { params, method } = JSON.parse(sent) as {
      readonly method?: unknown;
      readonly params?: { readonly _meta?: { readonly [key: string]: unknown } };
    };
    const isModern = params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
    const { error } = JSON.parse(text) as { readonly error?: { readonly code?: unknown } };
    // Whether there is a modern server at all is found out with the status.
    return isModern && method !== "server/discover" && error?.code === RpcCode.METHOD_NOT_FOUND;
  } catch {
    return false; // Not a message.
  }
}

function corrected(text: string, note: (message: string) => void): string {
  try {
    const message = JSON.parse(text) as RpcMessage;
    const answer = withIdsAsSent(message);
    if (answer === message) return text;
    note(TEXT_IDS);
    return JSON.stringify(answer);
  } catch {
    return text; // Not a message.
  }
}
