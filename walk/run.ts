import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Journey, type Walk } from "./journey.ts";

const SERVER = fileURLToPath(new URL("../test/servers/server.mjs", import.meta.url));
const PAGE = fileURLToPath(new URL("../docs/walk.md", import.meta.url));

/** What the start of a server leaves to do, such as writing its catalogue, is done by then. */
const SETTLE_MS = 5_000;

/** One server of a configuration file, which writes its process id. */
function configure(journey: Journey): string {
  const file = join(journey.folder, "servers.json");
  const starts = join(journey.folder, "starts");
  const row = { command: process.execPath, args: [SERVER, "--starts", starts] };
  writeFileSync(file, JSON.stringify({ mcpServers: { one: row } }));
  return file;
}

async function rpc(url: string, session: string | undefined, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    signal: AbortSignal.timeout(30_000),
  });
}

interface Client {
  call(): Promise<string>;
}

/** A gateway with one server, and a client that has called a tool: everything that is loaded once is loaded. */
async function openGateway(journey: Journey): Promise<Client> {
  journey.start(["serve", "--port", "0", "--mcp", configure(journey), "--profile", "none"]);
  const url = await journey.printed(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "walk", version: "1" },
  };
  const greeted = await rpc(url, undefined, { id: 1, method: "initialize", params: hello });
  const session = greeted.headers.get("mcp-session-id") ?? undefined;
  await greeted.text();
  await rpc(url, session, { method: "notifications/initialized" });
  let id = 1;
  const call = async (): Promise<string> => {
    const params = { name: "one__echo", arguments: { text: "hello" } };
    return (await rpc(url, session, { id: ++id, method: "tools/call", params })).text();
  };
  await journey.until(async () => (await call()).includes("hello"), "the tool answered");
  for (let round = 0; round < 3; round += 1) await call();
  await sleep(SETTLE_MS);
  return { call };
}

/** A `tools/call` over HTTP to a stdio server. */
async function callThroughGateway(): Promise<Walk> {
  await using journey = new Journey();
  const client = await openGateway(journey);
  await journey.begin();
  await client.call();
  return await journey.end();
}

/** The server of a gateway is killed, started again, and answers the next call. */
async function deathAndRestart(): Promise<Walk> {
  await using journey = new Journey();
  const client = await openGateway(journey);
  const starts = (): string[] => readFileSync(join(journey.folder, "starts"), "utf8").trim().split("\n");
  const before = starts();
  await journey.begin();
  process.kill(Number(before.at(-1)), "SIGKILL");
  await journey.until(() => starts().length > before.length, "the server was started again");
  await journey.until(async () => (await client.call()).includes("hello"), "the tool answered again");
  return await journey.end();
}

/** `indus mcp list` of one server, from the start of the process to its end. */
async function listServers(): Promise<Walk> {
  await using journey = new Journey();
  journey.start(["mcp", "list", "--mcp", configure(journey)]);
  return await journey.exit();
}

/** One turn of a model that calls a native and a mounted tool, from its first request on. */
async function modelTurn(): Promise<Walk> {
  await using journey = new Journey();
  let asked = 0;
  const model = createServer((request, response) => {
    request.resume().on("end", () => void answer(response));
  });
  const answer = async (response: ServerResponse): Promise<void> => {
    asked += 1;
    if (asked === 1) await journey.begin();
    const calls = [
      { index: 0, id: "a", type: "function", function: { name: "ls", arguments: "{}" } },
      { index: 1, id: "b", type: "function", function: { name: "one__echo", arguments: '{"text":"hello"}' } },
    ];
    const delta =
      asked === 1 ? { role: "assistant", tool_calls: calls } : { role: "assistant", content: "done" };
    const chunk = (more: object): string =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...more })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
    const reason = asked === 1 ? "tool_calls" : "stop";
    response.end(`${chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}data: [DONE]\n\n`);
  };
  model.listen(0, "127.0.0.1");
  await once(model, "listening");
  try {
    const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
    journey.start(["-p", "--model", "openai-compatible/m", "--mcp", configure(journey), "Hello"], {
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: "x",
    });
    const walk = await journey.exit();
    if (asked !== 2) throw new Error(`the model was asked ${asked} times`);
    return walk;
  } finally {
    model.closeAllConnections();
    model.close();
  }
}

const JOURNEYS: readonly (readonly [title: string, run: () => Promise<Walk>])[] = [
  ["a `tools/call` over HTTP to a stdio server", callThroughGateway],
  ["`indus mcp list` of one server", listServers],
  ["one turn of a model, after its first request, with a native and a mounted call", modelTurn],
  ["the death of a server, its restart and the next call", deathAndRestart],
];

const chosen = process.argv.slice(2);
const walks: { readonly title: string; readonly walk: Walk }[] = [];
for (const [title, run] of JOURNEYS) {
  const walk = await run();
  walks.push({ title, walk });
  process.stdout.write(
    `${title}: ${walk.functions} functions in ${walk.files} files of ${walk.folders} folders\n`,
  );
}
if (chosen.includes("--steps"))
  for (const { title, walk } of walks) process.stdout.write(`\n# ${title}\n${walk.steps.join("\n")}\n`);
else writeFileSync(PAGE, page());

function page(): string {
  const rows = walks.map(
    ({ title, walk }) => `| ${title} | ${walk.functions} | ${walk.files} | ${walk.folders} |`,
  );
  const calls = walks[0]?.walk.steps ?? [];
  return `# Walk

How much of our code four journeys run through: the functions that are called at least once, with the files and folders that they are in. Libraries do not count. Everything that is loaded once is loaded before the
first and the last journey begin. \`npm run walk\` writes this page; \`npm run walk -- --steps\` lists the functions and writes nothing.

| journey | functions | files | folders |
|---|---|---|---|
${rows.join("\n")}

## The first journey, function by function

${calls.map((step) => `- \`${step.replace(/@\d+$/, "")}\``).join("\n")}
`;
}
