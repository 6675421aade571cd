import type { MessagePort } from "node:worker_threads";

/** Deletes every message, because its other end is closed. Made by the first call. */
let closedPort: MessagePort | undefined;

/**
 * Gives the memory of a buffer back at once; the buffer is empty after it. V8 would do it when it collects garbage, which
 * can be twenty megabytes later: it counts the small object, not the bytes outside of its heap. A part of a larger block
 * stays as it is.
 */
export function freeBytes(bytes: Buffer): void {
  if (bytes.byteLength !== bytes.buffer.byteLength) return;
  try {
    // Sending a buffer detaches it here, and the port deletes the message with the buffer.
    closedPort ??= makeClosedPort();
    closedPort.postMessage(undefined, [bytes.buffer as ArrayBuffer]);
  } catch {
    // It cannot be sent, so V8 frees it later.
  }
}

function makeClosedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}
