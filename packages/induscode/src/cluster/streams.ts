import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { describeError } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";
import { type ClusterConnection, notSetUp, patiently } from "./connect-cluster.ts";
import type { Stream } from "./contract.ts";

/** Which messages of a stream are read. */
interface StreamPart {
  /** The subject. */
  readonly subject: string;
  /** Default: the first message. */
  readonly from?: { readonly seq: number } | { readonly ms: number } | undefined;
}

const BEHIND_MS = 30_000;
const BEHIND_CHECK_MS = 250;

/** Calls `take` with each message that a part of a stream holds now, in order. */
export async function readStream(
  connection: ClusterConnection,
  stream: Stream,
  { subject, from }: StreamPart,
  take: (message: JsMsg) => void,
): Promise<void> {
  const { client, manager } = await connection.jetStream();
  const open = async (): Promise<readonly [Consumer, number]> => {
    const consumer = await client.consumers.get(stream, {
      filter_subjects: subject,
      ...(from &&
        ("seq" in from
          ? { deliver_policy: "by_start_sequence" as never, opt_start_seq: Math.max(1, from.seq) }
          : { deliver_policy: "by_start_time" as never, opt_start_time: new Date(from.ms).toISOString() })),
    });
    return [consumer, (await consumer.info()).num_pending];
  };
  try {
    const { state } = await patiently(() => manager.streams.info(stream, { subjects_filter: subject }));
    const stored = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
    const least = from ? 0 : stored;
    let [consumer, pending] = await patiently(open);
    // A consumer may be kept by a server that is still behind, for example after all were restarted. The leader of the stream knows.
    for (const untilMs = performance.now() + BEHIND_MS; pending < least; ) {
      if (performance.now() > untilMs) throw new Error("NATS does not have all of it yet; try again");
      await new Promise((resolve) => setTimeout(resolve, BEHIND_CHECK_MS));
      [consumer, pending] = await patiently(open);
    }
    if (pending === 0) return;
    const messages = await consumer.consume();
    for await (const message of messages) {
      take(message);
      if (message.info.pending === 0) break;
    }
  } catch (thrown) {
    throw unreadable(stream, thrown);
  }
}

/** What a message was given to be recognized by. */
export function messageId(message: { readonly headers?: JsMsg["headers"] }): string {
  return message.headers?.get("Nats-Msg-Id") ?? "";
}

/** Why a stream cannot be read or written, in one line. */
export function unreadable(stream: Stream, cause: unknown): ClusterError {
  const why = describeError(cause);
  if (/stream not found/i.test(why)) return notSetUp();
  return new ClusterError("unreachable", `the stream ${stream} cannot be read: ${why}`, { cause });
}
