import { onAbort } from "../../../core/index.ts";
import type { Refusal } from "../admit/refusal.ts";

/** One exchange under a token that can end. */
export interface TokenExchange {
  /** Aborts with a `Refusal` when the token ends. */
  readonly ended: AbortSignal;
  /** The id of the request, which gets an error. Absent: the stream ends without one. */
  readonly id?: string | number | undefined;
}

/** The JSON-RPC error for a request whose token has ended. */
export function tokenError(id: string | number | null, { code, message }: Refusal): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/**
 * Ends an answer when its token ends: an answer that has not begun becomes the refusal itself, an open stream ends with
 * an error for its request.
 */
export async function endWithToken(
  answering: Promise<Response>,
  { ended, id }: TokenExchange,
): Promise<Response> {
  const response = await unlessEnded(answering, ended);
  if (!response) {
    answering.then(({ body }) => body?.cancel()).catch(() => {});
    const refusal = ended.reason as Refusal;
    const { status, headers = {} } = refusal;
    return Response.json(tokenError(id ?? null, refusal), { status, headers });
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!response.body || !isStream) return response;
  return new Response(untilEnded(response.body, { ended, id }), response);
}

function unlessEnded(answering: Promise<Response>, ended: AbortSignal): Promise<Response | undefined> {
  if (ended.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const stop = onAbort(ended, () => resolve(undefined));
    answering.then(resolve, reject).finally(stop);
  });
}

function untilEnded(
  body: ReadableStream<Uint8Array>,
  { ended, id }: TokenExchange,
): ReadableStream<Uint8Array> {
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
      const error = JSON.stringify(tokenError(id, ended.reason as Refusal));
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
