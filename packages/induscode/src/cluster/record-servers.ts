import { setTimeout as pause } from "node:timers/promises";
import { describeError, settlesWithin } from "indusagi/core";
import { type ToolBox, viewBox } from "indusagi/runtime";
import { boxReplay, type RunLedger } from "../boot/internal.ts";
import { followBridgeBox, prepareTools } from "../deck/attach/index.ts";
import type { DecisionRecord, LedgerLog } from "../deck/ledger-log/index.ts";
import type { ClusterConnection } from "./connect-cluster.ts";
import { openServerLedger, recordDecisions } from "./server-ledger.ts";

/** Writes the ledger of the servers that a worker owns. */
export interface ServerRecorder {
  /** Records the tools of a server from now on. */
  start(server: string): void;
  /** What changes from now on is not recorded. Resolves when the rest is stored, or cannot be. Never rejects. */
  stop(server: string): Promise<void>;
  /** Records a decision about a server's tools. Rejects if it cannot be stored. */
  decide(decision: DecisionRecord): Promise<void>;
}

const AGAIN_MS = 1_000;
/** How long the last changes of a server may take to be stored. */
const LAST_MS = 3_000;

export function recordServers(
  connection: ClusterConnection,
  box: ToolBox,
  report: (message: string) => void,
): ServerRecorder {
  const recordings = new Map<string, Recording>();
  return {
    start: (server) => {
      if (!recordings.has(server))
        recordings.set(server, startRecording(connection, { server, box, report }));
    },
    stop: async (server) => {
      const recording = recordings.get(server);
      recordings.delete(server);
      await recording?.stop();
    },
    decide: async (decision) => {
      const log = await recordings.get(decision.server)?.log();
      if (log) await log.append([decision]);
      else await recordDecisions(connection, [decision]);
    },
  };
}

/** The ledger of runs that own no server: it takes only decisions. */
export function decisionLedger(
  decide: (decision: DecisionRecord) => Promise<void>,
  report: (message: string) => void,
): RunLedger {
  let deciding: Promise<void> = Promise.resolve();
  return {
    log: async () => undefined,
    record: (decisions) => {
      for (const decision of decisions)
        deciding = deciding
          .then(() => decide(decision))
          .catch((thrown: unknown) =>
            report(`a decision about a changed tool is not recorded: ${describeError(thrown)}`),
          );
    },
    [Symbol.asyncDispose]: () => deciding,
  };
}

interface Recording {
  /** Undefined if it has ended. */
  log(): Promise<LedgerLog | undefined>;
  stop(): Promise<void>;
}

interface RecordedServer {
  readonly server: string;
  readonly box: ToolBox;
  readonly report: (message: string) => void;
}

function startRecording(connection: ClusterConnection, { server, box, report }: RecordedServer): Recording {
  const over = new AbortController();
  const tools = viewBox(box, { show: (tool) => (tool.origin?.server === server ? tool : undefined) });
  let bridge: ReturnType<typeof followBridgeBox> | undefined;
  const open = async (): Promise<LedgerLog | undefined> => {
    const replay = await boxReplay(tools);
    for (let isFirst = true; !over.signal.aborted; isFirst = false) {
      try {
        const log = await openServerLedger(connection, server, { report });
        await prepareTools(tools.descriptors());
        if (over.signal.aborted) {
          await log.close();
          break;
        }
        bridge = followBridgeBox(replay.box, { log, report, clock: replay.clock });
        replay.catchUp();
        return log;
      } catch (thrown) {
        if (isFirst)
          report(`changes of the tools of server "${server}" wait for NATS: ${describeError(thrown)}`);
        await pause(AGAIN_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
      }
    }
    return undefined;
  };
  const opening = open();
  return {
    log: () => opening,
    stop: async () => {
      over.abort();
      // Stops following at once: what the server takes along when it ends is no change.
      const following = bridge?.close();
      const log = await opening;
      if (following) await settlesWithin(following, LAST_MS);
      await log?.close();
    },
  };
}
