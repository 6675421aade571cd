import {
  type EndpointPhase,
  type EndpointStatus,
  type InvokeResult,
  ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerSession,
  type ToolListing,
} from "indusagi/interop";
import { NEXT_PHASES } from "../../../src/interop/contract/index.ts";
import { CallTraffic } from "../../../src/interop/wire/index.ts";
import type { TrackedRequest } from "../../../src/interop/wire/lane/call-traffic.ts";

/** An endpoint without a connection, with the phases of a real one. The test decides when it opens, fails or falls silent. */
export class ScriptedEndpoint implements ServerEndpoint {
  readonly config: ServerConfig;
  readonly traffic = new CallTraffic();
  /** While set, it does not answer a ping. */
  isSilent = false;
  /** Calls that wait for an answer. */
  readonly #calls: TrackedRequest[] = [];
  /** Ends the wait in `open`. */
  #opened: (fault?: ProtocolFault) => void = () => {};
  readonly #onOpen: () => void;
  readonly #onEnd = new Set<(fault?: ProtocolFault) => void>();
  #phase: EndpointPhase = "idle";
  #closing: Promise<void> | undefined;
  #fault: ProtocolFault | undefined;

  constructor(config: ServerConfig, onOpen: () => void) {
    this.config = config;
    this.#onOpen = onOpen;
  }

  get phase(): EndpointPhase {
    return this.#phase;
  }

  async open(): Promise<void> {
    if (this.#phase !== "idle") throw new Error(`cannot open an endpoint that is ${this.#phase}`);
    this.#onOpen();
    this.#move("connecting");
    const fault = await new Promise<ProtocolFault | undefined>((resolve) => (this.#opened = resolve));
    if (fault) throw fault;
  }

  /** The server answers the handshake. */
  connect(): void {
    if (this.#phase !== "connecting") return;
    this.#move("ready");
    this.#opened();
  }

  fail(fault: ProtocolFault): void {
    if (this.#phase !== "connecting" && this.#phase !== "ready") return;
    this.#fault = fault;
    this.#opened(fault);
    this.#move("faulted");
  }

  beginCall(): void {
    if (this.#phase === "ready") this.#calls.push(this.traffic.sent("tools/call"));
  }

  answerCall(): void {
    const call = this.#calls.shift() ?? this.traffic.sent("tools/call");
    this.traffic.arrived();
    call.ended(true);
  }

  /** The calls end without an answer. */
  endCalls(): void {
    for (const call of this.#calls.splice(0)) call.ended();
  }

  /** Two calls pass their deadlines. */
  missCalls(): void {
    if (this.#phase !== "ready") return;
    for (const call of [this.traffic.sent("tools/call"), this.traffic.sent("tools/call")]) {
      call.late();
      call.ended();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    if (this.#phase === "idle") this.#move("closed");
    if (this.#phase !== "connecting" && this.#phase !== "ready") return;
    this.#move("closing");
    this.#opened(new ProtocolFault("not_connected", "closed"));
    await new Promise((resolve) => setImmediate(resolve));
    this.#move("closed");
  }

  session(): ServerSession {
    return {
      era: "legacy",
      protocolVersion: "2025-11-25",
      serverInfo: {},
      capabilities: {},
      request: async () => {
        if (this.isSilent) throw new ProtocolFault("timeout", "no answer to a ping");
        this.traffic.arrived();
      },
      notify: async () => {},
      onNotification: () => () => {},
    };
  }

  status(): EndpointStatus {
    const { id: server } = this.config;
    return { server, phase: this.#phase, toolCount: 0, ...(this.#fault ? { fault: this.#fault } : {}) };
  }

  onEnd(listener: (fault?: ProtocolFault) => void): () => void {
    this.#onEnd.add(listener);
    return () => void this.#onEnd.delete(listener);
  }

  onToolsChanged(): () => void {
    return () => {};
  }

  async listTools(): Promise<readonly RemoteTool[]> {
    return [];
  }

  async listing(): Promise<ToolListing> {
    return { tools: [], skipped: [], truncated: false };
  }

  listedFor(): string {
    return "";
  }

  async toolHint(): Promise<undefined> {}

  async invoke(): Promise<InvokeResult> {
    throw new Error("a scripted endpoint has no tools");
  }

  #move(to: EndpointPhase): void {
    if (!NEXT_PHASES[this.#phase].includes(to)) throw new Error(`cannot move from ${this.#phase} to ${to}`);
    this.#phase = to;
    if (to !== "closed" && to !== "faulted") return;
    for (const listener of this.#onEnd) listener(this.#fault);
  }
}
