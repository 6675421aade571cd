import { errorCode, joinSignals, shortenText, showDuration } from "../../../core/index.ts";
import { Redactor } from "../../../core/internal.ts";
import { UnsafeUrlError } from "../../network/index.ts";
import { AuthError } from "../auth-error.ts";

export interface AuthFetchOptions {
  readonly send: typeof fetch;
  readonly requestMs: number;
  /** Removes secrets from messages of an authorization server. */
  readonly redactor: Redactor;
}

/** Metadata and token responses are a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REASON_CHARS = 300;
const NO_BODY = new Set([204, 205, 304]);

/**
 * The requests of one flow. Each has a deadline and a size limit for its response. A refused POST throws our own error: the SDK's
 * would contain the raw response, and the SDK prints some of them.
 */
export class AuthRequests {
  readonly #options: AuthFetchOptions;
  #unsafe: UnsafeUrlError | undefined;

  constructor(options: AuthFetchOptions) {
    this.#options = options;
  }

  /** Throws if a URL was refused: after some failures the SDK continues with a default. */
  requireSafe(): void {
    if (this.#unsafe) throw this.#unsafe;
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const deadline = AbortSignal.timeout(this.#options.requestMs);
    const signal = init.signal ? joinSignals(deadline, init.signal) : deadline;
    try {
      const response = await this.#options.send(input, {
        ...init,
        headers: withoutKeepAlive(init.headers),
        signal,
      });
      const body = await readBody(response);
      if (init.method === "POST" && !response.ok) this.#refuse(url, response.status, { sent: init, body });
      return rebuilt(response, body);
    } catch (thrown) {
      if (thrown instanceof UnsafeUrlError) this.#unsafe ??= thrown;
      if (!deadline.aborted) throw thrown;
      const time = showDuration(this.#options.requestMs);
      throw new AuthError("failed", `${url.host} did not answer within ${time}`, { cause: thrown });
    }
  };

  #refuse(url: URL, status: number, { sent, body }: Exchange): never {
    const { error, description } = errorOf(body);
    const reason = [error, description].filter(Boolean).join(": ") || `HTTP ${status}`;
    // The response may echo what was sent, such as an authorization code.
    const ownSecrets = new Redactor(secretsIn(sent));
    const shown = shortenText(ownSecrets.text(this.#options.redactor.text(reason)), MAX_REASON_CHARS);
    const isRefusal = error !== undefined && status < 500;
    throw new AuthError(isRefusal ? "refused" : "failed", `${url.host} answered: ${shown}`, {
      oauthError: isRefusal ? error : undefined,
    });
  }
}

/**
 * Uses a new connection for each request. The other side may close an idle one just as a refresh token is sent, and then it is
 * unknown whether the token was redeemed.
 */
function withoutKeepAlive(given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  headers.set("connection", "close");
  return headers;
}

interface Exchange {
  readonly sent: RequestInit;
  /** Of the response. */
  readonly body: string;
}

/** Members of a token request that are not secrets. */
const PLAIN = new Set(["grant_type", "client_id", "redirect_uri", "resource", "scope", "token_type_hint"]);

function secretsIn({ body, headers }: RequestInit): string[] {
  const form = body instanceof URLSearchParams ? [...body] : [];
  const credential = new Headers(headers).get("authorization")?.split(" ").at(-1) ?? "";
  return [credential, ...form.flatMap(([name, value]) => (PLAIN.has(name) ? [] : [value]))];
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_BODY_BYTES)
      throw new AuthError("failed", `the answer of ${response.url} is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The same response with a body that has already been read. */
function rebuilt(response: Response, body: string): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const copy = new Response(NO_BODY.has(status) ? null : body, { status, statusText, headers });
  return Object.defineProperty(copy, "url", { value: response.url });
}

function errorOf(body: string): {
  readonly error?: string | undefined;
  readonly description?: string | undefined;
} {
  try {
    const { error, error_description: description } = JSON.parse(body) as { [member: string]: unknown };
    return {
      error: typeof error === "string" ? error : undefined,
      description: typeof description === "string" ? description : undefined,
    };
  } catch {
    return {};
  }
}

/** Converts an error of the flow to ours. Network errors are kept, because their codes are needed later. */
export function asAuthError(thrown: unknown, redactor: Redactor): unknown {
  if (thrown instanceof AuthError) return thrown;
  const { name = "", message = "" } = thrown as Partial<Error>;
  const shown = shortenText(redactor.text(message), MAX_REASON_CHARS);
  if (thrown instanceof UnsafeUrlError) return new AuthError("unsafe", shown, { cause: thrown });
  if (UNSAFE.has(name) || /does not match expected/.test(message)) return new AuthError("unsafe", shown);
  if (thrown instanceof TypeError || errorCode(thrown) !== undefined) return redactor.value(thrown);
  return new AuthError("failed", shown);
}

const UNSAFE = new Set([
  "IssuerMismatchError",
  "AuthorizationServerMismatchError",
  "InsecureTokenEndpointError",
]);
