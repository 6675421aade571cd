import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { Conversation } from "../../src/background/shim/conversation.ts";

type Message = { readonly [member: string]: unknown };

/** Both ends of a conversation, and what they got. */
function talk(): {
  readonly conversation: Conversation;
  readonly client: Message[];
  readonly server: Message[];
  readonly say: (message: Message) => void;
  readonly answer: (message: Message) => void;
  /** Whether what is written leaves this process. */
  isWritten: boolean;
} {
  const client: Message[] = [];
  const server: Message[] = [];
  const parse = (line: Buffer): Message => JSON.parse(line.toString()) as Message;
  const line = (message: Message): Buffer =>
    Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const conversation = new Conversation({
    toClient: (text) => void client.push(parse(text)),
    toServer: (text, onWritten) => {
      server.push(parse(text));
      if (both.isWritten) onWritten();
    },
  });
  const both = {
    ...{ conversation, client, server, isWritten: true },
    say: (message: Message) => conversation.fromClient(line(message)),
    answer: (message: Message) => conversation.fromServer(line(message)),
  };
  return both;
}

const INTRODUCTION = { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true } } };

function introduced(): ReturnType<typeof talk> {
  const both = talk();
  both.conversation.connected();
  both.say({ id: 1, method: "initialize", params: { capabilities: {} } });
  both.answer({ id: 1, result: INTRODUCTION });
  both.say({ method: "notifications/initialized" });
  return both;
}

const ids = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ id, method }) =>
    id === undefined ? [] : [`${JSON.stringify(id)} ${JSON.stringify(method)}`],
  );

verifies(
  "background:replay",
  "the handshake, the level and the subscriptions come first, then what was never written",
  () => {
    const both = introduced();
    const { say, answer, conversation, client, server } = both;
    say({ id: 2, method: "logging/setLevel", params: { level: "info" } });
    say({ id: 3, method: "resources/subscribe", params: { uri: "a:1" } });
    say({ id: 4, method: "resources/subscribe", params: { uri: "a:2" } });
    say({ id: 5, method: "resources/unsubscribe", params: { uri: "a:1" } });
    for (const id of [2, 3, 4, 5]) answer({ id, result: {} });
    say({ id: 6, method: "tools/call", params: { name: "written" } });
    both.isWritten = false;
    say({ id: 7, method: "tools/call", params: { name: "not written" } });
    both.isWritten = true;
    conversation.lost("it ended");
    expect(client.at(-1)).toMatchObject({
      id: 6,
      error: { message: expect.stringMatching(/^it ended; it may have run/), data: { retrySafe: false } },
    });
    say({ id: 8, method: "tools/call", params: { name: "later" } });
    expect(client.filter(({ id }) => id === 7 || id === 8)).toEqual([]);
    server.length = 0;
    client.length = 0;
    conversation.connected();
    expect(server).toMatchObject([{ method: "initialize", params: { capabilities: {} } }]);
    answer({ id: server[0]?.["id"], result: INTRODUCTION });
    expect(
      server.map(({ method, params }) => [
        method,
        (params as Message | undefined)?.["uri"] ?? (params as Message | undefined)?.["name"],
      ]),
    ).toEqual([
      ["initialize", undefined],
      ["notifications/initialized", undefined],
      ["logging/setLevel", undefined],
      ["resources/subscribe", "a:2"],
      ["tools/call", "not written"],
      ["tools/call", "later"],
    ]);
    for (const { id } of server.slice(2, 4)) answer({ id, result: {} });
    answer({ id: 7, result: { content: [] } });
    // The client hears the answers to its own requests, that lists may differ, and that what it watches may have changed.
    expect(client).toMatchObject([
      { method: "notifications/tools/list_changed" },
      { method: "notifications/resources/updated", params: { uri: "a:2" } },
      { id: 7, result: { content: [] } },
    ]);
  },
);

verifies(
  "background:replay",
  "lists are answered from memory while there is no connection, and asked again if they were in flight",
  () => {
    const { say, answer, conversation, client, server } = introduced();
    say({ id: 2, method: "tools/list", params: {} });
    answer({ id: 2, result: { tools: [{ name: "one" }] } });
    say({ id: 3, method: "prompts/list", params: {} });
    conversation.lost("it ended");
    say({ id: 4, method: "tools/list", params: { _meta: { progressToken: 9 } } });
    expect(client.at(-1)).toEqual({ jsonrpc: "2.0", id: 4, result: { tools: [{ name: "one" }] } });
    say({ id: 5, method: "ping" });
    expect(client.at(-1)).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
    // Another client of the modern era may get another list: it declares what it can do with each request.
    say({
      id: 6,
      method: "tools/list",
      params: { _meta: { "io.modelcontextprotocol/clientCapabilities": { x: 1 } } },
    });
    expect(client.some(({ id }) => id === 6)).toBe(false);
    server.length = 0;
    conversation.connected();
    answer({ id: server[0]?.["id"], result: INTRODUCTION });
    expect(ids(server).slice(1)).toEqual(['3 "prompts/list"', '6 "tools/list"']);
    answer({ method: "notifications/tools/list_changed" });
    conversation.lost("again");
    say({ id: 7, method: "tools/list", params: {} });
    expect(client.some(({ id }) => id === 7)).toBe(false);
  },
);

