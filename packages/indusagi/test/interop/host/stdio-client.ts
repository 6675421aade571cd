import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { LEGACY, type RawMessage } from "./http/raw-http.ts";

/** A server process with its raw standard streams, for input and output that client libraries would not allow. */
export class StdioClient {
  readonly child: ChildProcessWithoutNullStreams;
  /** Each line of standard output. */
  readonly lines: string[] = [];
  stderr = "";
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  #rest = "";

  constructor(program: string) {
    this.child = spawn(process.execPath, [program], { stdio: "pipe" });
    this.exited = new Promise((resolve) => {
      this.child.once("close", (code, signal) => resolve({ code, signal }));
    });
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  get messages(): RawMessage[] {
    return this.lines.map((line) => JSON.parse(line) as RawMessage);
  }

  /** The first answer to a request with this id. */
  answer(id: number): RawMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  send(...messages: unknown[]): void {
    this.sendText(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  sendText(text: string): void {
    this.child.stdin.write(text);
  }

  /** The legacy handshake. */
  initialize(): void {
    const params = {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: "raw", version: "1.0.0" },
    };
    this.send(
      { jsonrpc: "2.0", id: 0, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL");
    await this.exited;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    this.lines.push(...lines);
  }
}
