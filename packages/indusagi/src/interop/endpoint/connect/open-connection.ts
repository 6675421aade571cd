import { joinSignals, untilAborted } from "../../../core/index.ts";
import type { Redactor } from "../../../core/internal.ts";
import type { MessageTransport } from "../../contract/index.ts";
import {
  isProtocolFault,
  type ProtocolEra,
  ProtocolFault,
  type ServerConfig,
  type ServerTimeouts,
} from "../../contract/index.ts";
import { networkFetch } from "../../network/index.ts";
import { type CallTraffic, StdioTransport, WireWatch } from "../../wire/index.ts";
import type { EndpointOptions } from "../endpoint-options.ts";
import { refusesMessages, refusingFetch } from "../faults/http-refusal.ts";
import { connectTimeout, openFault } from "../faults/open-faults.ts";
import { type ProcessRemains, processRemains, processSummary } from "../faults/process-remains.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { NoticeStream } from "../list/notice-stream.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import { reportingFetch } from "./bounded-fetch.ts";
import { buildTransport, httpKinds } from "./build-transport.ts";
import { withCommandValues } from "./command-values.ts";
import { FetchFailure } from "./fetch-failure.ts";
import { type OpenSessionOptions, openSession } from "./open-session.ts";
import { OversizedMessages } from "./oversized-messages.ts";
import type { RawSession } from "./raw-session.ts";
import { serverKey } from "./server-key.ts";

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

/** Connects to a server: tries the HTTP transports in turn and finds out the era. */
export async function openConnection(
  config: ServerConfig,
  options: OpenConnectionOptions,
): Promise<Connection> {
  try {
    return await open(config, options);
  } catch (thrown) {
    if (wasRefused(thrown) && !options.signal.aborted) options.eras?.forget?.(serverKey(config));
    throw thrown;
  }
}

async function open(written: ServerConfig, options: OpenConnectionOptions): Promise<Connection> {
  const { transport } = options;
  if (transport)
    return attempt(written, options, { transport, era: options.eras?.recall(serverKey(written)) });
  const config = await withCommandValues(written, options);
  return config.kind === "stdio" ? openProcess(config, options) : openHttp(config, options);
}

/**
 * Opens a server process. If the era is unknown, the process is probed. A process that exits during the probe is
 * started once more in the legacy era, and that era is remembered. No other case starts a process twice.
 */
async function openProcess(
  config: ServerConfig & { kind: "stdio" },
  options: OpenConnectionOptions,
): Promise<Connection> {
  const key = serverKey(config);
  const known = options.eras?.recall(key);
  const transport = processTransport(config, options);
  try {
    const connection = await attempt(config, options, { transport, era: known });
    options.eras?.remember(key, connection.session.era);
    return connection;
  } catch (thrown) {
    const diedByItself =
      thrown instanceof ProtocolFault && thrown.kind !== "timeout" && thrown.details.exit !== undefined;
    if (known !== undefined || !diedByItself || options.signal.aborted) throw thrown;
    const second = processTransport(config, options);
    const connection = await attempt(config, options, { transport: second, era: "legacy" });
    options.eras?.remember(key, "legacy");
    return connection;
  }
}

function processTransport(
  config: ServerConfig & { kind: "stdio" },
  { stdio, traffic, maxMessageBytes: maxFrameBytes }: OpenConnectionOptions,
): StdioTransport {
  const transport = new StdioTransport(config, {
    ...(maxFrameBytes === undefined ? {} : { maxFrameBytes }),
    ...stdio,
  });
  transport.onarrival = () => traffic.arrived();
  return transport;
}

async function openHttp(
  config: Exclude<ServerConfig, { kind: "stdio" }>,
  options: OpenConnectionOptions,
): Promise<Connection> {
  const key = serverKey(config);
  const kinds = httpKinds(config);
  const onArrival = (): void => options.traffic.arrived();
  let first: unknown;
  for (const kind of kinds) {
    try {
      const refuses = kind === "sse" ? refusesMessages(options.auth !== undefined) : undefined;
      const stream = new NoticeStream();
      const oversized = new OversizedMessages(config.id, options.note);
      const failure = new FetchFailure();
      const network = options.fetch ?? networkFetch({ note: options.note });
      const send = options.auth ? authorizedFetch(network, options.auth, new URL(config.url)) : network;
      const transport = await buildTransport(config, kind, {
        ...options,
        onArrival,
        onOversized: oversized.report,
        fetch: stream.watch(
          refusingFetch(failure.watch(reportingFetch(send, onArrival)), {
            refuses,
            redactor: options.redactor,
          }),
        ),
      });
      // The older transport has only the legacy era, and some servers behind it fail on a probe.
      const era = kind === "sse" ? "legacy" : options.eras?.recall(key);
      const connection = await attempt(config, options, {
        transport,
        era,
        oversized,
        failure,
        ...(kind === "sse" ? { hasSession: true } : { notices: noticesOf(stream, transport, options) }),
      });
      if (kind !== "sse") options.eras?.remember(key, connection.session.era);
      return connection;
    } catch (thrown) {
      first ??= thrown;
      if (kind === kinds.at(-1) || !speaksAnotherTransport(thrown)) throw kind === kinds[0] ? thrown : first;
    }
  }
  throw first;
}

