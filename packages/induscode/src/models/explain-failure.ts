import { describeError, Redactor } from "indusagi/core";
import { ModelError, type ModelErrorKind } from "./model-error.ts";
import type { Provider, ProviderSettings } from "./providers/provider-table.ts";

/** The parts of a provider package's error that matter here. */
interface CallError {
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly message?: string;
  readonly type?: string;
}

const MAX_DETAIL = 300;

/** What a provider's failure means for the user, in one line. */
export function explainFailure(
  thrown: unknown,
  model: string,
  { id, urlVariable }: Provider,
  { baseURL, apiKey, keySource }: ProviderSettings,
): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const { statusCode } = thrown as CallError;
  const kind = kindOf(thrown as CallError);
  const detail = detailOf(thrown, apiKey);
  const lines: { readonly [kind in ModelErrorKind]: string } = {
    bad_name: detail,
    no_key: detail,
    wrong_key: `${id} refused the key (${statusCode}); check ${keySource}: ${detail}`,
    unknown_model: `${id} has no model ${JSON.stringify(model)}; indus --list-models shows what there is at ${baseURL}: ${detail}`,
    overloaded: `${id} is overloaded or limits requests (${statusCode ?? "in the answer"}); try again later, or name a --fallback-model: ${detail}`,
    unreachable: `${id} cannot be reached at ${baseURL}; check ${urlVariable} and the network: ${detail}`,
    refused: `${id} refused the request (${statusCode}): ${detail}`,
    failed: `${id} failed${failure(statusCode, urlVariable)}: ${detail}`,
  };
  return new ModelError(kind, lines[kind], { cause: thrown });
}

/** Without an error status, the answer broke off or did not come from a model. */
function failure(status: number | undefined, urlVariable: string): string {
  return status !== undefined && status >= 400
    ? ` (${status})`
    : ` in its answer; try again, or check that ${urlVariable} leads to a model`;
}

/** How long the provider wants us to wait, in milliseconds. */
export function retryAfterMs(thrown: unknown): number | undefined {
  const cause = thrown instanceof ModelError ? thrown.cause : thrown;
  const seconds = Number((cause as CallError | undefined)?.responseHeaders?.["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function kindOf({ statusCode, message = "", type }: CallError): ModelErrorKind {
  if (statusCode === 401 || statusCode === 403) return "wrong_key";
  if (statusCode === 404) return "unknown_model";
  if (statusCode === 429 || statusCode === 503 || statusCode === 529) return "overloaded";
  if (statusCode !== undefined && statusCode >= 500) return "failed";
  if (statusCode !== undefined && statusCode >= 400) return "refused";
  // Errors in the middle of a stream have no status.
  if (type === "overloaded_error" || /overloaded/i.test(message)) return "overloaded";
  if (
    /cannot connect|cannot be reached|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|fetch failed|other side closed/i.test(
      message,
    )
  )
    return "unreachable";
  return "failed";
}

/** One line, without the key: some servers echo it when they reject it. */
function detailOf(thrown: unknown, apiKey: string): string {
  const redactor = new Redactor(apiKey === "" ? [] : [apiKey]);
  const text = redactor.known(reasonOf(thrown)).replaceAll(/\s+/g, " ").replace(/\.$/, "");
  return text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text;
}

/** The message of an error. If a connection broke off or was tried at several addresses, only a cause has the reason. */
function reasonOf(thrown: unknown): string {
  const text = describeError(thrown).trim();
  if (text === "Failed to process successful response") return describeError(innermost(thrown));
  return text.endsWith(":") ? `${text} ${describeError(innermost(thrown))}` : text;
}

function innermost(thrown: unknown): unknown {
  const { cause, errors } = thrown as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
  const inner = errors?.[0] ?? cause;
  return inner === undefined ? thrown : innermost(inner);
}
