import { joinSignals, untilAborted } from "../../../core/index.ts";
import { type MessageTransport, ProtocolFault, type ServerConfig } from "../../contract/index.ts";
import { StdioTransport, WireWatch } from "../../wire/index.ts";
import type { ConnectionContext } from "../connection-context.ts";
import { connectTimeout, openFault } from "../faults/open-faults.ts";
import { type ProcessRemains, processRemains, processSummary } from "../faults/process-remains.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { type ChosenTransport, openMcpSession } from "./open-mcp-session.ts";
import { OversizedMessages } from "./oversized-messages.ts";
import type { RawSession } from "./raw-session.ts";

/** An open session and its transport. */
export interface Connection {
  readonly session: RawSession;
  /** Problems on the connection that are not fatal. */
  notes(): readonly string[];
  /** The last lines a server process wrote to standard error. */
  stderr(): string;
  /** The process of the server. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** One way to reach a server. */
export interface Attempt extends ChosenTransport {
  /** With the values that its commands printed. */
  readonly config: ServerConfig;
  /** Gets the reports of the transport. */
  readonly oversized?: OversizedMessages;
  /** Takes large answers of the transport. */
  readonly answers?: LargeAnswers;
  /** Finds out why a request of the transport failed, if the thrown error itself explains nothing. */
  readonly explain?: (thrown: unknown) => unknown;
}

/** Connects over one transport, or explains why that failed. A transport that failed is closed. */
export async function attemptConnection(context: ConnectionContext, attempt: Attempt): Promise<Connection> {
  const { server, options, redactor, note } = context;
  const { config, transport, explain, oversized = new OversizedMessages(server, note) } = attempt;
  const { connectMs } = context.timeouts;
  const deadline = AbortSignal.timeout(connectMs);
  const signal = joinSignals(deadline, context.signal);
  const { onWire } = options;
  const watch = onWire && new WireWatch({ redactor, onEvent: (event) => onWire(server, event) });
  let state = "opening" as "opening" | "open" | "lost" | "over"; // Asserted: `onLost` changes it.
  const remains = (): ProcessRemains =>
    transport instanceof StdioTransport ? processRemains(transport, config, options.place?.env) : {};
  const onLost = (fault?: ProtocolFault): void => {
    const wasOpen = state === "open";
    state = state === "over" ? "over" : "lost";
    watch?.end();
    if (wasOpen) context.onLost(fault ?? transport.endedBy ?? lostFault(server, remains()));
  };
  oversized.deliver = (message) => transport.onmessage?.(message);
  if (transport instanceof StdioTransport) {
    transport.onoversized = oversized.report;
    if (watch) transport.onstderr = (chunk) => watch.stderr(chunk);
  }
  const opening = openMcpSession(context, attempt, { signal, watch, remains, onLost });
  let session: RawSession;
  try {
    session = await untilAborted(opening, signal); // Some steps of the SDK ignore the signal.
    if (state === "lost") throw lostFault(server, remains());
    state = "open";
  } catch (thrown) {
    // Read before closing: afterwards every process has exited.
    const failed = { config, remains: remains(), printed: garbageNote(transport) };
    await transport.close().catch(() => {});
    watch?.end();
    if (transport instanceof StdioTransport && transport.refusal) throw transport.refusal;
    if (deadline.aborted) throw connectTimeout(failed, connectMs);
    throw openFault({ ...failed, redactor }, explain ? explain(thrown) : thrown);
  }
  oversized.lane = session.lane;
  if (attempt.answers) attempt.answers.holder = session.lane;
  return {
    session,
    notes: () => wireNotes(transport, session),
    pid: transport instanceof StdioTransport ? transport.pid : undefined,
    stderr: () => (transport instanceof StdioTransport ? transport.stderr : ""),
    close: async () => {
      state = "over";
      await session.close();
      await transport.close().catch(() => {});
      watch?.end();
    },
  };
}

function wireNotes(transport: MessageTransport, { lane }: RawSession): string[] {
  const garbage = garbageNote(transport);
  return [
    ...(garbage === "" ? [] : [garbage]),
    ...(lane.strayAnswers > 0 ? [`${lane.strayAnswers} answer(s) matched no pending request`] : []),
  ];
}

/** One sentence about the output lines of a process that are not messages. */
function garbageNote(transport: MessageTransport): string {
  const garbage = transport instanceof StdioTransport ? transport.garbage : undefined;
  if (!garbage || garbage.lines === 0) return "";
  return `${garbage.lines} line(s) on standard output were not messages; the first: ${garbage.first[0]}`;
}

function lostFault(server: string, remains: ProcessRemains): ProtocolFault {
  const message = `server "${server}" ended the connection${processSummary(remains)}`;
  return new ProtocolFault("transport", message, { server, ...remains });
}
