import { safeEnvironment } from "../../../core/index.ts";
import { type CommandReading, definedMembers, readCommand } from "../../../core/internal.ts";
import { isProtocolFault, type ProtocolEra, ProtocolFault, type ServerConfig } from "../../contract/index.ts";
import { StdioTransport } from "../../wire/index.ts";
import type { ConnectionContext } from "../connection-context.ts";
import { endedForGood } from "../faults/process-remains.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import { attemptConnection, type Connection } from "./attempt-connection.ts";
import { serverKey } from "./era-memory.ts";
import { openHttp, speaksAnotherTransport } from "./open-http.ts";

/** For one command: long enough for a password manager that asks its user. */
const COMMAND_MS = 60_000;
const MAX_VALUE_BYTES = 64 * 1024;

/** Connects to a server: resolves the values of its configuration, its transport and its era. */
export async function openConnection(context: ConnectionContext): Promise<Connection> {
  const { config, transport, options, signal } = context;
  try {
    if (transport) {
      const era = options.eras?.recall(serverKey(config));
      return await attemptConnection(context, { config, transport, era });
    }
    const launch = await withCommandValues(context);
    return await (launch.kind === "stdio" ? openProcess(context, launch) : openHttp(context, launch));
  } catch (thrown) {
    if (wasRefused(thrown) && !signal.aborted) options.eras?.forget?.(serverKey(config));
    throw thrown;
  }
}

/**
 * Opens a server process. If the era is unknown, the process is probed. A process that exits during the probe is restarted
 * once in the legacy era, and that era is remembered, unless it said that it ended for another reason. Nothing else starts
 * a process twice.
 */
async function openProcess(
  context: ConnectionContext,
  config: ServerConfig & { kind: "stdio" },
): Promise<Connection> {
  const { eras, stdio, place, maxMessageBytes } = context.options;
  const options = definedMembers({ ...stdio, place, maxFrameBytes: stdio?.maxFrameBytes ?? maxMessageBytes });
  const open = async (era: ProtocolEra | undefined): Promise<Connection> => {
    const transport = new StdioTransport(config, options);
    transport.onarrival = context.traffic.arrived;
    const connection = await attemptConnection(context, { config, transport, era });
    eras?.remember(serverKey(config), connection.session.era);
    return connection;
  };
  const known = eras?.recall(serverKey(config));
  try {
    return await open(known);
  } catch (thrown) {
    const diedByItself =
      thrown instanceof ProtocolFault && thrown.kind !== "timeout" && thrown.details.exit !== undefined;
    if (known !== undefined || !diedByItself || context.signal.aborted) throw thrown;
    if (endedForGood(thrown.details)) throw thrown;
    return open("legacy");
  }
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

/**
 * The configuration with the values that its commands print. The commands run concurrently, each once, with the environment
 * of the server. Their output is never shown.
 */
async function withCommandValues({
  config,
  redactor,
  signal,
  options: { place: base },
}: ConnectionContext): Promise<ServerConfig> {
  const { fromCommand, ...rest } = config;
  if (!fromCommand) return config;
  const runs = new Map<string, Promise<CommandReading>>();
  const place = rest.kind === "stdio" ? { env: rest.env ?? {}, cwd: rest.cwd } : { env: {}, cwd: undefined };
  const options = definedMembers({
    env: safeEnvironment(place.env, base?.env),
    cwd: place.cwd ?? base?.cwd,
    timeoutMs: COMMAND_MS,
    maxBytes: MAX_VALUE_BYTES,
    signal,
  });
  const read = async ([name, command]: readonly [string, readonly string[]]): Promise<[string, string]> => {
    const key = JSON.stringify(command);
    const run = runs.get(key) ?? readCommand(command, options);
    runs.set(key, run);
    const value = valueOf(await run, rest.kind);
    if ("problem" in value)
      throw commandFault(config, `the command for ${JSON.stringify(name)} ${value.problem}`);
    return [name, value.text];
  };
  // Wait for all, so none is left running when one fails.
  const settled = await Promise.allSettled(Object.entries(fromCommand).map(read));
  signal.throwIfAborted();
  const entries = settled.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  redactor.keep(entries.map(([, value]) => value));
  const values = Object.fromEntries(entries);
  return rest.kind === "stdio"
    ? { ...rest, env: { ...rest.env, ...values } }
    : { ...rest, headers: { ...rest.headers, ...values } };
}

/** The line break at the end belongs to the command, not to the value. */
function valueOf(reading: CommandReading, kind: ServerConfig["kind"]): CommandReading {
  if ("problem" in reading) return reading;
  const text = reading.text.replace(/\r?\n$/, "");
  if (text === "") return { problem: "wrote nothing" };
  if (text.includes("\0")) return { problem: "wrote a NUL character" };
  if (kind !== "stdio" && !/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text))
    return { problem: "wrote a character that a header cannot carry" };
  return { text };
}

function commandFault({ id: server, kind }: ServerConfig, problem: string): ProtocolFault {
  const message = `server "${server}" could not be opened: ${problem}`;
  const faultKind = kind === "stdio" ? "spawn_failed" : "transport";
  return new ProtocolFault(faultKind, message, { server, reason: "value_command", retrySafe: true });
}
