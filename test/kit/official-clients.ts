import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Definition, DefinitionKind } from "./malformed-definitions.ts";

/** An official client. A list is rejected if the client refuses it. */
export interface OfficialClient extends AsyncDisposable {
  list(kind: DefinitionKind): Promise<readonly Definition[]>;
  call(name: string): Promise<unknown>;
  getPrompt(name: string): Promise<unknown>;
  read(uri: string): Promise<unknown>;
}

/** No connection is used twice: a busy machine may send on one that the listener has closed as idle. */
const ONCE = { requestInit: { headers: { connection: "close" } } };

/** The official clients of both generations, in all eras that they speak. */
export const OFFICIAL_CLIENTS: { readonly [name: string]: (url: string) => Promise<OfficialClient> } = {
  "client 2, modern": (url) => second(url, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
  "client 2, legacy": (url) => second(url, {}),
  "SDK 1": async (url) => {
    const client = new FirstClient({ name: "first", version: "1.0.0" });
    await client.connect(new FirstHttp(new URL(url), ONCE) as Parameters<typeof client.connect>[0]);
    return official(client);
  },
};

async function second(
  url: string,
  options: ConstructorParameters<typeof Client>[1],
): Promise<OfficialClient> {
  const client = new Client({ name: "second", version: "1.0.0" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), ONCE));
  return official(client);
}

function official(client: Client | FirstClient): OfficialClient {
  const listed = {
    tools: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  };
  return {
    list: async (kind) => (await listed[kind]()) as readonly unknown[] as readonly Definition[],
    call: (name) => client.callTool({ name, arguments: {} }),
    getPrompt: (name) => client.getPrompt({ name }),
    read: (uri) => client.readResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
