import { PassThrough, Writable } from "node:stream";
import {
  createProviderHost,
  type HostProviders,
  type HttpServeOptions,
  type ProviderHost,
  type ProviderHostOptions,
  serveHttp,
  serveStdio,
} from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import {
  answeredOutcome,
  type Caller,
  faultOutcome,
  mcpBlock,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
  type ToolResult,
  textResult,
  unknownToolOutcome,
} from "indusagi/runtime";
import type { RawMessage } from "../http/raw-http.ts";

/** How a host serves plain requests. */
export type Way = "lane" | "sdk";

/** A host that serves requests in one way. The variable is read when the host is made. */
export function hostOn(
  way: Way,
  box: ToolBox,
  options: ProviderHostOptions = {},
  providers: HostProviders = {},
): ProviderHost {
  const before = process.env["INDUS_INBOUND"];
  if (way === "sdk") process.env["INDUS_INBOUND"] = "sdk";
  else delete process.env["INDUS_INBOUND"];
  try {
    return createProviderHost(box, { name: "same", version: "1.0.0" }, providers, options);
  } finally {
    if (before === undefined) delete process.env["INDUS_INBOUND"];
    else process.env["INDUS_INBOUND"] = before;
  }
}

const FORM = {
  mode: "form",
  message: "What is your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const ASK = { who: { method: "elicitation/create", params: FORM } } as const;
const SAMPLE = {
  think: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
} as const;

type Run = (call: ToolCall, signal: AbortSignal, caller: Caller) => Promise<ToolOutcome> | ToolOutcome;

function answers(
  result: (call: ToolCall, signal: AbortSignal, caller: Caller) => Promise<ToolResult> | ToolResult,
): Run {
  return async (call, signal, caller) => answeredOutcome(call.id, await result(call, signal, caller));
}

function upstreamError(code: number, data?: unknown): Run {
  const rpc = { code, message: "no", ...(data === undefined ? {} : { data }) };
  return ({ id }) => faultOutcome(id, "no", { kind: "tool_error", retrySafe: false, rpc });
}

function wire(value: { readonly [member: string]: unknown }): Run {
  return ({ id }) => ({ ...answeredOutcome(id, textResult("")), wire: { value: () => value } });
}

/** The tools, each for one kind of answer. */
const TOOLS: { readonly [name: string]: Run } = {
  /** What the tool learns. */
  echo: answers(
    ({ input, meta }, _signal, { can, client, key, isSingle, principal, logLevel, resume, ...others }) =>
      textResult(
        JSON.stringify({
          ...{ input, meta, can, client, isSingle, principal, logLevel, resume },
          hasKey: key !== "",
          others: Object.keys(others).sort(),
        }),
      ),
  ),
  fails: answers(() => ({ content: [{ kind: "text", text: "it did not work" }], isError: true })),
  picture: answers(() => ({
    content: [{ kind: "text", text: "look" }, mcpBlock({ type: "hologram", depth: 3 })],
    structured: { answer: 42 },
    meta: { "example.org/seen": true },
  })),
  list_out: answers(() => ({ content: [], structured: [1, 2] })),
  unsendable: answers(() => ({ content: [{ kind: "json", value: { n: 1n } }] })),
  throws: () => Promise.reject(new Error("broken")),
  login: upstreamError(-32_042, { elicitations: [] }),
  gone: upstreamError(-32_002, { uri: "a:b" }),
  lacks: upstreamError(-32_021, { requiredCapabilities: { sampling: {} } }),
  verbatim: wire({ content: [{ type: "text", text: "as sent", extra: 1 }], more: true }),
  modern_wire: wire({
    resultType: "complete",
    content: [],
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "other", version: "2" }, kept: 1 },
  }),
  odd_meta: wire({ content: [], _meta: 7 }),
  empty: wire({}),
  bare_array: wire({ content: [], structuredContent: ["a"] }),
  progress: answers((_call, _signal, caller) => {
    for (const progress of [1, 2]) caller.progress?.({ progress, total: 2 });
    return textResult("done");
  }),
  logs: answers((_call, _signal, caller) => {
    caller.log?.({ level: "debug", data: "fine" });
    caller.log?.({ level: "warning", logger: "box", data: { careful: true } });
    return textResult("logged");
  }),
  asks: answers(async (_call, signal, caller) => textResult(JSON.stringify(await caller.ask?.(ASK, signal)))),
  suspends: ({ id }, _signal, { resume, can }) => {
    if (resume) return answeredOutcome(id, textResult(JSON.stringify(resume)));
    if (!can.suspend) return answeredOutcome(id, textResult("cannot wait"));
    return { ...answeredOutcome(id, textResult("")), suspended: { requests: ASK, state: "upstream" } };
  },
  suspends_for_model: ({ id }, _signal, { can }) =>
    can.suspend
      ? { ...answeredOutcome(id, textResult("")), suspended: { requests: SAMPLE } }
      : answeredOutcome(id, textResult("cannot wait")),
  hang: answers(
    (_call, signal) =>
      new Promise((resolve) => {
        const end = (): void => resolve(textResult(`ended: ${String(signal.reason)}`));
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      }),
  ),
};