/**
 * True if the server answered and refused, so it may speak another era now. False if it was unreachable, silent or
 * exited.
 */
function wasRefused(thrown: unknown): boolean {
  if (!isProtocolFault(thrown) || thrown.kind === "timeout" || thrown.details.exit) return false;
  const { status, code } = symptomsOf(thrown);
  return code === undefined && (status === undefined || speaksAnotherTransport(thrown));
}

/** A 4xx other than an authentication error: the server may speak the other HTTP transport. */
function speaksAnotherTransport(thrown: unknown): boolean {
  const { status } = symptomsOf(thrown);
  return (
    status !== undefined &&
    status >= 400 &&
    status < 500 &&
    status !== 401 &&
    status !== 403 &&
    status !== 429
  );
}

/** The SDK's transport can open a stream with `resumeStream` although none was lost. */
function noticesOf(
  stream: NoticeStream,
  transport: MessageTransport,
  { reopenMs: waitMs = 5000 }: EndpointOptions,
): OpenSessionOptions["notices"] {
  const { resumeStream } = transport as { resumeStream?: (after: string) => Promise<void> };
  return resumeStream && { stream, waitMs, reopen: () => resumeStream.call(transport, "") };
}

interface Attempt {
  readonly transport: MessageTransport;
  readonly era?: ProtocolEra | undefined;
  readonly hasSession?: boolean;
  readonly notices?: OpenSessionOptions["notices"];
  /** Gets the reports of the transport. */
  readonly oversized?: OversizedMessages;
  /** Knows why a request of the transport failed. */
  readonly failure?: FetchFailure;
}

async function attempt(
  config: ServerConfig,
  options: OpenConnectionOptions,
  {
    transport,
    era,
    hasSession = false,
    notices,
    failure,
    oversized = new OversizedMessages(config.id, options.note),
  }: Attempt,
): Promise<Connection> {
  const { timeouts, onLog } = options;
  const { connectMs, callMs, totalMs } = timeouts;
  const deadline = AbortSignal.timeout(connectMs);
  const signal = joinSignals(deadline, options.signal);
  const watch = wireWatch(config, options);
  let state = "opening" as "opening" | "open" | "lost" | "over"; // Asserted: `lost` changes it.
  const lost = (fault?: ProtocolFault): void => {
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
  const opening = openSession({
    server: config.id,
    transport,
    traffic: options.traffic,
    connectMs,
    // A silent process is a legacy server; a silent network is only slow.
    probeMs: config.kind === "stdio" ? Math.min(options.probeMs ?? 3000, connectMs) : connectMs,
    callMs,
    totalMs,
    redactor: options.redactor,
    signal,
    note: options.note,
    onLost: lost,
    hasSession,
    remains: () => remainsOf(config, transport),
    ...(watch ? { watch } : {}),
    ...(era ? { era } : {}),
    ...(notices ? { notices } : {}),
    ...(onLog ? { onLog: (entry, audience) => onLog(config.id, entry, audience) } : {}),
    wantsLogs: options.wantsLogs ?? onLog !== undefined,
    ...(options.owner === undefined ? {} : { owner: options.owner }),
    ...(options.answers ? { answers: options.answers } : {}),
    ...(options.relays ? { relays: options.relays } : {}),
  });
  let session: RawSession;
  try {
    session = await untilAborted(opening, signal); // Some steps of the SDK ignore the signal.
    if (state === "lost") throw lostFault(config, transport);
    state = "open";
  } catch (thrown) {
    const remains = remainsOf(config, transport); // Read before closing: after that, every process has exited.
    await transport.close().catch(() => {});
    watch?.end();
    if (transport instanceof StdioTransport && transport.refusal) throw transport.refusal;
    if (deadline.aborted) throw connectTimeout(config, remains, connectMs);
    throw openFault({ config, remains, redactor: options.redactor }, failure?.explain(thrown) ?? thrown);
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

function wireWatch({ id }: ServerConfig, { onWire, redactor }: OpenConnectionOptions): WireWatch | undefined {
  return onWire && new WireWatch({ redactor, onEvent: (event) => onWire(id, event) });
}

function wireNotes(transport: MessageTransport, { lane }: RawSession): string[] {
  const garbage = transport instanceof StdioTransport ? transport.garbage : undefined;
  return [
    ...(garbage && garbage.lines > 0
      ? [`${garbage.lines} line(s) on standard output were not messages; the first: ${garbage.first[0]}`]
      : []),
    ...(lane.strayAnswers > 0 ? [`${lane.strayAnswers} answer(s) matched no pending request`] : []),
  ];
}

function remainsOf(config: ServerConfig, transport: MessageTransport): ProcessRemains {
  return transport instanceof StdioTransport ? processRemains(transport, config) : {};
}

function lostFault(config: ServerConfig, transport: MessageTransport): ProtocolFault {
  const remains = remainsOf(config, transport);
  const message = `server "${config.id}" ended the connection${processSummary(remains)}`;
  return new ProtocolFault("transport", message, { server: config.id, ...remains });
}
