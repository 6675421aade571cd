import { verifies } from "@indus/testkit";
import {
  createProviderHost,
  createServerEndpoint,
  type HostIntroduction,
  linkedTransports,
  type ServerSession,
  serveHttp,
} from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";

const providers = {
  resources: { list: () => ({ resources: [] }), read: () => undefined, onUpdated: () => () => {} },
  prompts: { list: () => ({ prompts: [] }), get: () => undefined },
  complete: () => ({ completion: { values: [] } }),
};

/** What a client learns over each transport, if the host is introduced like this. */
async function learned(introduced: HostIntroduction | undefined): Promise<readonly ServerSession[]> {
  const box = boxOf({ hello: () => textResult("hi") });
  const info = { name: "own", version: "1" };
  const host = createProviderHost(box, info, providers, { introduction: async () => introduced });
  const listener = await serveHttp(host, { port: 0 });
  const [ours, theirs] = linkedTransports();
  const running = await host.connect(ours);
  const clients = [
    createServerEndpoint({ kind: "streamable-http", id: "h", url: listener.url }),
    createServerEndpoint({ kind: "stdio", id: "s", command: "none" }, theirs),
  ];
  await Promise.all(clients.map((client) => client.open()));
  const sessions = clients.map((client) => client.session());
  await Promise.all(clients.map((client) => client.close()));
  await running.cancel();
  await listener.close();
  return sessions;
}

verifies("routes:introduction", "a host presents itself as it is told, as far as it can do it", async () => {
  const capabilities = {
    tools: {},
    prompts: { listChanged: true },
    resources: { subscribe: true },
    unknown: {},
  };
  const info = { name: "theirs", version: "7", title: "Theirs", instructions: "Be brief." };
  for (const session of await learned({ info, capabilities })) {
    expect(session.serverInfo).toEqual({ name: "theirs", version: "7", title: "Theirs" });
    expect(session.instructions).toBe("Be brief.");
    expect(session.capabilities).toEqual({
      tools: {},
      prompts: { listChanged: true },
      resources: { subscribe: true },
    });
  }
  const withoutTools = await learned({ capabilities: { prompts: {} } });
  for (const session of withoutTools)
    expect([session.serverInfo.name, session.capabilities]).toEqual(["own", { prompts: {} }]);
  for (const session of await learned(undefined))
    expect(Object.keys(session.capabilities).toSorted()).toEqual([
      "completions",
      "logging",
      "prompts",
      "resources",
      "tools",
    ]);
});