const OUTPUTS: { readonly [name: string]: ToolDescriptor["outputSchema"] } = {
  picture: { type: "object", properties: { answer: { type: "number" } } },
};

function stack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack = "" } = new Error("who calls?");
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** A box that notes which way each of its calls came. */
export class TwoWayBox implements ToolBox {
  readonly ways: Way[] = [];
  readonly reasons: unknown[] = [];
  readonly #descriptors: readonly ToolDescriptor[];

  /** `outputs`: more output schemas. */
  constructor(outputs: typeof OUTPUTS = {}) {
    const schemas = { ...OUTPUTS, ...outputs };
    this.#descriptors = Object.freeze(
      Object.keys(TOOLS).map((name) => ({
        name,
        description: `The tool ${name}.`,
        parameters: { type: "object" as const, properties: {} },
        ...(schemas[name] ? { outputSchema: schemas[name] } : {}),
      })),
    );
  }

  descriptors(): readonly ToolDescriptor[] {
    return this.#descriptors;
  }

  onChange(): () => void {
    return () => {};
  }

  readonly runner = {
    run: async (
      call: ToolCall,
      signal = new AbortController().signal,
      caller: Caller = { key: "", can: {} },
    ) => {
      // Until the first wait, the stack shows who calls.
      this.ways.push(stack().includes("serveOnLane") ? "lane" : "sdk");
      signal.addEventListener("abort", () => this.reasons.push(signal.reason));
      const tool = Object.hasOwn(TOOLS, call.name) ? TOOLS[call.name] : undefined;
      return tool ? tool(call, signal, caller) : unknownToolOutcome(call.id, call.name);
    },
  };
}

export interface HttpWay extends AsyncDisposable {
  readonly url: string;
  readonly box: TwoWayBox;
}

export async function httpWay(way: Way, options: Partial<HttpServeOptions> = {}): Promise<HttpWay> {
  const box = new TwoWayBox();
  const listener = await serveHttp(hostOn(way, box), { port: 0, ...options });
  return { url: listener.url, box, [Symbol.asyncDispose]: () => listener.close() };
}

/** A host on standard streams in this process. */
export class StdioWay implements AsyncDisposable {
  readonly box: TwoWayBox;
  readonly messages: RawMessage[] = [];
  readonly #input = new PassThrough();
  readonly #running: Promise<{ cancel(): Promise<void> }>;

  constructor(way: Way, box: TwoWayBox = new TwoWayBox()) {
    this.box = box;
    let rest = "";
    const stdout = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const lines = (rest + chunk.toString("utf8")).split("\n");
        rest = lines.pop() ?? "";
        this.messages.push(...lines.map((line) => JSON.parse(line) as RawMessage));
        done();
      },
    });
    this.#running = serveStdio(hostOn(way, box), { stdin: this.#input, stdout });
  }

  async send(...messages: readonly unknown[]): Promise<void> {
    await this.#running;
    this.#input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** Sends a message and returns what is answered: at least these ids, and what comes in the next turns. */
  async exchange(message: unknown, ids: readonly unknown[] = []): Promise<readonly RawMessage[]> {
    const before = this.messages.length;
    await this.send(message);
    const sent = (): readonly RawMessage[] => this.messages.slice(before);
    const isAnswered = (id: unknown): boolean => sent().some((each) => each.id === id && !each.method);
    const end = performance.now() + 5_000;
    do for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    while (!ids.every(isAnswered) && performance.now() < end);
    return sent();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#running).cancel();
  }
}

/** Without what differs between two runs. */
export function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      name === "requestState" && typeof member === "string" ? "a state" : member,
    ) ?? "null",
  );
}
