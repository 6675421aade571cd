import { onAbort } from "../../../core/index.ts";
import type { Refusal } from "../admit/refusal.ts";

/** The use of a token that can end by one request. */
export interface TokenUse {
  /** Aborts with a `Refusal` when the token ends. */
  readonly ended: AbortSignal;
  /** Whether the call of the request was given to its tool. */
  isGiven: boolean;
}

/**
 * The JSON-RPC error for a request whose token has ended. A refusal with the status 401 usually means that nothing ran, so a call
 * that its tool was given says otherwise.
 */
export function tokenError(id: string | number | null, { code, message }: Refusal, isGiven: boolean): object {
  const told = isGiven ? `${message}; the call was ended and may have run` : message;
  return { jsonrpc: "2.0", id, error: { code, message: told } };
}

/**
 * Ends an answer when its token ends: an answer that has not begun becomes the refusal itself, an open stream ends with
 * an error for its request, if that has an id. A request whose token has already ended is not begun.
 */
export async function endWithToken(
  answer: () => Promise<Response>,
  token: TokenUse,
  id: string | number | undefined,
): Promise<Response> {
  const { ended } = token;
  const answering = ended.aborted ? undefined : answer();
  const response = answering && (await unlessEnded(answering, ended));
  if (!response) {
    answering?.then(({ body }) => body?.cancel()).catch(() => {});
    const refusal = ended.reason as Refusal;
    const { status, headers = {} } = refusal;
    return Response.json(tokenError(id ?? null, refusal, token.isGiven), { status, headers });
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!response.body || !isStream) return response;
  return new Response(untilEnded(response.body, token, id), response);
}

function unlessEnded(answering: Promise<Response>, ended: AbortSignal): Promise<Response | undefined> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(ended, () => resolve(undefined));
    answering.then(resolve, reject).finally(stop);
  });
}

function untilEnded(
  body: ReadableStream<Uint8Array>,
  token: TokenUse,
  id: string | number | undefined,
): ReadableStream<Uint8Array> {
  const { ended } = token;
  const reader = body.getReader();
  let stop = (): void => {};
  let isOver = false;
  reader.closed.then(
    () => {},
    () => stop(),
  );
  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (isOver) return;
    isOver = true;
    stop();
    if (ended.aborted && id !== undefined) {
      const error = JSON.stringify(tokenError(id, ended.reason as Refusal, token.isGiven));
      controller.enqueue(Buffer.from(`event: message\ndata: ${error}\n\n`));
    }
    controller.close();
    reader.cancel().catch(() => {});
  };
  const source: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0] = {
    start(controller) {
      stop = onAbort(ended, () => end(controller));
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (done) end(controller);
      else controller.enqueue(value);
    },
    cancel(reason) {
      isOver = true;
      stop();
      return reader.cancel(reason);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
