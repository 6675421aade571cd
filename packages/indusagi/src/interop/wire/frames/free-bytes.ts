import type { MessagePort } from "node:worker_threads";

/** Drops every message: its other end is closed. Made by the first call. */
let nowhere: MessagePort | undefined;

/**
 * Gives the memory of a buffer back at once; the buffer is empty after it. V8 would do it when it collects garbage, which
 * can be twenty megabytes later: it counts the small object, not the bytes outside of its heap. A part of a larger block
 * stays as it is.
 */
export function freeBytes(bytes: Buffer): void {
  if (bytes.byteLength !== bytes.buffer.byteLength) return;
  try {
    // A buffer that is sent away leaves this side, and a message to nobody is deleted with its content.
    nowhere ??= portToNowhere();
    nowhere.postMessage(undefined, [bytes.buffer as ArrayBuffer]);
  } catch {
    // It cannot be sent, so V8 frees it later.
  }
}

function portToNowhere(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}
