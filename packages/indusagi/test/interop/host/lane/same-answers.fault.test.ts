import { atSize, verifies } from "@indus/testkit";
import { isJSONRPCRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect } from "vitest";
import {
  initialize,
  inSession,
  modernRequest,
  openSession,
  type RawAnswer,
  type RawRequest,
  send,
} from "../http/raw-http.ts";
import { comparable, httpWay, StdioWay, TwoWayBox } from "./both-ways.ts";

/** Generated requests, in addition to those that are listed. */
const CASES = atSize({ quick: 25, full: 500 });
const NAMES = new TwoWayBox().descriptors().map(({ name }) => name);
const META = "io.modelcontextprotocol/";

/** Requests that end, as parts of a message: each is tried in both eras. */
const LISTED: readonly { readonly [member: string]: unknown }[] = [
  ...NAMES.filter((name) => name !== "hang" && name !== "asks").map((name) => call(name)),
  call("progress", {}, { progressToken: "p" }),
  call("progress", {}, { progressToken: 0 }),
  call("progress", {}, { progressToken: 1.5 }),
  call("progress", {}, { progressToken: null }),
  call("logs", {}, { [`${META}logLevel`]: "warning" }),
  call("logs", {}, { [`${META}logLevel`]: "loud" }),
  call("echo", { a: [1, { b: "é😀\u2028" }] }, { traceparent: "00-1", "example.org/x": { y: 1 } }),
  call("echo", {}, { [`${META}related-task`]: { taskId: "t" } }),
  call("echo", {}, { [`${META}related-task`]: 7 }),
  call("missing"),
  call(""),
  { method: "tools/call" },
  { method: "tools/call", params: {} },
  { method: "tools/call", params: [] },
  { method: "tools/call", params: null },
  { method: "tools/call", params: { name: 7 } },
  { method: "tools/call", params: { name: "echo" } },
  { method: "tools/call", params: { name: "echo", arguments: [] } },
  { method: "tools/call", params: { name: "echo", arguments: null } },
  { method: "tools/call", params: { name: "echo", arguments: {}, other: 1 } },
  { method: "tools/call", params: { name: "echo", arguments: {}, task: { ttl: 1 } } },
  { method: "tools/call", params: { name: "echo", arguments: {}, task: 1 } },
  { method: "tools/call", params: { name: "echo", arguments: {}, inputResponses: {} } },
  { method: "tools/call", params: { name: "echo", arguments: {}, requestState: "forged" } },
  { method: "tools/call", params: { name: "echo", arguments: {}, requestState: 7 } },
  { method: "tools/list" },
  { method: "tools/list", params: {} },
  { method: "tools/list", params: { cursor: "next" } },
  { method: "tools/list", params: { cursor: 7 } },
  { method: "ping" },
  { method: "ping", params: { _meta: { a: 1 } } },
  { method: "ping", params: 1 },
  { method: "resources/list" },
  { method: "prompts/list" },
  { method: "server/discover" },
  { method: "made/up" },
  { method: "tools/call", params: { name: "echo" }, extra: 1 },
  { jsonrpc: "1.0", method: "ping" },
  { id: null, method: "ping" },
  { id: 1.5, method: "ping" },
  { id: "", method: "ping" },
  { id: "a\u0000b", method: "tools/list" },
  { id: -7, method: "tools/call", params: { name: "echo" } },
];

function call(name: string, args: object = {}, meta?: object): { readonly [member: string]: unknown } {
  return { method: "tools/call", params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) } };
}

const plainMeta = fc.record(
  {
    progressToken: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 1.5, {}, [])),
    traceparent: fc.string(),
    [`${META}logLevel`]: fc.constantFrom("debug", "error", "", 1),
    [`${META}clientInfo`]: fc.constantFrom({ name: "other", version: "3" }, { name: 1 }, "x"),
    [`${META}clientCapabilities`]: fc.constantFrom({}, { sampling: {} }, { roots: 1 }, []),
    [`${META}protocolVersion`]: fc.constantFrom("2026-07-28", "2025-11-25", "2030-01-01", 1),
  },
  { requiredKeys: [] },
);
const generated = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "2", undefined),
    id: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(null, 0.5, undefined)),
    method: fc.constantFrom("tools/call", "tools/call", "tools/list", "ping", "nothing"),
    params: fc.oneof(
      fc.record(
        {
          name: fc.constantFrom("echo", "fails", "picture", "missing", 3),
          arguments: fc.oneof(
            fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
            fc.constantFrom(null, [], 1),
          ),
          cursor: fc.constantFrom("c", 1),
          _meta: fc.oneof(plainMeta, fc.constantFrom(null, 1, [])),
          task: fc.constantFrom({}, 1),
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom(undefined, null, 1, []),
    ),
  },
  { requiredKeys: ["method"] },
);

