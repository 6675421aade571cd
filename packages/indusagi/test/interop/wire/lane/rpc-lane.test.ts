import { AsyncLocalStorage } from "node:async_hooks";
import { verifies } from "@indus/testkit";
import { ProtocolFault } from "indusagi/interop";
import { expect, vi } from "vitest";
import type { RpcMessage } from "../../../../src/interop/contract/index.ts";
import { RpcLane } from "../../../../src/interop/wire/index.ts";

function lane(): { readonly sent: RpcMessage[]; readonly lane: RpcLane } {
  const sent: RpcMessage[] = [];
  const made = new RpcLane({
    server: "s",
    cancelsByStream: false,
    transport: { send: async (message) => void sent.push(message) },
    translate: () => new ProtocolFault("transport", "could not be sent"),
  });
  return { sent, lane: made };
}

const slow = { method: "tools/call", params: {}, timeoutMs: 10_000, totalMs: 20_000 };
const idOf = (message: RpcMessage | undefined): number => Number(message?.id);

verifies(
  "endpoint:strays",
  "only the first answer to a request counts, and only with its exact id",
  async () => {
    const { sent, lane: rpc } = lane();
    const answer = rpc.request(slow);
    const id = idOf(sent[0]);
    expect(rpc.accept({ jsonrpc: "2.0", id: String(id), result: { wrong: "text id" } })).toBe(true);
    expect(rpc.accept({ jsonrpc: "2.0", id: 3, result: { wrong: "of the SDK" } })).toBe(false);
    expect(rpc.accept({ jsonrpc: "2.0", id: id + 1, result: { wrong: "unknown" } })).toBe(true);
    expect(rpc.accept({ jsonrpc: "2.0", id, result: { right: true } })).toBe(true);
    expect(rpc.accept({ jsonrpc: "2.0", id, result: { wrong: "second" } })).toBe(true);
    expect(await answer).toEqual({ right: true });
    expect(rpc.strayAnswers).toBe(3);
    expect(rpc.inFlight).toBe(0);
  },
);

verifies("endpoint:strays", "an answer with neither result nor error is a protocol fault", async () => {
  for (const odd of [{}, { result: null }, { result: 7 }, { result: "text" }]) {
    const { sent, lane: rpc } = lane();
    const answer = rpc.request(slow);
    rpc.accept({ jsonrpc: "2.0", id: idOf(sent[0]), ...odd });
    await expect(answer).rejects.toMatchObject({ kind: "protocol", retrySafe: false });
  }
});

verifies(
  "endpoint:deadline",
  "without progress the deadline passes, and the server is notified",
  async () => {
    const { sent, lane: rpc } = lane();
    await expect(rpc.request({ ...slow, timeoutMs: 20 })).rejects.toMatchObject({
      kind: "timeout",
      server: "s",
    });
    expect(sent[1]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: idOf(sent[0]) },
    });
  },
);

verifies(
  "endpoint:deadline",
  "a short deadline after a long one, and a long one after a short one, each pass in time",
  async () => {
    const { sent, lane: rpc } = lane();
    const long = rpc.request(slow);
    const ended: string[] = [];
    const short = (name: string, timeoutMs: number): Promise<unknown> =>
      rpc.request({ ...slow, timeoutMs }).catch(() => ended.push(name));
    await Promise.all([short("later", 60), short("sooner", 20)]);
    await short("last", 20);
    expect(ended).toEqual(["sooner", "later", "last"]);
    rpc.accept({ jsonrpc: "2.0", id: idOf(sent[0]), result: { is: "still pending" } });
    expect(await long).toEqual({ is: "still pending" });
  },
);

verifies(
  "endpoint:lean",
  "the timer of the deadlines keeps the process running only while a request is pending",
  async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const { sent, lane: rpc } = lane();
    for (let round = 0; round < 3; round++) {
      const answer = rpc.request(slow);
      expect(timers()).toBe(before + 1);
      rpc.accept({ jsonrpc: "2.0", id: idOf(sent[round]), result: {} });
      await answer;
      expect(timers()).toBe(before);
    }
    rpc.lose(new ProtocolFault("transport", "gone"));
    expect(timers()).toBe(before);
  },
);

verifies("endpoint:deadline", "progress restarts the deadline until the total is used up", async () => {
  const { sent, lane: rpc } = lane();
  const startMs = performance.now();
  const answer = rpc.request({ ...slow, timeoutMs: 500, totalMs: 1200 });
  const beat = setInterval(
    () =>
      rpc.accept({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: idOf(sent[0]), progress: 1 },
      }),
    10,
  );
  await expect(answer).rejects.toMatchObject({
    kind: "timeout",
    message: 'server "s" did not answer tools/call within 1.2 s',
  });
  clearInterval(beat);
  expect(performance.now() - startMs).toBeGreaterThan(1000);
});

verifies(
  "endpoint:abort",
  "an abort rejects with its own reason, once, and notifies the server once",
  async () => {
    const { sent, lane: rpc } = lane();
    const abort = new AbortController();
    const reason = new Error("changed my mind");
    const answer = rpc.request({ ...slow, signal: abort.signal });
    abort.abort(reason);
    abort.abort(new Error("again"));
    await expect(answer).rejects.toBe(reason);
    rpc.accept({ jsonrpc: "2.0", id: idOf(sent[0]), result: {} });
    expect(sent.filter((message) => message.method === "notifications/cancelled")).toHaveLength(1);
    await expect(rpc.request({ ...slow, signal: abort.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(2);
  },
);

verifies(
  "endpoint:progress",
  "progress goes to its own request, and progress without a number is dropped",
  async () => {
    const { sent, lane: rpc } = lane();
    const heard: unknown[] = [];
    const first = rpc.request({ ...slow, onProgress: (note) => heard.push(["first", note]) });
    const second = rpc.request({ ...slow, onProgress: (note) => heard.push(["second", note]) });
    const note = (index: number, params: object): void =>
      void rpc.accept({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: idOf(sent[index]), ...params },
      });
    note(1, { progress: 1, total: 4, message: "one" });
    note(0, { progress: "much" });
    note(0, { progress: 2 });
    rpc.accept({ jsonrpc: "2.0", id: idOf(sent[0]), result: {} });
    note(0, { progress: 3 });
    expect(heard).toEqual([
      ["second", { progress: 1, total: 4, message: "one" }],
      ["first", { progress: 2 }],
    ]);
    expect(
      rpc.accept({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 5, progress: 1 },
      }),
    ).toBe(false);
    rpc.lose(new ProtocolFault("transport", "gone"));
    await first;
    await expect(second).rejects.toThrow("gone");
  },
);

verifies(
  "endpoint:strays",
  "connections use one asynchronous store: each further one would slow down every promise of the process",
  async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, "run");
    try {
      const carriers: unknown[] = [];
      for (const path of ["a", "b"]) {
        const rpc: RpcLane = new RpcLane({
          server: path,
          cancelsByStream: true,
          transport: { send: async () => void carriers.push(rpc.carrier()?.method) },
          translate: () => new ProtocolFault("transport", "could not be sent"),
        });
        const answer = rpc.request({ ...slow, method: path });
        rpc.lose(new ProtocolFault("transport", "over"));
        await expect(answer).rejects.toThrow("over");
      }
      expect(carriers).toEqual(["a", "b"]);
      expect(new Set(run.mock.contexts).size).toBe(1);
    } finally {
      run.mockRestore();
    }
  },
);
