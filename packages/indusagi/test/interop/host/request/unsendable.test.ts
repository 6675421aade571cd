import { verifies } from "@indus/testkit";
import { createProviderHost, type HostProviders, serveHttp } from "indusagi/interop";
import { answeredOutcome, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { boxOf } from "../box-of.ts";
import {
  errorOf,
  inSession,
  modernRequest,
  openSession,
  type RawAnswer,
  send,
  textOf,
} from "../http/raw-http.ts";

const knot: { self?: unknown } = {};
knot.self = knot;

const tools = boxOf({
  bigint: () => ({ ...textResult("fine"), meta: { count: 1n } }),
  knot: () => ({ ...textResult("fine"), meta: { knot } }),
  mounted: () => textResult("fine"),
});

/** One of its tools belongs to another server in the same process, where results are never written as JSON. */
const box: ToolBox = {
  ...tools,
  runner: {
    run: async (call, signal, caller) => {
      if (call.name !== "mounted") return tools.runner.run(call, signal, caller);
      const wire = { value: () => ({ content: [], structuredContent: { count: 1n } }) };
      return { ...answeredOutcome(call.id, textResult("fine")), wire };
    },
  },
};

const providers: HostProviders = {
  resources: {
    list: () => ({ resources: [{ uri: "test://a", name: "a", size: 1n }] }),
    read: () => {
      throw Object.assign(new Error("locked"), { code: -32050, data: { knot } });
    },
  },
  prompts: {
    list: () => ({ prompts: [], knot }),
    get: () => {
      throw undefined;
    },
  },
};

async function answers(ask: (method: string, params?: object) => Promise<RawAnswer>): Promise<void> {
  for (const name of ["bigint", "knot", "mounted"]) {
    const answer = await ask("tools/call", { name, arguments: {} });
    expect(textOf(answer), name).toContain("the tool's answer cannot be sent");
    expect(answer.messages.at(-1)?.result?.["isError"]).toBe(true);
  }
  for (const method of ["resources/list", "prompts/list"])
    expect(errorOf(await ask(method)), method).toMatchObject({
      code: -32603,
      message: expect.stringContaining("the provider's answer cannot be sent"),
    });
  expect(errorOf(await ask("resources/read", { uri: "test://a" }))).toEqual({
    code: -32050,
    message: "locked",
  });
  expect(errorOf(await ask("prompts/get", { name: "any" }))?.code).toBe(-32603);
}

verifies("host:unsendable", "over HTTP every request is answered, in both eras", async () => {
  const listener = await serveHttp(createProviderHost(box, undefined, providers), { port: 0 });
  const signal = AbortSignal.timeout(15_000);
  try {
    const headers = inSession(await openSession(listener.url));
    await answers((method, params = {}) =>
      send(listener.url, { signal, headers, body: { jsonrpc: "2.0", id: 1, method, params } }),
    );
    await answers((method, params: { readonly uri?: string } = {}) => {
      const request = modernRequest(1, method, { ...params });
      const name = params.uri === undefined ? {} : { "mcp-name": params.uri };
      return send(listener.url, { signal, ...request, headers: { ...request.headers, ...name } });
    });
  } finally {
    await listener.close();
  }
});