/** The one difference: the SDK does not take a result with such a `_meta` for an answer, and a modern client waits for ever. */
const UNANSWERED = "odd_meta";

function isUnanswered({ params }: { readonly [member: string]: unknown }): boolean {
  return (params as { readonly name?: unknown } | null | undefined)?.name === UNANSWERED;
}

function meaningOf({ status, headers, messages, text }: RawAnswer): unknown {
  return comparable({
    status,
    type: headers["content-type"],
    session: headers["mcp-session-id"] !== undefined,
    ...{ allow: headers.allow, retry: headers["retry-after"], challenge: headers["www-authenticate"] },
    messages,
    isEmpty: text === "",
  });
}

/** A modern request with the headers that repeat it. */
function modern(message: { readonly [member: string]: unknown }): RawRequest {
  const { id = 1, method, params, ...others } = message;
  const given = typeof params === "object" && params !== null && !Array.isArray(params) ? params : {};
  const whole = modernRequest(id as number, String(method), given as { [member: string]: unknown });
  const isOdd = params !== undefined && given !== params;
  const body = { ...(whole.body as object), ...others, ...(isOdd ? { params } : {}) };
  return { headers: whole.headers, body };
}

/** Sends a request to both and compares the answers. */
async function compare(
  pair: readonly [string, string],
  request: (way: 0 | 1) => RawRequest,
  about: unknown,
): Promise<void> {
  const [lane, sdk] = await Promise.all([send(pair[0], request(0)), send(pair[1], request(1))]);
  expect(meaningOf(lane), JSON.stringify(about)).toEqual(meaningOf(sdk));
}

for (const version of ["2025-06-18", "2025-11-25"])
  verifies("lane:same", `requests of ${version} in sessions over HTTP`, async () => {
    await using lane = await httpWay("lane");
    await using sdk = await httpWay("sdk");
    const sessions = [await openSession(lane.url), await openSession(sdk.url)] as const;
    const headers = (way: 0 | 1) => ({ ...inSession(sessions[way]), "mcp-protocol-version": version });
    const ask = (message: object) =>
      compare([lane.url, sdk.url], (way) => ({ headers: headers(way), body: message }), message);
    for (const message of LISTED) await ask({ jsonrpc: "2.0", id: 1, ...message });
    await ask(LISTED.slice(0, 3).map((message, id) => ({ jsonrpc: "2.0", id, ...message })));
    await fc.assert(fc.asyncProperty(generated, ask), { numRuns: CASES });
    for (const odd of [
      { accept: "application/json" },
      { "mcp-protocol-version": "1999-01-01" },
      { "mcp-session-id": "no" },
    ])
      await compare(
        [lane.url, sdk.url],
        (way) => ({ headers: { ...headers(way), ...odd }, body: { jsonrpc: "2.0", id: 1, ...call("echo") } }),
        odd,
      );
    expect(lane.box.ways.filter((way) => way === "lane").length).toBeGreaterThan(20);
    expect(sdk.box.ways).not.toContain("lane");
  });

