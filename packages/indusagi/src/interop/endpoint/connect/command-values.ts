import { safeEnvironment } from "../../../core/index.ts";
import { type CommandReading, type Redactor, readCommand } from "../../../core/internal.ts";
import { ProtocolFault, type ServerConfig } from "../../contract/index.ts";

/** Long enough for a password manager that asks its user. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024;

export interface CommandValueOptions {
  /** Learns the values. */
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** For one command. Default 60 s. */
  readonly commandMs?: number;
}

/**
 * The configuration with the values that its commands write. Each command runs once, all at the same time, with the
 * environment of the server. Their output is shown nowhere.
 */
export async function withCommandValues(
  config: ServerConfig,
  { redactor, signal, commandMs = TIMEOUT_MS }: CommandValueOptions,
): Promise<ServerConfig> {
  const { fromCommand, ...rest } = config;
  if (!fromCommand) return config;
  const runs = new Map<string, Promise<CommandReading>>();
  const place = rest.kind === "stdio" ? { env: rest.env ?? {}, cwd: rest.cwd } : { env: {}, cwd: undefined };
  const options = {
    env: safeEnvironment(place.env),
    ...(place.cwd !== undefined && { cwd: place.cwd }),
    timeoutMs: commandMs,
    maxBytes: MAX_BYTES,
    signal,
  };
  const read = async ([name, command]: readonly [string, readonly string[]]): Promise<[string, string]> => {
    const key = JSON.stringify(command);
    const run = runs.get(key) ?? readCommand(command, options);
    runs.set(key, run);
    const value = valueOf(await run, rest.kind);
    if ("problem" in value)
      throw commandFault(config, `the command for ${JSON.stringify(name)} ${value.problem}`);
    return [name, value.text];
  };
  // All are awaited, so that none is left running when one fails.
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
