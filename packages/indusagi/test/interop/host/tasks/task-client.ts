import {
  linkedTransports,
  type MessageTransport,
  type ProviderHost,
  type RpcMessage,
  serveHttp,
} from "indusagi/interop";
import { answeredOutcome, createTableBox, type TableTool, type ToolBox, textResult } from "indusagi/runtime";
import { expect, vi } from "vitest";
import { modernRequest, type RawMessage, type RawRequest, send } from "../http/raw-http.ts";

export const TASKS = "io.modelcontextprotocol/tasks";
const FORM = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
} as const;

/** Tools that run as tasks: `held` until it is released, `quick` at once, `asks` two questions. */
export function taskTools(): { readonly box: ToolBox; release(text: string): void } {
  let release = (_text: string): void => {};
  const tool = (name: string, task: "optional" | "required", run: TableTool["run"]): TableTool => ({
    descriptor: { name, description: name, parameters: { type: "object" }, task },
    run,
  });
  const { box } = createTableBox([
    tool("held", "required", async ({ id }, signal) => {
      const text = await new Promise<string>((resolve, reject) => {
        release = resolve;
        signal?.addEventListener("abort", () => reject(new Error("stopped")));
      });
      return answeredOutcome(id, textResult(text));
    }),
    tool("quick", "optional", async ({ id }) => answeredOutcome(id, textResult("at once"))),
    tool("asks", "optional", async ({ id }, _signal, caller) => {
      caller?.asTask?.();
      const answers = await caller?.ask?.({ a: FORM, b: FORM });
      return answeredOutcome(id, textResult(JSON.stringify(answers)));
    }),
  ]);
  return { box, release: (text) => release(text) };
}

function stateOf({ params = {} }: RawMessage): unknown {
  const { taskId, status, statusMessage, result, error, inputRequests } = params;
  const { content } = (result ?? {}) as { readonly content?: readonly { readonly text?: string }[] };
  const asks = inputRequests && Object.keys(inputRequests);
  return JSON.parse(JSON.stringify({ taskId, status, statusMessage, asks, error, text: content?.[0]?.text }));
}

interface Asking {
  /** Whether the client follows tasks. Default: it does. */
  readonly follows?: boolean;
}

/** A client of the modern era, by hand: official clients take no tasks. */
export interface TaskClient extends AsyncDisposable {
  ask(method: string, params?: object, asking?: Asking): Promise<RawMessage>;
  call(name: string, args?: object, asking?: Asking): Promise<RawMessage>;
  /** Opens a subscription. Resolves with its first message: the acknowledgement or an error. */
  listen(taskIds: readonly string[], asking?: Asking): Promise<Listening>;
}

interface Listening extends AsyncDisposable {
  /** All messages so far. */
  readonly messages: readonly RawMessage[];
  /** The states that were pushed, without the members that do not change. */
  states(): readonly unknown[];
}

/** `principal`: who the client is. Default: the listener needs no token. */
export async function taskClient(host: ProviderHost, principal?: string): Promise<TaskClient> {
  const verifier = { verify: (token: string) => ({ principal: token, audience: "any" as const }) };
  const listener = await serveHttp(host, { port: 0, ...(principal !== undefined && { verifier }) });
  const authorization = principal !== undefined && { authorization: `Bearer ${principal}` };
  let id = 0;
  const requestOf = (method: string, params: object, { follows = true }: Asking): RawRequest => {
    const raw = modernRequest(++id, method, params as { readonly [member: string]: unknown });
    const body = structuredClone(raw.body) as { params: { _meta: { [key: string]: object } } };
    body.params._meta["io.modelcontextprotocol/clientCapabilities"] = {
      elicitation: { form: {} },
      ...(follows && { extensions: { [TASKS]: {} } }),
    };
    const { taskId } = params as { readonly taskId?: string };
    const headers = { ...raw.headers, ...authorization, ...(taskId !== undefined && { "mcp-name": taskId }) };
    return { headers, body };
  };
  const ask: TaskClient["ask"] = async (method, params = {}, asking = {}) =>
    (await send(listener.url, requestOf(method, params, asking))).messages.at(-1) ?? {};
  return {
    ask,
    call: (name, args = {}, asking = {}) => ask("tools/call", { name, arguments: args }, asking),
    listen: async (taskIds, asking = {}) => {
      const messages: RawMessage[] = [];
      const over = new AbortController();
      let text = "";
      const onText = (part: string): void => {
        text += part;
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        for (const line of lines)
          if (line.startsWith("data: ")) messages.push(JSON.parse(line.slice("data: ".length)) as RawMessage);
      };
      const request = requestOf("subscriptions/listen", { notifications: { taskIds } }, asking);
      const ended = send(listener.url, { ...request, onText, signal: over.signal }).then(
        (answer) => {
          if (messages.length === 0) messages.push(...answer.messages);
        },
        () => {},
      );
      await vi.waitFor(() => expect(messages).not.toHaveLength(0), { timeout: 10_000, interval: 5 });
      return {
        messages,
        states: () => messages.filter(({ method }) => method === "notifications/tasks").map(stateOf),
        [Symbol.asyncDispose]: async () => {
          over.abort();
          await ended;
        },
      };
    },
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

interface Alterations {
  /** Changes a message of the client before its server gets it. */
  readonly toServer?: (message: RpcMessage) => RpcMessage;
  readonly toClient?: (message: RpcMessage) => RpcMessage;
}

/** The client's end of a connection to a server in this process, for a server that behaves differently. */
export function linkTo(
  server: ProviderHost,
  { toServer = (message) => message, toClient = (message) => message }: Alterations = {},
): MessageTransport {
  const [ours, theirs] = linkedTransports();
  const [sendOurs, sendTheirs] = [ours.send.bind(ours), theirs.send.bind(theirs)];
  ours.send = (message, options) => sendOurs(toServer(message), options);
  theirs.send = (message, options) => sendTheirs(toClient(message), options);
  void server.connect(theirs);
  return ours;
}

/** For a server that does not push changes of tasks. */
export function withoutPush(message: RpcMessage): RpcMessage {
  if (message.method !== "subscriptions/listen") return message;
  const { notifications = {}, ...params } = message.params ?? {};
  return {
    ...message,
    params: { ...params, notifications: { ...(notifications as object), taskIds: undefined } },
  };
}
