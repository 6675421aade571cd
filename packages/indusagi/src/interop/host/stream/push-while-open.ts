import { onAbort } from "../../../core/index.ts";
import { isRecord, onStreamEnd } from "../../../core/internal.ts";
import type { HostClient, ResourceProvider, RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import {
  type ListenWatch,
  listenedResources,
  listenRefusal,
  watchAll,
} from "../subscriptions/listened-resources.ts";
import { pushTasks, type TaskListener, type TaskPush } from "../subscriptions/listened-tasks.ts";
import type { ResourceWatchers } from "../subscriptions/resource-watchers.ts";

/** One modern subscription over HTTP. */
interface PushedStream extends TaskListener {
  readonly message: unknown;
  /** Aborts when the listener is closed. */
  readonly ended: AbortSignal;
  readonly keepAliveMs: number;
}

/** Sends the changes of a subscription's tasks on its stream. Any other answer passes unchanged. */
export function pushWhileOpen(response: Response, stream: PushedStream): Response {
  const { body, headers } = response;
  const isOpen = headers.get("content-type")?.startsWith("text/event-stream");
  if ((stream.message as RpcMessage).method !== "subscriptions/listen" || !isOpen || !body) return response;
  try {
    const push = pushTasks(stream.message, stream);
    return push ? new Response(withTasks(body, push, stream), response) : response;
  } catch (thrown) {
    void body.cancel().catch(() => {});
    const refusal = listenRefusal((stream.message as RpcMessage).id, thrown);
    const isUndeclared = refusal.error?.code === RpcCode.MISSING_CAPABILITY;
    return Response.json(refusal, { status: isUndeclared ? 400 : 200 });
  }
}

/**
 * The SDK's stream with the changes of tasks. Only the newest state of each task waits for a slow client. The SDK ends a stream that
 * has nothing but tasks, so its last message is kept back until the subscription really ends.
 */
function withTasks(
  body: ReadableStream<Uint8Array>,
  push: TaskPush,
  { signal, ended, keepAliveMs }: PushedStream,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const waiting = new Map<unknown, RpcMessage>();
  const keptBack: Uint8Array[] = [];
  let wake = (): void => {};
  let isAcknowledged = false;
  /** Whether only we have something to send. */
  let isOurs = false;
  let isPulseDue = false;
  let pulse: NodeJS.Timeout | undefined;
  let reading: ReturnType<typeof reader.read> | undefined;
  const stops: (() => void)[] = [];
  const end = (): void => {
    clearInterval(pulse);
    for (const stop of stops) stop();
    push.end();
    wake();
  };
  stops.push(
    onAbort(signal, () => end()),
    onAbort(ended, () => wake()),
  );

  const acknowledge = (part: Uint8Array): Uint8Array => {
    isAcknowledged = true;
    const message = messageIn(part);
    if (!message) return part;
    const sent = push.acknowledge(message, (task) => {
      waiting.set(task.params?.["taskId"], task);
      wake();
    });
    isOurs = sent !== message && Object.keys(filterOf(message)).length === 0;
    if (isOurs && keepAliveMs > 0) {
      pulse = setInterval(() => ((isPulseDue = true), wake()), keepAliveMs);
      pulse.unref();
    }
    return sent === message ? part : frame(sent);
  };
  /** The next part that can be sent now; undefined if there is none, `null` at the end. */
  const ready = (): Uint8Array | null | undefined => {
    const [first] = waiting;
    if (first) {
      waiting.delete(first[0]);
      return frame(first[1]);
    }
    if (signal.aborted) return null;
    if (isOurs && ended.aborted) return keptBack.shift() ?? null;
    if (!isPulseDue) return undefined;
    isPulseDue = false;
    return Buffer.from(": keepalive\n\n");
  };
  const next = async (): Promise<Uint8Array | null> => {
    for (;;) {
      const part = ready();
      if (part !== undefined) return part;
      const woken = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)));
      reading ??= reader.read();
      const read = await Promise.race([reading, woken]);
      if (!read) continue;
      if (read.done && isOurs) await woken;
      else reading = undefined;
      if (read.done && !isOurs) return null;
      if (!read.value) continue;
      if (!isAcknowledged) return acknowledge(read.value);
      if (!isOurs) return read.value;
      keptBack.push(read.value);
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const part = await next();
          if (part) return controller.enqueue(part);
          end();
          controller.close();
        } catch (thrown) {
          end();
          throw thrown;
        }
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function frame(message: RpcMessage): Uint8Array {
  return Buffer.from(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** The SDK sends each message as one part. */
function messageIn(part: Uint8Array): RpcMessage | undefined {
  const line = Buffer.from(part)
    .toString("utf8")
    .split("\n")
    .find((each) => each.startsWith("data: "));
  return line === undefined ? undefined : (JSON.parse(line.slice("data: ".length)) as RpcMessage);
}

function filterOf({ params }: RpcMessage): object {
  const honoured = params?.["notifications"];
  return isRecord(honoured) ? honoured : {};
}

/** One modern subscription over HTTP. */
interface OpenedStream {
  readonly message: unknown;
  readonly request: Request;
  readonly response: Response;
  readonly client: HostClient;
  readonly provider: ResourceProvider | undefined;
}

/**
 * Watches the resources of a modern subscription while its stream is open. The SDK serves these streams without
 * calling us. The answer waits until the resources are watched. Any other answer passes unchanged.
 */
export function watchWhileOpen(
  watchers: ResourceWatchers,
  { message, request, response, client, provider }: OpenedStream,
): Response | Promise<Response> {
  const { signal } = request;
  const uris = listenedResources(message);
  const isOpen = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (uris.length === 0 || !isOpen || !response.body) return response;
  const { body } = response;
  const refused = (thrown: unknown): Response => {
    void body.cancel().catch(() => {});
    // As the SDK refuses: in the message, not in the status.
    return Response.json(listenRefusal((message as RpcMessage).id, thrown));
  };
  const caller = { ...client, can: {} };
  let watch: ListenWatch;
  try {
    watch = watchAll({ watchers, provider }, uris, { caller, signal });
  } catch (thrown) {
    return refused(thrown);
  }
  let unlisten = (): void => {};
  const end = (): void => (unlisten(), watch.list.end());
  unlisten = onAbort(signal, end);
  const opened = (): Response => new Response(onStreamEnd(body, end), response);
  return watch.ready ? watch.ready.then(opened, refused) : opened();
}
