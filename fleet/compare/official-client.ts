import { Client, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Launch } from "../scratch.ts";
import type { HarmlessCall } from "../server-list.ts";
import { type CallAnswer, plainError, type ToolDefinition } from "./observation.ts";

/** A connection of the official client, with the results as they were before the client checked and changed them. */
export interface OfficialConnection {
  readonly pid: number | undefined;
  /** The raw definitions of all pages, and the reason if the client itself refuses them. */
  listTools(): Promise<{ readonly tools: readonly ToolDefinition[]; readonly refusal?: string }>;
  call(call: HarmlessCall): Promise<CallAnswer>;
  close(): Promise<void>;
}

export interface OfficialOptions {
  readonly connectMs: number;
  readonly callMs: number;
}

/** What `indus serve` declares to servers. Several servers offer tools only to clients with these abilities. */
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

const STDERR_CHARS = 4_000;

/** Connects, or throws with the reason and the server's last lines. */
export async function openOfficialClient(
  { command, args, env, cwd }: Launch,
  { connectMs, callMs }: OfficialOptions,
): Promise<OfficialConnection> {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    cwd,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on(
    "data",
    (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-STDERR_CHARS)),
  );
  const client = new Client({ name: "indus-fleet", version: "1.0.0" }, { capabilities: CAPABILITIES });
  const received = recordAnswers(transport);
  try {
    await client.connect(received.transport, { timeout: connectMs });
  } catch (thrown) {
    await client.close().catch(() => {});
    throw new Error(`${oneLine(thrown)}${stderr.trim() === "" ? "" : ` (${lastLines(stderr)})`}`, {
      cause: thrown,
    });
  }
  return {
    pid: transport.pid ?? undefined,
    listTools: async () => {
      const from = received.pages.length;
      const refusal = await client.listTools(undefined, { timeout: callMs }).then(() => undefined, oneLine);
      const pages = received.pages.slice(from);
      if (pages.length === 0 && refusal !== undefined) throw new Error(refusal);
      return { tools: pages.flatMap(toolsIn), ...(refusal === undefined ? {} : { refusal }) };
    },
    call: async ({ tool, arguments: given }) => {
      const failure = await client
        .callTool({ name: tool, arguments: { ...given } }, { timeout: callMs })
        .then(() => undefined, oneLine);
      return received.answers.get(tool) ?? { failure: failure ?? "no answer" };
    },
    close: () => client.close().catch(() => {}),
  };
}

function toolsIn(page: unknown): readonly ToolDefinition[] {
  const { tools } = (page ?? {}) as { readonly tools?: unknown };
  return Array.isArray(tools) ? (tools as ToolDefinition[]) : [];
}

interface Recording {
  readonly transport: StdioClientTransport;
  /** The results of `tools/list` so far. */
  readonly pages: readonly unknown[];
  /** The last answer to a call of each tool. */
  readonly answers: ReadonlyMap<string, CallAnswer>;
}

/** Keeps the answers to listings and calls as they arrive, before the client checks them. */
function recordAnswers(transport: StdioClientTransport): Recording {
  const requests = new Map<unknown, { readonly method: string; readonly tool: unknown }>();
  const pages: unknown[] = [];
  const answers = new Map<string, CallAnswer>();
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if ("method" in message && "id" in message)
      requests.set(message.id, { method: message.method, tool: message.params?.["name"] });
    return send(message);
  };
  const record = (message: JSONRPCMessage): void => {
    if (!("result" in message || "error" in message)) return;
    const { method, tool } = requests.get(message.id) ?? {};
    if (method === "tools/list" && "result" in message) pages.push(message.result);
    if (method === "tools/call")
      answers.set(
        String(tool),
        "result" in message ? { result: message.result } : { error: plainError(message.error) },
      );
  };
  const start = transport.start.bind(transport);
  // The client sets `onmessage` before it starts the transport.
  transport.start = () => {
    const next = transport.onmessage;
    transport.onmessage = (message) => {
      record(message);
      next?.(message);
    };
    return start();
  };
  return { transport, pages, answers };
}

/** The message in one line. The client's own messages can hold indented JSON. */
function oneLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}

const MAX_MESSAGE = 200;

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" / ");
}
