import { randomInt } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Proof } from "./proof.ts";
import { Cluster, loopback } from "./set-up.ts";

export interface CrossTalk {
  readonly calls: number;
  readonly clientsPerEra: number;
  /** How many NATS servers. Default: 3. */
  readonly nats?: number;
  readonly print: (line: string) => void;
}

const ASKING = ["m1", "m2"];
const SERVERS = ["s1", "s2", ...ASKING];
/** One call in five asks its client a question. */
const ASKS = 5;
const LATE_MS = 60_000;

interface Caller {
  call(name: string, args: { readonly [key: string]: unknown }): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls through several gateways at once. Each answer is different, so a wrong one is seen; some calls ask their client first. */
export async function crossTalk({ calls, clientsPerEra, nats = 3, print }: CrossTalk): Promise<Proof> {
  await using cluster = await Cluster.start({ servers: SERVERS, places: loopback(nats) });
  const [gateways] = await Promise.all([
    Promise.all(["g1", "g2", "g3"].map((name) => cluster.gateway(name))),
    ...["w1", "w2"].map((name) => cluster.worker(name)),
  ]);
  const urls = gateways.map(({ url }) => url);
  const clients: { readonly era: "modern" | "legacy"; readonly name: string; readonly caller: Caller }[] = [];
  const seen = { elsewhere: 0 };
  for (let at = 0; at < clientsPerEra; at++) {
    const [modern, legacy] = [`m${at}`, `l${at}`];
    clients.push({
      era: "modern",
      name: modern,
      caller: await modernClient(modern, urls, cluster.token, seen),
    });
    const url = urls[at % urls.length] ?? "";
    clients.push({ era: "legacy", name: legacy, caller: await legacyClient(legacy, url, cluster.token) });
  }
  let started = 0;
  let asked = 0;
  const count = { modern: 0, legacy: 0 };
  const wrong: string[] = [];
  const one = async ({ era, name, caller }: (typeof clients)[number]): Promise<void> => {
    while (started < calls) {
      const at = started++;
      const id = `${name}.${at}`;
      const asks = at % ASKS === 0;
      const among = asks ? ASKING : SERVERS;
      const server = among[randomInt(among.length)] ?? "";
      const [tool, args, wanted] = asks
        ? (["ask", { id }, `state of ${id} ${id} ${name} answers word for ${id}`] as const)
        : (["echo", { text: `text of ${id}` }, `text of ${id}`] as const);
      if (asks) asked += 1;
      count[era] += 1;
      const got = await caller
        .call(`${server}__${tool}`, args)
        .then(textOf, (thrown: unknown) => String(thrown));
      if (got !== wanted)
        wrong.push(`${id} at ${server}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
      if ((at + 1) % 2_000 === 0) print(`cross-talk: ${at + 1} of ${calls} calls, ${wrong.length} wrong`);
    }
  };
  // Several calls of each client at once.
  await Promise.all(clients.flatMap((client) => [one(client), one(client)]));
  await Promise.all(clients.map(({ caller }) => caller.close().catch(() => {})));
  return {
    title: "Cross-talk",
    did: `${calls} calls of ${clients.length} official clients at once (${count.modern} calls of the newer protocol, ${count.legacy} of the older), through 3 gateways to ${SERVERS.length} servers on 2 workers. ${asked} of them ask their client a question. A client of the newer protocol sends each request to another gateway.`,
    goals: [{ goal: "wrong or failed answers", wanted: 0, found: wrong.length }],
    notes: [
      `${seen.elsewhere} requests went to another gateway than the request of this client before.`,
      ...wrong.slice(0, 3),
    ],
    texts: wrong.slice(0, 20),
  };
}

function textOf(result: unknown): string {
  const { content = [] } = result as { readonly content?: readonly { readonly text?: string }[] };
  return content[0]?.text ?? JSON.stringify(result);
}

const wordFor = (name: string, message: string): { action: "accept"; content: { word: string } } => ({
  action: "accept",
  content: { word: `${name} answers ${message}` },
});

/** Each of its requests goes to the next gateway. */
async function modernClient(
  name: string,
  urls: readonly string[],
  token: string,
  seen: { elsewhere: number },
): Promise<Caller> {
  let next = randomInt(urls.length);
  let last = "";
  const rotate: typeof fetch = (_url, init) => {
    const url = urls[next++ % urls.length] ?? "";
    if (last !== "" && last !== url) seen.elsewhere += 1;
    last = url;
    return fetch(url, init);
  };
  const client = new Client(
    { name, version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => wordFor(name, params.message));
  const transport = new StreamableHTTPClientTransport(new URL(urls[0] ?? ""), {
    fetch: rotate,
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return {
    call: (tool, args) => client.callTool({ name: tool, arguments: args }, { timeout: LATE_MS }),
    close: () => client.close(),
  };
}

async function legacyClient(name: string, url: string, token: string): Promise<Caller> {
  const client = new FirstClient({ name, version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => wordFor(name, params.message));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new FirstHttp(new URL(url), { requestInit }));
  return {
    call: (tool, args) => client.callTool({ name: tool, arguments: args }, undefined, { timeout: LATE_MS }),
    close: () => client.close(),
  };
}
