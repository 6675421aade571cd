import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { describeError } from "indusagi/core";
import {
  createServerEndpoint,
  Extension,
  type Extensions,
  extensionKey,
  linkedTransports,
  listServer,
  type MessageTransport,
  type ProtocolEra,
  type RpcMessage,
  type ServerEndpoint,
} from "indusagi/interop";
import type { Answers, Caller, Questions } from "indusagi/runtime";
import { productVersion } from "../boot/internal.ts";
import type { Route } from "../gateway/index.ts";
import type { GatewayView } from "../gateway/open/internal.ts";
import {
  CONSOLE_LIMITS,
  type Era,
  type TryAnswer,
  type TryEvent,
  type TryOffer,
  type TryQuestion,
  type TryRequest,
  type TryTool,
} from "./contract.ts";
import { itemOf, promptOf } from "./server-detail.ts";

// A client of the gateway in its own process: every call passes the gate, the policy and the audit trail like any other client's.

/** A longer message is cut: a page that shows it would stand still. */
const MAX_MESSAGE_CHARS = 256 * 1024;
const UI: Extensions = { [Extension.UI]: { mimeTypes: ["text/html;profile=mcp-app"] } };
const OPEN_MS = 30_000;

interface RunningTry {
  readonly owner: object;
  readonly questions: Map<string, (answer: TryAnswer) => void>;
}

/** The tries that run. */
export class Tries {
  readonly #running = new Map<string, RunningTry>();

  get count(): number {
    return this.#running.size;
  }

  /** Runs a try, and sends what happens as lines until its result. Ends when its request does. Never rejects. */
  async run(
    response: ServerResponse,
    owner: object,
    {
      view,
      route,
      request,
      server,
    }: {
      readonly view: GatewayView;
      readonly route: Route;
      readonly request: TryRequest;
      /** Whose questions these are, if it is known. */
      readonly server: string | undefined;
    },
  ): Promise<void> {
    const id = randomBytes(12).toString("hex");
    const questions: RunningTry["questions"] = new Map();
    this.#running.set(id, { owner, questions });
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the console ended the request")));
    const send = (event: TryEvent): void => {
      if (!response.destroyed) response.write(`${JSON.stringify(event)}\n`);
    };
    const alive = setInterval(() => send({ type: "keep-alive" }), CONSOLE_LIMITS.keepAliveMs).unref();
    const startMs = performance.now();
    const ms = (): number => Math.round((performance.now() - startMs) * 10) / 10;
    send({ type: "begun", id });
    try {
      const onMessage = (direction: "sent" | "received", message: RpcMessage): void =>
        send({ type: "message", direction, atMs: ms(), ...shownMessage(message) });
      await using client = await openClient({
        view,
        route,
        era: request.era,
        onMessage,
        signal: gone.signal,
      });
      const caller = asker({ questions, send, server, signal: gone.signal });
      const result = await ask(client.endpoint, request, { caller, signal: gone.signal });
      send({ type: "result", ms: ms(), result: shownMessage(result).message });
    } catch (thrown) {
      send({ type: "failed", ms: ms(), message: describeError(thrown) });
    } finally {
      clearInterval(alive);
      this.#running.delete(id);
      response.end();
    }
  }

  /** Answers a question. False if it does not wait any more. */
  answer(id: string, owner: object, answer: TryAnswer): boolean {
    const running = this.#running.get(id);
    const give = running?.owner === owner ? running.questions.get(answer.question) : undefined;
    give?.(answer);
    return give !== undefined;
  }
}

/** What a client of this era is offered. */
export async function tryOffer(view: GatewayView, era: Era, signal: AbortSignal): Promise<TryOffer> {
  await using client = await openClient({ view, route: { kind: "all" }, era, signal });
  const { tools, resources, templates, prompts } = await listServer(client.endpoint, extensionKey(UI));
  return {
    tools: tools.map((tool) => tryTool(tool as unknown as { readonly [member: string]: unknown })),
    resources: resources.map(itemOf),
    templates: templates.map(itemOf),
    prompts: prompts.map((item) => promptOf(undefined, item)),
  };
}

/** Reads one resource at a route, as its raw result. */
export async function readAt(
  view: GatewayView,
  { route, era, uri }: { readonly route: Route; readonly era: Era; readonly uri: string },
  signal: AbortSignal,
): Promise<unknown> {
  await using client = await openClient({ view, route, era, signal });
  return await client.endpoint.session().request("resources/read", { uri }, { signal, extensions: UI });
}

