import type { MessageTransport, RpcMessage } from "../contract/index.ts";

/** Two connected transports in this process. Messages sent before the other side has started are queued. */
export function linkedTransports(): [MessageTransport, MessageTransport] {
  const left = new LinkedTransport();
  const right = new LinkedTransport();
  left.link(right);
  right.link(left);
  return [left, right];
}

class LinkedTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  #peer: LinkedTransport | undefined;
  #waiting: RpcMessage[] = [];
  #isStarted = false;
  #isClosed = false;
  // The SDK takes a transport with these two members for a process: no answer to the probe means a legacy server.
  readonly pid = undefined;
  readonly stderr = undefined;

  link(peer: LinkedTransport): void {
    this.#peer = peer;
  }

  async start(): Promise<void> {
    this.#isStarted = true;
    for (const message of this.#waiting.splice(0)) this.#deliver(message);
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#isClosed || !this.#peer) throw new Error("the transport is closed");
    this.#peer.#receive(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
    await this.#peer?.close();
  }

  #receive(message: RpcMessage): void {
    if (this.#isClosed) return;
    if (this.#isStarted) queueMicrotask(() => this.#deliver(message));
    else this.#waiting.push(message);
  }

  #deliver(message: RpcMessage): void {
    if (!this.#isClosed) this.onmessage?.(message);
  }
}
