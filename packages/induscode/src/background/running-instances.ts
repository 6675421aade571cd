import type { Socket } from "node:net";
import type { InjectedTransport, ServerConfig } from "indusagi/interop";
import type { Run } from "../boot/internal.ts";
import { userPlaces } from "./find-gateways.ts";
import {
  clientPlace,
  dial,
  isInOurTree,
  isSharingOff,
  LineCutter,
  livePlace,
  readObject,
} from "./link/index.ts";

const MAX_LINE_BYTES = 128 * 1024 * 1024;

/**
 * Connections to those of the servers that run in the user's background gateway, by id. What runs in the same place with the same
 * environment need not be started again. `before` is awaited if there is a gateway. Empty if there is no gateway, or if it must not be used here. Never rejects.
 */
export async function runningInstances(
  { env, cwd, attachment }: Pick<Run, "env" | "cwd" | "attachment">,
  servers: readonly ServerConfig[],
  before: () => Promise<void>,
): Promise<Map<string, InjectedTransport>> {
  const found = new Map<string, InjectedTransport>();
  if (attachment || env !== process.env || isSharingOff()) return found;
  const place = placeOrNothing(env);
  if (!place || isInOurTree()) return found;
  await before();
  const client = clientPlace();
  const asked = servers.map(async (row) => {
    const { share = "fleet", enabled = true, pending = false } = row;
    if ((share !== "fleet" && share !== "user") || !enabled || pending) return;
    const dialled = await dial(place, { kind: "instance", row, folder: cwd, ...client });
    if ("socket" in dialled) found.set(row.id, new SocketTransport(dialled.socket));
  });
  await Promise.all(asked);
  return found;
}

function placeOrNothing(env: Run["env"]): ReturnType<typeof livePlace> {
  try {
    return livePlace(userPlaces(env));
  } catch {
    return undefined; // The command is not built.
  }
}

type Message = Parameters<NonNullable<InjectedTransport["onmessage"]>>[0];

/** An open connection to a running server as a transport. */
class SocketTransport implements InjectedTransport {
  onmessage?: InjectedTransport["onmessage"];
  onerror?: InjectedTransport["onerror"];
  onclose?: InjectedTransport["onclose"];
  /** With these members it counts as a process: that it says nothing means that it is of the older era, not that it is slow. */
  readonly pid: number = process.pid;
  readonly stderr: null = null;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", (thrown) => this.onerror?.(thrown));
    socket.on("close", () => this.onclose?.());
  }

  async start(): Promise<void> {
    const cutter = new LineCutter(
      (line) => {
        const message = readObject(line);
        if (message) this.onmessage?.(message as unknown as Message);
      },
      { maxBytes: MAX_LINE_BYTES, onOverflow: () => this.#socket.destroy() },
    );
    this.#socket.on("data", (chunk: Buffer) => cutter.push(chunk));
    this.#socket.resume();
  }

  send(message: object): Promise<void> {
    return new Promise((sent, failed) => {
      this.#socket.write(`${JSON.stringify(message)}\n`, (thrown) => (thrown ? failed(thrown) : sent()));
    });
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }
}
