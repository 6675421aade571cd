import { once } from "node:events";
import { verifies } from "@indus/testkit";
import { classifyInboundRequest, isJSONRPCRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { serveHttp } from "indusagi/interop";
import {
  answeredOutcome,
  createTableBox,
  type TableTool,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { ModernClients } from "../../../../src/interop/host/lane/modern-clients.ts";
import { isPlainLegacy, isPlainModern } from "../../../../src/interop/host/lane/plain-request.ts";
import {
  initialize,
  inSession,
  legacyCall,
  modernRequest,
  openSession,
  type RawMessage,
  send,
  textOf,
} from "../http/raw-http.ts";
import { comparable, hostOn, httpWay, StdioWay, type Way } from "./both-ways.ts";

const WAYS: readonly Way[] = ["lane", "sdk"];
const META = "io.modelcontextprotocol/";
const HELLO = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } },
};

const meta = fc.oneof(
  fc.constantFrom(undefined, null, 1, {}),
  fc.record(
    {
      progressToken: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 0.5)),
      [`${META}protocolVersion`]: fc.constantFrom("2026-07-28", "2025-06-18", 1),
      [`${META}clientInfo`]: fc.oneof(fc.jsonValue(), fc.constant({ name: "a", version: "1" })),
      [`${META}clientCapabilities`]: fc.oneof(fc.jsonValue(), fc.constantFrom({}, { elicitation: {} })),
      [`${META}logLevel`]: fc.constantFrom("info", "loud"),
      [`${META}related-task`]: fc.constantFrom({ taskId: "t" }, 1),
    },
    { requiredKeys: [] },
  ),
);
const likely = fc.record({
  [`${META}protocolVersion`]: fc.constant("2026-07-28"),
  [`${META}clientInfo`]: fc.oneof(fc.constant({ name: "a", version: "1" }), fc.jsonValue()),
  [`${META}clientCapabilities`]: fc.oneof(fc.constantFrom({}, { elicitation: {} }), fc.jsonValue()),
});
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "2.0", "1.0"),
    id: fc.oneof(fc.integer(), fc.string(), fc.double()),
    method: fc.constantFrom("tools/call", "tools/list", "ping", "initialize"),
    params: fc.record(
      {
        name: fc.oneof(fc.string(), fc.integer()),
        arguments: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        cursor: fc.oneof(fc.string(), fc.jsonValue()),
        _meta: fc.oneof(meta, likely),
      },
      { requiredKeys: ["_meta"] },
    ),
  },
  { requiredKeys: ["jsonrpc", "id", "method"] },
);