verifies("lane:same", "modern requests over HTTP", async () => {
  await using lane = await httpWay("lane");
  await using sdk = await httpWay("sdk");
  const pair = [lane.url, sdk.url] as const;
  for (const message of LISTED.filter((each) => !isUnanswered(each)))
    await compare(pair, () => modern({ jsonrpc: "2.0", ...message }), message);
  expect((await send(lane.url, modern(call(UNANSWERED)))).messages).toMatchObject([{ result: { _meta: 7 } }]);
  await fc.assert(
    fc.asyncProperty(generated, async (message) => compare(pair, () => modern(message), message)),
    { numRuns: CASES },
  );
  const whole = modern(call("echo"));
  for (const odd of [
    { "mcp-name": "other" },
    { "mcp-name": "=?base64?ZWNobw==?=" },
    { "mcp-name": "=?base64?!?=" },
    { "mcp-method": "tools/list" },
    { "mcp-protocol-version": "2025-11-25" },
    { "mcp-protocol-version": "2030-01-01" },
    { accept: "application/json" },
    { accept: "text/event-stream" },
    { accept: "*/*" },
    { "content-type": "text/plain" },
    { origin: "http://evil.example" },
  ] as const)
    await compare(pair, () => ({ ...whole, headers: { ...whole.headers, ...odd } }), odd);
  for (const missing of ["mcp-name", "mcp-method", "mcp-protocol-version"]) {
    const headers = Object.fromEntries(
      Object.entries(whole.headers ?? {}).filter(([name]) => name !== missing),
    );
    await compare(pair, () => ({ ...whole, headers }), missing);
  }
  expect(lane.box.ways.filter((way) => way === "lane").length).toBeGreaterThan(20);
  expect(sdk.box.ways).not.toContain("lane");
});

verifies("lane:same", "requests that are refused by their token", async () => {
  const verifier = {
    verify: (token: string) =>
      token === "good-token-1234567" ? { principal: "me", audience: "any" as const } : undefined,
  };
  await using lane = await httpWay("lane", { verifier });
  await using sdk = await httpWay("sdk", { verifier });
  const pair = [lane.url, sdk.url] as const;
  for (const authorization of ["Bearer good-token-1234567", "Bearer bad", "nothing"]) {
    const { headers, body } = modern(call("echo"));
    await compare(pair, () => ({ headers: { ...headers, authorization }, body }), authorization);
    const opened = await Promise.all(pair.map((url) => initialize(url, { authorization })));
    expect(meaningOf(opened[0] as RawAnswer)).toEqual(meaningOf(opened[1] as RawAnswer));
  }
});

const HELLO = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1.0.0" },
  },
};

verifies("lane:same", "legacy and modern requests over stdio", async () => {
  for (const era of ["legacy", "modern"] as const) {
    await using lane = new StdioWay("lane");
    await using sdk = new StdioWay("sdk");
    const compareStdio = async (message: unknown): Promise<void> => {
      const ids = [message].flat().flatMap((each) => (isJSONRPCRequest(each) ? [each.id] : []));
      const [ours, theirs] = await Promise.all([lane.exchange(message, ids), sdk.exchange(message, ids)]);
      expect(comparable(ours), JSON.stringify(message)).toEqual(comparable(theirs));
    };
    const opening =
      era === "legacy"
        ? [HELLO, { jsonrpc: "2.0", method: "notifications/initialized" }]
        : [modern({ method: "server/discover", jsonrpc: "2.0" }).body, modern(call("echo")).body];
    for (const message of opening) await compareStdio(message);
    const asSent = (message: { readonly [member: string]: unknown }): unknown =>
      era === "legacy" ? { jsonrpc: "2.0", id: 1, ...message } : modern({ jsonrpc: "2.0", ...message }).body;
    for (const message of LISTED) await compareStdio(asSent(message));
    await compareStdio([asSent(call("echo")), asSent({ method: "tools/list" })]);
    await fc.assert(
      fc.asyncProperty(generated, async (message) =>
        compareStdio(era === "legacy" ? message : modern(message).body),
      ),
      { numRuns: CASES },
    );
    expect(lane.box.ways.filter((way) => way === "lane").length, era).toBeGreaterThan(20);
    expect(sdk.box.ways, era).not.toContain("lane");
  }
});

verifies(
  "lane:off",
  "a host that was made with INDUS_INBOUND=sdk serves everything through the SDK",
  async () => {
    await using sdk = await httpWay("sdk");
    await using lane = await httpWay("lane");
    for (const way of [sdk, lane]) await send(way.url, modern(call("echo")));
    expect([sdk.box.ways, lane.box.ways]).toEqual([["sdk"], ["lane"]]);
  },
);