function tryTool(tool: { readonly [member: string]: unknown }): TryTool {
  const { name, title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  const meta = _meta as {
    readonly ui?: { readonly resourceUri?: unknown };
    readonly [member: string]: unknown;
  };
  const app = meta?.ui?.resourceUri ?? meta?.["ui/resourceUri"];
  return {
    name: String(name),
    title: typeof title === "string" ? title : undefined,
    description: typeof description === "string" ? description : undefined,
    inputSchema,
    outputSchema,
    annotations: annotations as TryTool["annotations"],
    app: typeof app === "string" ? app : undefined,
  };
}

async function ask(
  endpoint: ServerEndpoint,
  request: TryRequest,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<unknown> {
  if (request.kind === "tool") {
    const { wire } = await endpoint.invoke(request.name, request.arguments, { caller, signal });
    return wire.value();
  }
  const session = endpoint.session();
  if (request.kind === "resource")
    return session.request("resources/read", { uri: request.uri }, { caller, signal });
  const { name, arguments: args } = request;
  return session.request("prompts/get", { name, arguments: args }, { caller, signal });
}

interface ClientOptions {
  readonly view: GatewayView;
  readonly route: Route;
  readonly era: ProtocolEra;
  readonly onMessage?: (direction: "sent" | "received", message: RpcMessage) => void;
  readonly signal: AbortSignal;
}

/** Connects a client in this era to the gateway, over a pair of transports in this process. */
async function openClient({
  view,
  route,
  era,
  onMessage = () => {},
  signal,
}: ClientOptions): Promise<AsyncDisposable & { readonly endpoint: ServerEndpoint }> {
  const [near, far] = linkedTransports();
  const running = await view.host(route).connect(far);
  const endpoint = createServerEndpoint(
    { kind: "stdio", id: "indus", command: "indus" },
    recorded(near, onMessage),
    {
      eras: { recall: () => era, remember: () => {} },
      patience: "caller",
      identity: { name: "indus-console", version: productVersion() },
      relays: { elicit: { form: true, url: true }, extensions: UI },
      timeouts: { connectMs: OPEN_MS },
    },
  );
  const close = async (): Promise<void> => {
    await endpoint.close();
    await running.close();
  };
  try {
    await endpoint.open(signal);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { endpoint, [Symbol.asyncDispose]: close };
}

/** The same transport, with each message shown. */
function recorded(
  transport: MessageTransport,
  onMessage: NonNullable<ClientOptions["onMessage"]>,
): MessageTransport {
  return new Proxy(transport, {
    get: (target, member) => {
      if (member === "send")
        return (...given: Parameters<MessageTransport["send"]>) => {
          onMessage("sent", given[0]);
          return target.send(...given);
        };
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === "function" && member !== "onmessage" ? (value.bind(target) as unknown) : value;
    },
    set: (target, member, value: unknown) => {
      if (member !== "onmessage" || typeof value !== "function")
        return Reflect.set(target, member, value, target);
      target.onmessage = (message, extra) => {
        onMessage("received", message);
        (value as NonNullable<MessageTransport["onmessage"]>)(message, extra);
      };
      return true;
    },
  });
}

function shownMessage(message: unknown): { readonly message: unknown; readonly cutBytes?: number } {
  const text = JSON.stringify(message) ?? "null";
  if (text.length <= MAX_MESSAGE_CHARS) return { message };
  return { message: `${text.slice(0, MAX_MESSAGE_CHARS)}…`, cutBytes: text.length - MAX_MESSAGE_CHARS };
}

interface AskerOptions {
  readonly questions: RunningTry["questions"];
  readonly send: (event: TryEvent) => void;
  readonly server: string | undefined;
  readonly signal: AbortSignal;
}

/** The caller of a try: its questions go to the page. */
function asker({ questions, send, server, signal }: AskerOptions): Caller {
  const ask = (params: { readonly [member: string]: unknown } = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const question = randomBytes(8).toString("hex");
      const settle = (answer: unknown): void => {
        clearTimeout(late);
        signal.removeEventListener("abort", gone);
        questions.delete(question);
        resolve(answer);
      };
      const gone = (): void => settle({ action: "cancel" });
      const late = setTimeout(gone, CONSOLE_LIMITS.answerMs).unref();
      signal.addEventListener("abort", gone, { once: true });
      questions.set(question, ({ action, content }) =>
        settle(action === "accept" && content !== undefined ? { action, content } : { action }),
      );
      send({ type: "question", question, request: { ...shownQuestion(params), server } });
    });
  return {
    key: "console",
    can: { elicit: { form: true, url: true }, extensions: UI },
    ask: async (requests: Questions): Promise<Answers> => {
      const answers = Object.entries(requests).map(async ([key, { method, params }]) => {
        if (method !== "elicitation/create") throw new Error(`the console does not answer ${method}`);
        return [key, await ask(params)] as const;
      });
      return Object.fromEntries(await Promise.all(answers));
    },
  };
}

function shownQuestion(params: { readonly [member: string]: unknown }): TryQuestion {
  const { mode, message, url, requestedSchema } = params;
  const said = typeof message === "string" ? message : "";
  return mode === "url" && typeof url === "string"
    ? { kind: "url", message: said, url }
    : { kind: "form", message: said, schema: requestedSchema };
}
