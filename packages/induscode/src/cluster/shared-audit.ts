import type { JsMsg } from "@nats-io/jetstream";
import { type AuditFilter, type CallRecord, recordsIn } from "../gateway/operations/audit/index.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { Stream, subjects } from "./contract.ts";
import { messageId, readStream, unreadable } from "./streams.ts";

/** The audit trail of a cluster. */
export interface SharedAudit {
  /** The last records, oldest first. */
  read(filter: AuditFilter, most: number): Promise<readonly CallRecord[]>;
  /** Each call of the returned function returns what was added since the last one. */
  follow(filter: AuditFilter): Promise<() => readonly CallRecord[]>;
}

export function openSharedAudit(connection: ClusterConnection): SharedAudit {
  return {
    read: async (filter, most) => {
      const take = batchReader();
      let found: CallRecord[] = [];
      const keep = (): void => {
        // A gateway that could not reach NATS delivers later.
        found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
        found = found.slice(-most);
      };
      const from = await startOf(connection, filter, most);
      await readStream(connection, Stream.AUDIT, { subject: subjects.audit, from }, (message) => {
        found.push(...recordsIn(take(message), filter));
        if (found.length > 4 * most + MANY) keep();
      });
      keep();
      return found;
    },
    follow: async (filter) => {
      const take = batchReader();
      let added: CallRecord[] = [];
      const { client } = await connection.jetStream();
      try {
        const consumer = await client.consumers.get(Stream.AUDIT, {
          filter_subjects: subjects.audit,
          deliver_policy: "new" as never,
        });
        await consumer.consume({
          callback: (message) => void added.push(...recordsIn(take(message), filter)),
        });
      } catch (thrown) {
        throw unreadable(Stream.AUDIT, thrown);
      }
      return () => {
        const records = added;
        added = [];
        return records;
      };
    },
  };
}

const MANY = 1_000;
const SKEW_MS = 10 * 60 * 1_000;

/** Where to begin: at the time that is asked for, or so that all of the last records are read. */
async function startOf(
  connection: ClusterConnection,
  { sinceMs, ...filter }: AuditFilter,
  most: number,
): Promise<{ readonly ms: number } | { readonly seq: number } | undefined> {
  // A call is recorded when it has ended. The clock of NATS may be another one.
  if (sinceMs !== undefined) return { ms: sinceMs - SKEW_MS };
  if (Object.values(filter).some((value) => value !== undefined)) return undefined;
  const { manager } = await connection.jetStream();
  try {
    // Each message has at least one record.
    return { seq: (await manager.streams.info(Stream.AUDIT)).state.last_seq - most + 1 };
  } catch (thrown) {
    throw unreadable(Stream.AUDIT, thrown);
  }
}

/** The lines of a batch. A batch that the stream has twice counts once. */
function batchReader(): (message: JsMsg) => string {
  const seen = new Set<string>();
  return (message) => {
    const id = messageId(message);
    if (seen.has(id)) return "";
    seen.add(id);
    return message.string();
  };
}
