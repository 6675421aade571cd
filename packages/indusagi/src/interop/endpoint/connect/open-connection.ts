import { contentHash, joinSignals, untilAborted } from "../../../core/index.ts";
import type { MessageTransport } from "../../contract/index.ts";
import {
  type FaultDetails,
  isProtocolFault,
  type ProtocolEra,
  ProtocolFault,
  type ServerConfig,
  type ServerTimeouts,
} from "../../contract/index.ts";
import { StdioTransport } from "../../wire/index.ts";
import type { EndpointOptions } from "../endpoint-options.ts";
import { faultAt, symptomsOf } from "../faults/error-faults.ts";
import { refusesMessages, refusingFetch } from "../faults/http-refusal.ts";
import { NoticeStream } from "../list/notice-stream.ts";
import { buildTransport, httpKinds } from "./build-transport.ts";
import { type OpenSessionOptions, openSession } from "./open-session.ts";
import type { RawSession } from "./raw-session.ts";

export interface OpenConnectionOptions extends EndpointOptions {
  readonly timeouts: Required<ServerTimeouts>;
  /** Given instead of one made from the configuration. */
  readonly transport?: MessageTransport;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
  /** Hears that the connection ended by itself. */
  readonly onLost: (fault: ProtocolFault) => void;
}

/** An open session together with what carries it. */
export interface Connection {
  readonly session: RawSession;
  /** What was wrong on the wire without being fatal. */
  notes(): readonly string[];
  /** The last lines a server process wrote to standard error. */
  stderr(): string;
  close(): Promise<void>;
}

/** Connects to a server by whatever way works: the HTTP transports in turn, the eras as they are found out. */
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

async function open(config: ServerConfig, options: OpenConnectionOptions): Promise<Connection> {
  const { transport } = options;
  if (transport) return attempt(config, options, { transport, era: options.eras?.recall(serverKey(config)) });
  return config.kind === "stdio" ? openProcess(config, options) : openHttp(config, options);
}

/** Identifies a server for what is remembered about it: by what is started or dialled, never by its id. */
function serverKey(config: ServerConfig): string {
  if (config.kind !== "stdio") return contentHash([config.url]);
  return contentHash([config.command, config.args ?? [], config.cwd ?? null]);
}

/**
 * An unknown server is asked for its era in place. One that dies of the question is started once more and spoken to in
 * the old way; that is the only second start there is, and the verdict is remembered.
 */
async function openProcess(
  config: ServerConfig & { kind: "stdio" },
  options: OpenConnectionOptions,
): Promise<Connection> {
  const key = serverKey(config);
  const known = options.eras?.recall(key);
  const transport = new StdioTransport(config, options.stdio);
  try {
    const connection = await attempt(config, options, { transport, era: known });
    options.eras?.remember(key, connection.session.era);
    return connection;
  } catch (thrown) {
    const diedByItself =
      thrown instanceof ProtocolFault && thrown.kind !== "timeout" && thrown.details.exit !== undefined;
    if (known !== undefined || !diedByItself || options.signal.aborted) throw thrown;
    const second = new StdioTransport(config, options.stdio);
    const connection = await attempt(config, options, { transport: second, era: "legacy" });
    options.eras?.remember(key, "legacy");
    return connection;
  }
}

