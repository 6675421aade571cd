import { verifies } from "@indus/testkit";
import type { ProcessTree, startTree } from "indusagi/core";
import { createServerEndpoint, type RpcMessage } from "indusagi/interop";
import { expect } from "vitest";
import { createServer } from "../../../../../test/servers/server.mjs";
import { scripted } from "../kit/scripted.ts";

/** Simulates a process that answers two calls in one chunk, after progress for the first and a notification. */
const chunky: typeof startTree = async (_command, _args, { onStdout }) => {
  const say = (...messages: readonly object[]): void => {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    setImmediate(() => void onStdout?.(Buffer.from(lines.join(""))));
  };
  const calls: number[] = [];
  const receive = createServer(say, { era: "legacy" });
  const take = (message: RpcMessage): void => {
    if (message.method !== "tools/call") return receive(message);
    calls.push(Number(message.id));
    if (calls.length < 2) return;
    say(
      { method: "notifications/progress", params: { progressToken: calls[0], progress: 1 } },
      { method: "notifications/message", params: { level: "info", data: "both" } },
      ...calls.map((id, index) => ({ id, result: { content: [{ type: "text", text: `answer ${index}` }] } })),
    );
  };
  const exit = { code: 0, signal: null };
  const tree: ProcessTree = {
    pid: 0,
    exited: new Promise(() => {}),
    gone: new Promise(() => {}),
    write: async () => {},
    send: (data, done) => {
      for (const line of String(data).split("\n")) if (line !== "") take(JSON.parse(line) as RpcMessage);
      done();
    },
    unref: () => {},
    ref: () => {},
    closeInput: () => {},
    kill: () => {},
    end: async () => ({ ...exit, survivors: [] }),
  };
  return tree;
};

verifies(
  "endpoint:listeners",
  "a progress or notification listener that throws does not lose an answer of the same chunk",
  async () => {
    const endpoint = createServerEndpoint(scripted("s"), undefined, { stdio: { startTree: chunky } });
    await endpoint.open();
    const heard: string[] = [];
    const broken = (what: string) => (): never => {
      heard.push(what);
      throw new Error(`broken ${what}`);
    };
    endpoint.session().onNotification(broken("notification"));
    endpoint.session().onNotification(({ method }) => void heard.push(method));
    const answers = await Promise.all([
      endpoint.invoke("first", {}, { onProgress: broken("progress") }),
      endpoint.invoke("second", {}),
    ]);
    expect(answers.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "answer 0" }],
      [{ type: "text", text: "answer 1" }],
    ]);
    expect(heard).toEqual(["progress", "notification", "notifications/message"]);
    await endpoint.close();
  },
);
