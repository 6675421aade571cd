import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that may wait on one connection. MCP clients do not pipeline. */
const MAX_WAITING = 8;

const waiting = new WeakMap<Socket, number>();

/**
 * Waits until a pipelined request is next on its connection. Before that, a disconnect of its client cannot be seen,
 * and its slot would never be freed. False if the connection ended first.
 */
export async function isNextOnConnection(
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
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