async function openHttp(
  config: Exclude<ServerConfig, { kind: "stdio" }>,
  options: OpenConnectionOptions,
): Promise<Connection> {
  const key = serverKey(config);
  const kinds = httpKinds(config);
  let first: unknown;
  for (const kind of kinds) {
    try {
      const refuses = kind === "sse" ? refusesMessages(options.auth !== undefined) : undefined;
      const stream = new NoticeStream();
      const transport = await buildTransport(config, kind, {
        ...options,
        fetch: stream.watch(refusingFetch(options.fetch, refuses)),
      });
      // The older transport knows one era only, and some servers behind it choke on a probe.
      const era = kind === "sse" ? "legacy" : options.eras?.recall(key);
      const connection = await attempt(config, options, {
        transport,
        era,
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

/** A server that answered and would not go on, unlike one that is away, silent or dead: it may speak another era by now. */
function wasRefused(thrown: unknown): boolean {
  if (!isProtocolFault(thrown) || thrown.kind === "timeout" || thrown.details.exit) return false;
  const { status, code } = symptomsOf(thrown);
  return code === undefined && (status === undefined || speaksAnotherTransport(thrown));
}

/** A 4xx that is no matter of login says: not this way. */
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

/** The SDK's transport can also open a stream that nobody has lost. */
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
}

async function attempt(
  config: ServerConfig,
  options: OpenConnectionOptions,
  { transport, era, hasSession = false, notices }: Attempt,
): Promise<Connection> {
  const { connectMs, callMs, totalMs } = options.timeouts;
  const deadline = AbortSignal.timeout(connectMs);
  const signal = joinSignals(deadline, options.signal);
  let state = "opening" as "opening" | "open" | "lost" | "over"; // Asserted: it changes behind the compiler's back.
  const lost = (fault?: ProtocolFault): void => {
    const wasOpen = state === "open";
    state = state === "over" ? "over" : "lost";
    if (wasOpen) options.onLost(fault ?? lostFault(config, transport));
  };
  const opening = openSession({
    server: config.id,
    transport,
    connectMs,
    // A process that stays silent is an old server; a network that stays silent is only slow.
    probeMs: config.kind === "stdio" ? Math.min(options.probeMs ?? 3000, connectMs) : connectMs,
    callMs,
    totalMs,
    signal,
    note: options.note,
    onLost: lost,
    hasSession,
    ...(era ? { era } : {}),
    ...(notices ? { notices } : {}),
    ...(options.answers ? { answers: options.answers } : {}),
    ...(options.relays ? { relays: options.relays } : {}),
  });
  let session: RawSession;
  try {
    session = await untilAborted(opening, signal); // The SDK's own steps do not all listen to the signal.
    if (state === "lost") throw lostFault(config, transport);
    state = "open";
  } catch (thrown) {
    const remains = processRemains(transport); // Before it is closed: afterwards every process has exited.
    await transport.close().catch(() => {});
    if (transport instanceof StdioTransport && transport.refusal) throw transport.refusal;
    throw deadline.aborted ? connectTimeout(config, remains, connectMs) : openFault(config, remains, thrown);
  }
  const { lane } = session;
  if (transport instanceof StdioTransport) {
    transport.onoversized = (id, bytes) => {
      const message = `server "${config.id}" sent a message of ${bytes} bytes, more than may be read`;
      const fault = new ProtocolFault("protocol", message, { server: config.id });
      if (id === undefined || !lane.fail(id, fault)) options.note(message);
    };
  }
  return {
    session,
    notes: () => wireNotes(transport, session),
    stderr: () => (transport instanceof StdioTransport ? transport.stderr : ""),
    close: async () => {
      state = "over";
      await session.close();
      await transport.close().catch(() => {});
    },
  };
}

function wireNotes(transport: MessageTransport, { lane }: RawSession): string[] {
  const garbage = transport instanceof StdioTransport ? transport.garbage : undefined;
  return [
    ...(garbage && garbage.lines > 0
      ? [`${garbage.lines} line(s) on standard output were no messages; the first: ${garbage.first[0]}`]
      : []),
    ...(lane.strayAnswers > 0 ? [`${lane.strayAnswers} answer(s) nobody waited for`] : []),
  ];
}

/** What a process leaves for a fault: how it exited by itself, if it did, and the last it said. */
type ProcessRemains = Pick<FaultDetails, "exit" | "stderr">;

function processRemains(transport: MessageTransport): ProcessRemains {
  if (!(transport instanceof StdioTransport)) return {};
  const { exit, stderr } = transport;
  return {
    ...(exit ? { exit: { code: exit.code, ...(exit.signal ? { signal: exit.signal } : {}) } } : {}),
    ...(stderr === "" ? {} : { stderr }),
  };
}

function storyOf({ exit, stderr }: ProcessRemains): string {
  const ended = exit ? ` (${exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`})` : "";
  const last = stderr?.split("\n").at(-1)?.trim();
  return `${ended}${last ? `; it said: ${last}` : ""}`;
}

function connectTimeout(config: ServerConfig, remains: ProcessRemains, connectMs: number): ProtocolFault {
  const message = `server "${config.id}" did not connect within ${connectMs / 1000} s${storyOf(remains)}`;
  return new ProtocolFault("timeout", message, { server: config.id, retrySafe: true, ...remains });
}

function openFault(config: ServerConfig, remains: ProcessRemains, thrown: unknown): ProtocolFault {
  const { id: server } = config;
  const details = { retrySafe: true, ...remains };
  if (remains.exit) {
    const message = `server "${server}" exited before it was connected${storyOf(remains)}`;
    return new ProtocolFault("spawn_failed", message, { server, cause: thrown, ...details });
  }
  const kind = config.kind === "stdio" ? "spawn_failed" : "transport";
  return faultAt({ server, kind, doing: `could not be opened${storyOf(remains)}`, details }, thrown);
}

function lostFault(config: ServerConfig, transport: MessageTransport): ProtocolFault {
  const remains = processRemains(transport);
  const message = `server "${config.id}" ended the connection${storyOf(remains)}`;
  return new ProtocolFault("transport", message, { server: config.id, ...remains });
}
