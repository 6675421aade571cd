import {
  isProtocolFault,
  type MessageTransport,
  ProtocolFault,
  type ServerConfig,
} from "../../contract/index.ts";
import { networkFetch } from "../../network/index.ts";
import { StdioTransport } from "../../wire/index.ts";
import type { EndpointOptions } from "../endpoint-options.ts";
import { refusesMessages, refusingFetch } from "../faults/http-refusal.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { NoticeStream } from "../list/notice-stream.ts";
import { attemptConnection, type Connection, type OpenConnectionOptions } from "./attempt-connection.ts";
import { authorizedFetch } from "./authorized-fetch.ts";
import { reportingFetch } from "./bounded-fetch.ts";
import { buildTransport, httpKinds } from "./build-transport.ts";
import { withCommandValues } from "./command-values.ts";
import { FetchFailure } from "./fetch-failure.ts";
import type { OpenSessionOptions } from "./open-session.ts";
import { OversizedMessages } from "./oversized-messages.ts";
import { serverKey } from "./server-key.ts";

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
    return attemptConnection(written, options, { transport, era: options.eras?.recall(serverKey(written)) });
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
    const connection = await attemptConnection(config, options, { transport, era: known });
    options.eras?.remember(key, connection.session.era);
    return connection;
  } catch (thrown) {
    const diedByItself =
      thrown instanceof ProtocolFault && thrown.kind !== "timeout" && thrown.details.exit !== undefined;
    if (known !== undefined || !diedByItself || options.signal.aborted) throw thrown;
    const second = processTransport(config, options);
    const connection = await attemptConnection(config, options, { transport: second, era: "legacy" });
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
      const connection = await attemptConnection(config, options, {
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