verifies("lane:plain", "a plain request of each era is a request of that era for the SDK", () => {
  const clients = new ModernClients({ classifyInboundRequest });
  const taken = { legacy: 0, modern: 0 };
  fc.assert(
    fc.property(message, (given) => {
      const read: unknown = JSON.parse(JSON.stringify(given));
      const kind = (): string => classifyInboundRequest({ httpMethod: "POST", body: read }).kind;
      if (isPlainLegacy(read)) {
        taken.legacy += 1;
        expect([isJSONRPCRequest(read), kind()]).toEqual([true, "legacy"]);
      }
      if (isPlainModern(read) && clients.read(read)) {
        taken.modern += 1;
        // Read a second time, the SDK is not asked.
        expect([isJSONRPCRequest(read), kind(), clients.read(read)]).toEqual([
          true,
          "modern",
          expect.anything(),
        ]);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(taken.legacy, taken.modern)).toBeGreaterThan(20);
});

verifies("lane:talk", "a legacy client is asked on the stream of its call", async () => {
  for (const way of WAYS) {
    await using host = await httpWay(way);
    const { headers: opened } = await initialize(host.url, {}, { elicitation: {} });
    const headers = inSession(String(opened["mcp-session-id"]));
    const answer = (result: object) => async (text: string) => {
      const [, question] = /^data: (\{.*"elicitation\/create".*\})$/m.exec(text) ?? [];
      if (question === undefined) return;
      const { id } = JSON.parse(question) as RawMessage;
      await send(host.url, { headers, body: { jsonrpc: "2.0", id, result } });
    };
    // The second call takes the lane: the first message of a session is never alone.
    await send(host.url, { headers, body: legacyCall(1, "echo") });
    const asked = await send(host.url, {
      headers,
      body: legacyCall(2, "asks"),
      onText: (text) => void answer({ action: "accept", content: { name: "Ada" } })(text),
    });
    expect(asked.headers["content-type"]).toBe("text/event-stream");
    expect(textOf(asked)).toBe('{"who":{"action":"accept","content":{"name":"Ada"}}}');
    expect(host.box.ways.at(-1)).toBe(way);
  }
});

verifies("lane:talk", "a modern client is asked by the end of its call, and continues it", async () => {
  for (const way of WAYS) {
    await using host = await httpWay(way);
    for (const name of ["asks", "suspends"]) {
      const asked = await send(host.url, modernRequest(1, "tools/call", { name }));
      expect(comparable(asked.messages)).toMatchObject([
        { result: { resultType: "input_required", requestState: "a state", inputRequests: { who: {} } } },
      ]);
      const { requestState } = asked.messages[0]?.result ?? {};
      const inputResponses = { who: { action: "decline" } };
      const again = await send(
        host.url,
        modernRequest(2, "tools/call", { name, requestState, inputResponses }),
      );
      expect(textOf(again)).toContain('"who":{"action":"decline"}');
    }
    // What continues a call is always the SDK's: it holds the state.
    expect(host.box.ways).toEqual(way === "lane" ? ["lane", "lane", "sdk"] : ["sdk", "sdk", "sdk"]);
  }
});

verifies("lane:talk", "what a tool reports makes the answer of a modern call a stream", async () => {
  await using host = await httpWay("lane");
  const reported = await send(
    host.url,
    modernRequest(1, "tools/call", { name: "progress", _meta: { progressToken: "p" } }),
  );
  expect(reported.headers["content-type"]).toBe("text/event-stream");
  expect(reported.messages.map(({ method, id }) => method ?? id)).toEqual([
    "notifications/progress",
    "notifications/progress",
    1,
  ]);
});

verifies("lane:talk", "a client that cancels or leaves aborts its tool", async () => {
  for (const way of WAYS) {
    await using host = await httpWay(way);
    const headers = inSession(await openSession(host.url));
    await send(host.url, { headers, body: legacyCall(1, "echo") });
    const hanging = send(host.url, { headers, body: legacyCall(2, "hang") });
    await expect.poll(() => host.box.ways.length).toBe(2);
    const params = { requestId: 2, reason: "enough" };
    await send(host.url, { headers, body: { jsonrpc: "2.0", method: "notifications/cancelled", params } });
    expect((await hanging).messages).toMatchObject([{ id: 2, error: { message: "Request cancelled" } }]);
    expect(host.box.reasons).toEqual(["enough"]);
    const leave = new AbortController();
    const left = send(host.url, {
      ...modernRequest(3, "tools/call", { name: "hang" }),
      signal: leave.signal,
    });
    await expect.poll(() => host.box.ways.length).toBe(3);
    leave.abort();
    await left.catch(() => {});
    await expect.poll(() => host.box.reasons.length).toBe(2);
    expect(String(host.box.reasons[1])).toContain("Connection closed");
    expect(host.box.ways).toEqual([way, way, way]);
  }
});

verifies("lane:signals", "a tool may keep the signal of a call: no later call aborts it", async () => {
  for (const way of WAYS) {
    const kept: AbortSignal[] = [];
    const keeps: TableTool = {
      descriptor: { name: "keeps", description: "", parameters: {} },
      run: async (call, signal) => {
        if (signal) kept.push(signal);
        if ((call.input as { readonly hang?: boolean }).hang) await once(signal as AbortSignal, "abort");
        return answeredOutcome(call.id, textResult("kept"));
      },
    };
    const listener = await serveHttp(hostOn(way, createTableBox([keeps]).box), { port: 0 });
    const headers = inSession(await openSession(listener.url));
    for (const id of [1, 2, 3]) await send(listener.url, { headers, body: legacyCall(id, "keeps") });
    const hanging = send(listener.url, { headers, body: legacyCall(4, "keeps", { hang: true }) });
    await expect.poll(() => kept.length).toBe(4);
    const params = { requestId: 4 };
    await send(listener.url, {
      headers,
      body: { jsonrpc: "2.0", method: "notifications/cancelled", params },
    });
    await hanging;
    expect(kept.map(({ aborted }) => aborted)).toEqual([false, false, false, true]);
    await listener.close();
  }
});

verifies(
  "lane:talk",
  "over stdio a cancelled call gets no answer, and the end of input aborts the others",
  async () => {
    for (const way of WAYS) {
      const host = new StdioWay(way);
      await host.exchange(HELLO, [0]);
      await host.send(legacyCall(1, "hang"), legacyCall(2, "hang"));
      await expect.poll(() => host.box.ways).toEqual([way, way]);
      const params = { requestId: 1, reason: "enough" };
      const after = await host.exchange(
        [
          { jsonrpc: "2.0", method: "notifications/cancelled", params },
          { jsonrpc: "2.0", id: 3, method: "ping" },
        ],
        [3],
      );
      expect(after).toEqual([{ jsonrpc: "2.0", id: 3, result: {} }]);
      expect(host.box.reasons).toEqual(["enough"]);
      await host[Symbol.asyncDispose]();
      expect(String(host.box.reasons[1])).toContain("Connection closed");
    }
  },
);

verifies("lane:order", "a call that follows a new log level at once runs with it", async () => {
  for (const way of WAYS) {
    await using host = new StdioWay(way);
    await host.exchange(HELLO, [0]);
    await host.exchange(legacyCall(1, "echo"), [1]);
    const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "error" } };
    const [, echoed] = await host.exchange([level, legacyCall(3, "echo")], [2, 3]);
    expect(JSON.stringify(echoed)).toContain(String.raw`\"logLevel\":\"error\"`);
    const [next] = await host.exchange(legacyCall(4, "echo"), [4]);
    expect(JSON.stringify(next)).toContain(String.raw`\"logLevel\":\"error\"`);
    expect(host.box.ways).toEqual([way, "sdk", way]);
  }
});

function tool(name: string, onWrite: () => void): TableTool {
  const annotations = {
    toJSON: () => {
      onWrite();
      return { readOnlyHint: true };
    },
  };
  const inputSchema = { type: "object" };
  return {
    descriptor: {
      name,
      description: "",
      parameters: { type: "object" },
      definition: { name, inputSchema, annotations, execution: { taskSupport: "optional" } },
    },
    run: async ({ id }) => answeredOutcome(id, textResult(name)),
  };
}

verifies("lane:list-once", "clients of both eras get a list that is written once for each era", async () => {
  let writes = 0;
  const note = (): void => void (writes += 1);
  const table = createTableBox([tool("first", note)]);
  const listener = await serveHttp(hostOn("lane", table.box, { listsAsReceived: true }), { port: 0 });
  const sessions = [await openSession(listener.url), await openSession(listener.url)];
  const listed = async (): Promise<unknown[]> => {
    const requests = [
      ...sessions.map((session) => ({
        headers: inSession(session),
        body: { jsonrpc: "2.0", id: "list", method: "tools/list" },
      })),
      modernRequest(1, "tools/list"),
      modernRequest(2, "tools/list"),
    ];
    const answers = await Promise.all(requests.map((request) => send(listener.url, request)));
    return answers.map(({ messages: [answer] }) => answer?.result?.["tools"]);
  };
  const first = { name: "first", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
  const legacy = [{ ...first, execution: { taskSupport: "optional" } }];
  for (let times = 0; times < 3; times += 1)
    expect(await listed()).toEqual([legacy, legacy, [first], [first]]);
  expect(writes).toBe(2);
  table.replace([tool("second", note)]);
  expect(JSON.stringify(await listed())).toContain('"second"');
  expect(writes).toBe(4);
  await listener.close();
});

/** A result of a server, written in another way than we would, so that its bytes are recognised. */
function received(result: { readonly [member: string]: unknown }): ToolOutcome {
  const bytes = Buffer.from(JSON.stringify(result, undefined, 1).replaceAll("\n", " "));
  return {
    ...answeredOutcome("", textResult("")),
    wire: { value: () => result, bytes: () => bytes },
  };
}

const LONG = "é".repeat(20_000);
const RECEIVED: { readonly [name: string]: { readonly [member: string]: unknown } } = {
  plain: { content: [{ type: "text", text: LONG }], more: [1] },
  described: { content: [{ type: "text", text: LONG }], _meta: { a: 1 } },
  enveloped: { content: [{ type: "text", text: LONG }], resultType: "complete" },
  list: { content: [{ type: "text", text: LONG }], structuredContent: [1] },
};
/** A large result that must not be parsed. */
function unread(result: { readonly [member: string]: unknown }): ToolOutcome {
  const { bytes = () => Buffer.alloc(0) } = received(result).wire ?? {};
  const outline = {
    members: new Set(Object.keys(result)),
    blockMembers: new Set(["type", "text"]),
    blockTypes: new Set(["text"]),
  };
  const value = (): never => {
    throw new Error("parsed");
  };
  return {
    id: "",
    isError: false,
    wire: { value, bytes, outline },
    get result(): never {
      return value();
    },
    get output(): never {
      return value();
    },
  };
}

verifies("lane:bytes", "a result that is sent as it was received is not parsed", async () => {
  const result = { isError: false, content: [{ type: "text", text: LONG }] };
  const run: TableTool["run"] = async () => unread(result);
  const descriptor = { name: "unread", description: "", parameters: { type: "object" } } as const;
  const { box } = createTableBox([{ descriptor, run }]);
  const listener = await serveHttp(hostOn("lane", box), { port: 0 });
  const headers = { ...inSession(await openSession(listener.url)), "mcp-protocol-version": "2025-06-18" };
  const legacy = await send(listener.url, { headers, body: legacyCall(1, "unread") });
  const modern = await send(listener.url, modernRequest("a", "tools/call", { name: "unread" }));
  expect(legacy.messages).toEqual([{ jsonrpc: "2.0", id: 1, result }]);
  expect(modern.messages).toEqual([
    {
      jsonrpc: "2.0",
      id: "a",
      result: {
        ...result,
        resultType: "complete",
        _meta: { [`${META}serverInfo`]: { name: "same", version: "1.0.0" } },
      },
    },
  ]);
  await listener.close();
});

/** What can be sent as it was received, in each era. */
const AS_RECEIVED = { legacy: ["plain", "described"], modern: ["plain", "list"] };

verifies("lane:bytes", "a result leaves as its server wrote it, or is written again", async () => {
  const box = createTableBox(
    Object.entries(RECEIVED).map(([name, result]) => ({
      descriptor: { name, description: "", parameters: { type: "object" } },
      run: async ({ id }) => ({
        ...received(result),
        id,
        wire: received(result).wire ?? { value: () => ({}) },
      }),
    })),
  ).box;
  const listener = await serveHttp(hostOn("lane", box), { port: 0 });
  const headers = { ...inSession(await openSession(listener.url)), "mcp-protocol-version": "2025-06-18" };
  for (const [name, result] of Object.entries(RECEIVED)) {
    const own = JSON.stringify(result, undefined, 1).replaceAll("\n", " ").slice(0, -1);
    const legacy = await send(listener.url, { headers, body: legacyCall(1, name) });
    expect(legacy.text.includes(own), `${name}, legacy`).toBe(AS_RECEIVED.legacy.includes(name));
    const modern = await send(listener.url, modernRequest(1, "tools/call", { name }));
    expect(modern.text.includes(own), `${name}, modern`).toBe(AS_RECEIVED.modern.includes(name));
    for (const { text, headers: head, messages } of [legacy, modern]) {
      expect(textOf({ messages } as never)).toBe(LONG);
      if (text.includes(own)) expect(head["content-length"]).toBe(String(Buffer.byteLength(text)));
    }
    expect(modern.messages[0]?.result).toMatchObject({
      resultType: "complete",
      _meta: { [`${META}serverInfo`]: { name: "same" } },
    });
  }
  await listener.close();
});
