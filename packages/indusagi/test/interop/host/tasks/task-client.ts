import { type ProviderHost, serveHttp } from "indusagi/interop";
import { answeredOutcome, createTableBox, type TableTool, type ToolBox, textResult } from "indusagi/runtime";
import { modernRequest, type RawMessage, send } from "../http/raw-http.ts";

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

interface Asking {
  /** Whether the client follows tasks. Default: it does. */
  readonly follows?: boolean;
}

/** A client of the modern era, by hand: official clients take no tasks. */
export interface TaskClient extends AsyncDisposable {
  ask(method: string, params?: object, asking?: Asking): Promise<RawMessage>;
  call(name: string, args?: object, asking?: Asking): Promise<RawMessage>;
}

/** `principal`: who the client is. Default: the listener needs no token. */
export async function taskClient(host: ProviderHost, principal?: string): Promise<TaskClient> {
  const verifier = { verify: (token: string) => ({ principal: token, audience: "any" as const }) };
  const listener = await serveHttp(host, { port: 0, ...(principal !== undefined && { verifier }) });
  const authorization = principal !== undefined && { authorization: `Bearer ${principal}` };
  let id = 0;
  const ask: TaskClient["ask"] = async (method, params = {}, { follows = true } = {}) => {
    const raw = modernRequest(++id, method, params as { readonly [member: string]: unknown });
    const body = structuredClone(raw.body) as { params: { _meta: { [key: string]: object } } };
    body.params._meta["io.modelcontextprotocol/clientCapabilities"] = {
      elicitation: { form: {} },
      ...(follows && { extensions: { [TASKS]: {} } }),
    };
    const { taskId } = params as { readonly taskId?: string };
    const headers = { ...raw.headers, ...authorization, ...(taskId !== undefined && { "mcp-name": taskId }) };
    return (await send(listener.url, { headers, body })).messages.at(-1) ?? {};
  };
  return {
    ask,
    call: (name, args = {}, asking = {}) => ask("tools/call", { name, arguments: args }, asking),
    [Symbol.asyncDispose]: () => listener.close(),
  };
}
