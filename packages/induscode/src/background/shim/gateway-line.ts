import type { Socket } from "node:net";
import { controlLine, LineCutter, readControl } from "../link/index.ts";
import { tell } from "./this-process.ts";

export interface GatewayLineOptions {
  /** A message of MCP, with the end of its line. */
  readonly onMessage: (line: Buffer) => void;
  /** What the gateway says to this process, as far as it is not dealt with here. */
  readonly onControl: (said: { readonly [member: string]: unknown }) => void;
  /** The gateway has said nothing for some seconds. */
  readonly onQuiet?: () => void;
  /** The gateway is there, but says nothing any more: it was stopped, or hangs. */
  readonly onSilent: () => void;
}

/**
 * Reads what the gateway sends over an accepted connection: passes its messages on, shows what it reports, gives it the variables
 * that it asks for, and notices when it has stopped without an end of the connection.
 */
export function readGateway(
  socket: Socket,
  { onMessage, onControl, onQuiet, onSilent }: GatewayLineOptions,
): void {
  const cutter = new LineCutter(
    (line) => {
      const said = readControl(line);
      if (!said) return onMessage(line);
      const { err, need } = said;
      if (typeof err === "string") process.stderr.write(err);
      if (Array.isArray(need)) socket.write(controlLine({ env: valuesOf(need) }));
      onControl(said);
    },
    { maxBytes: MAX_LINE_BYTES, onOverflow: () => tell("a message of more than 128 MiB was dropped") },
  );
  let quietTicks = 0;
  // Ticks are counted, not time: while this process or the whole machine sleeps there are none.
  const beats = setInterval(() => {
    // It is not read, because the client does not read either.
    if (socket.isPaused()) return;
    quietTicks += 1;
    if (quietTicks === ASK_TICKS) socket.write(controlLine({ beat: 1 }));
    if (quietTicks > ASK_TICKS) onQuiet?.();
    if (quietTicks === LOST_TICKS) onSilent();
  }, TICK_MS).unref();
  socket.on("data", (chunk: Buffer) => {
    quietTicks = 0;
    cutter.push(chunk);
  });
  socket.on("error", () => {});
  socket.on("close", () => clearInterval(beats));
}

const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** A gateway that said nothing for 2 to 4 s is asked whether it is there. It is lost after 8 more: one that is only busy answers before. */
const TICK_MS = 2_000;
const ASK_TICKS = 2;
const LOST_TICKS = 6;

function valuesOf(names: readonly unknown[]): { readonly [name: string]: string } {
  const known = names.flatMap((name) => {
    const value = typeof name === "string" ? process.env[name] : undefined;
    return value === undefined ? [] : [[String(name), value] as const];
  });
  return Object.fromEntries(known);
}
