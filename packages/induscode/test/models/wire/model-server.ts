import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { anthropicWire } from "./anthropic-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { openaiWire } from "./openai-wire.ts";
import type { RequestBody, ScriptedAnswer, Wire } from "./script.ts";

const WIRES: readonly Wire[] = [openaiWire, anthropicWire, geminiWire];
/** Bytes per write: no event, and not every character, arrives in one piece. */
const PIECE = 11;

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests, in order. */
  readonly requests: RequestBody[];
}

/**
 * A server that speaks the wire formats of three vendors and gives the scripted answers in order. It refuses with 400 what
 * the vendor would refuse, and with 401 a key other than `good`.
 */
export async function startModelServer(answers: readonly ScriptedAnswer[]): Promise<ModelServer> {
  const requests: RequestBody[] = [];
  const server = createServer((request, response) => void answerRequest(request, response));
  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    const wire = WIRES.find((one) => one.takes(path));
    if (!wire)
      return path.endsWith("/models") ? sendJson(response, 200, MODELS) : sendJson(response, 404, {});
    const body = JSON.parse(await text(request)) as RequestBody;
    const key = keyOf(request.headers);
    // Some servers repeat the key.
    if (key !== "good") return sendJson(response, 401, wire.error(401, `invalid key ${key}`));
    const problem = wire.refusal(body, request.headers);
    if (problem !== undefined) return sendJson(response, 400, wire.error(400, problem));
    const answer = answers[requests.push(body) - 1] ?? { text: "done" };
    if (answer.status !== undefined)
      return sendJson(response, answer.status, wire.error(answer.status, "scripted failure"), answer.headers);
    if (answer.isEndless) return streamForEver(response, wire.events(answer));
    await stream(response, wire.events(answer).join(""), answer);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The address of a server that has ended: nothing listens there. */
export async function closedAddress(): Promise<string> {
  await using server = await startModelServer([]);
  return server.url;
}

const MODELS = { data: [{ id: "b-model" }, { id: "a-model" }] };

function keyOf(headers: { readonly [name: string]: unknown }): string {
  const { authorization, "x-api-key": anthropic, "x-goog-api-key": google } = headers;
  return String(anthropic ?? google ?? authorization).replace(/^Bearer /, "");
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** The first half of an answer, and then its middle again and again, until the reader leaves. */
function streamForEver(response: ServerResponse, events: readonly string[]): void {
  const middle = Math.floor(events.length / 2);
  response.writeHead(200, { "content-type": "text/event-stream" }).write(events.slice(0, middle).join(""));
  const timer = setInterval(() => response.write(events[middle] ?? ""), 5);
  response.once("close", () => clearInterval(timer));
}

async function stream(
  response: ServerResponse,
  events: string,
  { cutAfter, hangAfter }: ScriptedAnswer,
): Promise<void> {
  const bytes = Buffer.from(events);
  const end = Math.floor(bytes.length * (cutAfter ?? hangAfter ?? 1));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let at = 0; at < end; at += PIECE) response.write(bytes.subarray(at, Math.min(at + PIECE, end)));
  if (cutAfter !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.destroy();
  } else if (hangAfter === undefined) response.end();
}
