import type { Redactor } from "../../../core/internal.ts";
import { missingRights } from "../../contract/index.ts";
import { STATUS_WORDS } from "./error-faults.ts";
import { httpStatusMeaning } from "./http-statuses.ts";

/** How much of an error page is read. */
const MAX_BODY_BYTES = 4096;

/** An HTTP response that refuses a message. The SDK's error has no `Retry-After` and not always the status. */
class HttpRefusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined) {
    super(message);
    this.name = "HttpRefusal";
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Which responses to a POST fail with an `HttpRefusal`. */
export type Refuses = (status: number, init: RequestInit) => boolean;

/** Statuses after which a request may be retried, and 401 and 403, whose challenge only we read. */
const refusesByDefault: Refuses = (status, init) =>
  httpStatusMeaning(status).isTemporary || ((status === 401 || status === 403) && isMessage(init.body));

/**
 * For the older transport: all error statuses, because the SDK's error has no status there. With a login, 401s and
 * requests that are not messages are left to the login.
 */
export function refusesMessages(hasLogin: boolean): Refuses {
  return (status, init) =>
    httpStatusMeaning(status).isTemporary || ((status !== 401 || !hasLogin) && isMessage(init.body));
}

export interface RefusingFetchOptions {
  /** Default: statuses after which a request may be retried, and 401 and 403. */
  readonly refuses?: Refuses | undefined;
  /** Gets the tokens that a login sends. */
  readonly redactor: Redactor;
}

/** A `fetch` that throws an `HttpRefusal` for refused messages. Other responses pass. */
export function refusingFetch(
  fetching: typeof fetch = fetch,
  { refuses = refusesByDefault, redactor }: RefusingFetchOptions,
): typeof fetch {
  return async (input, init) => {
    const credential = new Headers(init?.headers).get("authorization")?.split(" ").at(-1);
    if (credential) redactor.add(credential);
    const response = await fetching(input, init);
    if (response.status < 400 || init?.method !== "POST" || !refuses(response.status, init)) return response;
    const text = await beginningOf(response, redactor);
    const words = STATUS_WORDS[response.status] ?? response.statusText;
    const message = rightsMissingFor(response) ?? (text || words || "no reason given");
    throw new HttpRefusal(response.status, message, parseRetryAfter(response.headers.get("retry-after")));
  };
}

/** Whether the token is valid but not for this request: a login with more scopes helps. */
export function lacksScope(response: Response): boolean {
  if (response.status !== 403) return false;
  return challengeMember(response, "error") === "insufficient_scope" || wantedScope(response) !== undefined;
}

/** The scopes that a challenge names. */
function wantedScope(response: Response): string | undefined {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const scope = (challengeMember(response, "scope") ?? "").replaceAll(/\s+/g, " ").trim();
  return scope === "" ? undefined : scope;
}

/** A member of the challenge in `WWW-Authenticate`. Ignores text quoted in other members. */
function challengeMember({ headers }: Response, member: string): string | undefined {
  const challenge = headers.get("www-authenticate") ?? "";
  for (const [, name = "", quoted, bare] of challenge.matchAll(/\b([a-z_]+)=(?:"([^"]*)"|([^\s,"]+))/gi))
    if (name.toLowerCase() === member) return quoted ?? bare;
  return undefined;
}

/** What a request lacks, according to the server's challenge. */
function rightsMissingFor(response: Response): string | undefined {
  const scope = wantedScope(response);
  return scope !== undefined || lacksScope(response) ? missingRights(response.status, scope) : undefined;
}

function isMessage(body: RequestInit["body"]): boolean {
  if (typeof body !== "string") return false;
  try {
    return (JSON.parse(body) as { readonly jsonrpc?: unknown } | null)?.jsonrpc === "2.0";
  } catch {
    return false;
  }
}

/** Redacted here, because a secret may be cut off at the end. */
async function beginningOf(response: Response, redactor: Redactor): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
      if (bytes >= MAX_BODY_BYTES) break; // Leaving the loop cancels the rest.
    }
  } catch {
    // What has arrived is enough.
  }
  const text = Buffer.concat(chunks).toString("utf8", 0, MAX_BODY_BYTES);
  return redactor.text(text, { end: bytes >= MAX_BODY_BYTES });
}

/** The longest delay that a server can ask for. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Reads a `Retry-After` header: seconds or a date, limited to between 0 and one minute. An invalid value counts as
 * absent.
 */
export function parseRetryAfter(header: string | null, nowMs: number = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

/** Accepts only text that begins like a date: `Date.parse` turns bare and negative numbers into years. */
function dateOf(text: string): number {
  return /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
}