verifies(
  "background:silent",
  "while the gateway says nothing, lists that are known are answered from memory, once; everything else waits",
  () => {
    const { say, answer, conversation, client } = introduced();
    const list = (id: number): Message[] => client.filter((message) => message["id"] === id);
    say({ id: 2, method: "tools/list", params: {} });
    answer({ id: 2, result: { tools: [{ name: "one" }] } });
    say({ id: 3, method: "tools/list", params: { _meta: { progressToken: 1 } } });
    say({ id: 4, method: "tools/call", params: { name: "one" } });
    // While it answers, it is asked: only it knows whether a list is still right.
    expect(list(3)).toEqual([]);
    conversation.quiet();
    conversation.quiet();
    answer({ id: 3, result: { tools: [] } });
    expect(list(3)).toMatchObject([{ result: { tools: [{ name: "one" }] } }]);
    expect(list(4)).toEqual([]);
    // After a change that the client has heard of, the list of before is never given again.
    answer({ method: "notifications/tools/list_changed" });
    say({ id: 5, method: "tools/list", params: {} });
    conversation.quiet();
    expect(list(5)).toEqual([]);
    answer({ id: 5, result: { tools: [{ name: "two" }] } });
    answer({ id: 4, result: { content: [] } });
    expect(list(5)).toMatchObject([{ result: { tools: [{ name: "two" }] } }]);
    expect(list(4)).toHaveLength(1);
    expect(conversation.openRequests).toBe(0);
  },
);

verifies("background:replay", "a large answer is passed on as it is, and remembered if it is a list", () => {
  const { say, answer, conversation, client } = introduced();
  const text = `${"x".repeat(20_000)},"jsonrpc":"2.0","id":3}`;
  say({ id: 2, method: "tools/list", params: {} });
  say({ id: 3, method: "tools/call", params: { name: "a" } });
  say({ id: "four", method: "tools/call", params: { name: "b" } });
  // As our hosts write it, and as another one may.
  const tools = [{ name: "one", description: text }];
  conversation.fromServer(Buffer.from(`${JSON.stringify({ result: { tools }, jsonrpc: "2.0", id: 2 })}\n`));
  const result = { content: [{ type: "text", text }] };
  conversation.fromServer(Buffer.from(`${JSON.stringify({ result, jsonrpc: "2.0", id: "four" })}\n`));
  expect(conversation.openRequests).toBe(1);
  answer({ id: 3, result });
  expect(conversation.openRequests).toBe(0);
  expect(client.slice(-2)).toEqual([
    { jsonrpc: "2.0", id: "four", result },
    { jsonrpc: "2.0", id: 3, result },
  ]);
  conversation.lost("it ended");
  say({ id: 5, method: "tools/list", params: {} });
  expect(client.at(-1)).toEqual({ jsonrpc: "2.0", id: 5, result: { tools } });
});

verifies("background:replay", "a late answer to a question of the lost connection reaches nobody", () => {
  const { say, answer, conversation, client, server } = introduced();
  answer({ id: 0, method: "elicitation/create", params: {} });
  conversation.lost("it ended");
  expect(client.at(-1)).toMatchObject({ method: "notifications/cancelled", params: { requestId: 0 } });
  server.length = 0;
  conversation.connected();
  answer({ id: server[0]?.["id"], result: INTRODUCTION });
  answer({ id: 0, method: "elicitation/create", params: {} });
  const asked = client.at(-1)?.["id"];
  expect(asked).not.toBe(0);
  say({ id: 0, result: { action: "accept", content: { secret: "old" } } });
  say({ id: asked, result: { action: "decline" } });
  expect(server.filter(({ result }) => result !== undefined)).toEqual([
    { jsonrpc: "2.0", id: 0, result: { action: "decline" } },
  ]);
});

verifies(
  "background:replay",
  "a call that was cancelled before it was written is never sent, also if that was while the handshake was repeated",
  () => {
    const { say, answer, conversation, server } = introduced();
    conversation.lost("it ended");
    say({ id: 2, method: "tools/call", params: { name: "cancelled" } });
    say({ method: "notifications/cancelled", params: { requestId: 2 } });
    say({ id: 3, method: "tools/call", params: { name: "waits" } });
    say({ id: 4, method: "tools/call", params: { name: "cancelled later" } });
    server.length = 0;
    expect(conversation.openRequests).toBe(2);
    conversation.connected();
    say({ method: "notifications/cancelled", params: { requestId: 4 } });
    answer({ id: server[0]?.["id"], result: INTRODUCTION });
    expect(ids(server).slice(1)).toEqual(['3 "tools/call"']);
  },
);
