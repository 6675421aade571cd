import { ProtocolFault } from "../../contract/index.ts";

/** The time of a whole call that is made of many requests. */
export class CallTime {
  readonly #totalMs: number;
  readonly #called: { readonly server: string; readonly tool: string };
  readonly #endsAtMs: number;

  constructor(totalMs: number, called: { readonly server: string; readonly tool: string }) {
    this.#totalMs = totalMs;
    this.#called = called;
    this.#endsAtMs = performance.now() + totalMs;
  }

  get isUp(): boolean {
    return performance.now() >= this.#endsAtMs;
  }

  /** What is left for the next request; throws when nothing is. */
  leftMs(): number {
    const leftMs = this.#endsAtMs - performance.now();
    if (leftMs <= 0) throw this.fault();
    return leftMs;
  }

  fault(): ProtocolFault {
    const { server, tool } = this.#called;
    const message = `server "${server}" did not end the task of tool "${tool}" within ${this.#totalMs / 1000} s`;
    return new ProtocolFault("timeout", message, { server });
  }
}
