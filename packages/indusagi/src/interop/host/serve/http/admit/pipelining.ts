import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** So many requests may wait on one connection. Clients of this protocol send none ahead. */
const MAX_WAITING = 8;

const waiting = new WeakMap<Socket, number>();

/**
 * Waits until a request that was sent ahead has its turn: until then nothing would tell that its client has gone, and
 * whatever was begun for it would be held for ever. False when the connection has ended before.
 */
export async function hasItsTurn({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const before = waiting.get(socket) ?? 0;
  if (before >= MAX_WAITING) socket.destroy();
  if (socket.destroyed) return false;
  waiting.set(socket, before + 1);
  const isOurs = await new Promise<boolean>((resolve) => {
    const gone = (): void => resolve(false);
    socket.once("close", gone);
    response.once("socket", () => {
      socket.off("close", gone);
      resolve(true);
    });
  });
  waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
  return isOurs;
}
