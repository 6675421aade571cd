import { joinSignals, untilAborted } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import {
  type MessageTransport,
  type ProtocolEra,
  ProtocolFault,
  type ServerConfig,
  type ServerTimeouts,
} from "../../contract/index.ts";
import { type CallTraffic, StdioTransport, WireWatch } from "../../wire/index.ts";
import type { EndpointOptions } from "../endpoint-options.ts";
import { connectTimeout, openFault } from "../faults/open-faults.ts";
import { type ProcessRemains, processRemains, processSummary } from "../faults/process-remains.ts";
import type { FetchFailure } from "./fetch-failure.ts";
import { type OpenSessionOptions, openSession } from "./open-session.ts";
import { OversizedMessages } from "./oversized-messages.ts";
import type { RawSession } from "./raw-session.ts";

export interface OpenConnectionOptions extends EndpointOptions {
  readonly timeouts: Required<ServerTimeouts>;
  /** Counts everything that arrives. */
  readonly traffic: CallTraffic;
  /** Used instead of a transport made from the configuration. */
  readonly transport?: MessageTransport;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
  /** Called when the connection ended without being closed. */
  readonly onLost: (fault: ProtocolFault) => void;
}

/** An open session and its transport. */
export interface Connection {
  readonly session: RawSession;
  /** Problems on the connection that are not fatal. */
  notes(): readonly string[];
  /** The last lines a server process wrote to standard error. */
  stderr(): string;
  close(): Promise<void>;
}

/** One way to reach a server. */
export interface Attempt {
  readonly transport: MessageTransport;
  readonly era?: ProtocolEra | undefined;
  readonly hasSession?: boolean;
  readonly notices?: OpenSessionOptions["notices"];
  /** Gets the reports of the transport. */
  readonly oversized?: OversizedMessages;
  /** Knows why a request of the transport failed. */
  readonly failure?: FetchFailure;
}

/** Connects over one transport, or explains why that failed. A transport that failed is closed. */
export async function attemptConnection(
  config: ServerConfig,
  options: OpenConnectionOptions,
  attempt: Attempt,
): Promise<Connection> {
  const { transport, failure, oversized = new OversizedMessages(config.id, options.note) } = attempt;
  const { connectMs } = options.timeouts;
  const deadline = AbortSignal.timeout(connectMs);
  const signal = joinSignals(deadline, options.signal);
  const watch = wireWatch(config, options);
  let state = "opening" as "opening" | "open" | "lost" | "over"; // Asserted: `onLost` changes it.
  const onLost = (fault?: ProtocolFault): void => {
    const wasOpen = state === "open";
    state = state === "over" ? "over" : "lost";
    watch?.end();
    if (wasOpen) options.onLost(fault ?? lostFault(config, transport));
  };
  oversized.deliver = (message) => transport.onmessage?.(message);
  if (transport instanceof StdioTransport) {
    transport.onoversized = oversized.report;
    if (watch) transport.onstderr = (chunk) => watch.stderr(chunk);
  }
  const opening = openSession(sessionOptions(config, options, { ...attempt, signal, watch, onLost }));
  let session: RawSession;
  try {
    session = await untilAborted(opening, signal); // Some steps of the SDK ignore the signal.
    if (state === "lost") throw lostFault(config, transport);
    state = "open";
  } catch (thrown) {
    // Read before closing: after that, every process has exited.
    const failed = { config, remains: remainsOf(config, transport), printed: garbageNote(transport) };
    await transport.close().catch(() => {});
    watch?.end();
    if (transport instanceof StdioTransport && transport.refusal) throw transport.refusal;
    if (deadline.aborted) throw connectTimeout(failed, connectMs);
    throw openFault({ ...failed, redactor: options.redactor }, failure?.explain(thrown) ?? thrown);
  }
  oversized.lane = session.lane;
  return {
    session,
    notes: () => wireNotes(transport, session),
    stderr: () => (transport instanceof StdioTransport ? transport.stderr : ""),
    close: async () => {
      state = "over";
      await session.close();
      await transport.close().catch(() => {});
      watch?.end();
    },
  };
}

interface AttemptParts extends Attempt, Pick<OpenSessionOptions, "signal" | "onLost"> {
  readonly watch: WireWatch | undefined;
}

function sessionOptions(
  config: ServerConfig,
  options: OpenConnectionOptions,
  { transport, era, hasSession = false, notices, signal, watch, onLost }: AttemptParts,
): OpenSessionOptions {
  const { timeouts, traffic, redactor, note, onLog, owner, answers, relays, auth } = options;
  const { connectMs, callMs, totalMs } = timeouts;
  return {
    ...{ server: config.id, transport, traffic, redactor, note, signal, onLost, hasSession },
    ...{ connectMs, callMs, totalMs, loginHint: auth?.loginHint },
    // A silent process is a legacy server; a silent network is only slow.
    probeMs: config.kind === "stdio" ? Math.min(options.probeMs ?? 3000, connectMs) : connectMs,
    remains: () => remainsOf(config, transport),
    wantsLogs: options.wantsLogs ?? onLog !== undefined,
    ...(watch ? { watch } : {}),
    ...(era ? { era } : {}),
    ...(notices ? { notices } : {}),
    ...(onLog ? { onLog: (entry, audience) => onLog(config.id, entry, audience) } : {}),
    ...(owner === undefined ? {} : { owner }),
    ...(answers ? { answers } : {}),
    ...(relays ? { relays } : {}),
  };
}

function wireWatch({ id }: ServerConfig, { onWire, redactor }: OpenConnectionOptions): WireWatch | undefined {
  return onWire && new WireWatch({ redactor, onEvent: (event) => onWire(id, event) });
}

function wireNotes(transport: MessageTransport, { lane }: RawSession): string[] {
  const garbage = garbageNote(transport);
  return [
    ...(garbage === "" ? [] : [garbage]),
    ...(lane.strayAnswers > 0 ? [`${lane.strayAnswers} answer(s) matched no pending request`] : []),
  ];
}

/** The lines of a process that are not messages, as one sentence. */
function garbageNote(transport: MessageTransport): string {
  const garbage = transport instanceof StdioTransport ? transport.garbage : undefined;
  if (!garbage || garbage.lines === 0) return "";
  return `${garbage.lines} line(s) on standard output were not messages; the first: ${garbage.first[0]}`;
}

function remainsOf(config: ServerConfig, transport: MessageTransport): ProcessRemains {
  return transport instanceof StdioTransport ? processRemains(transport, config) : {};
}

function lostFault(config: ServerConfig, transport: MessageTransport): ProtocolFault {
  const remains = remainsOf(config, transport);
  const message = `server "${config.id}" ended the connection${processSummary(remains)}`;
  return new ProtocolFault("transport", message, { server: config.id, ...remains });
}
