import { setTimeout as pause } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { ProtocolFault, type RpcMessage } from "indusagi/interop";
import { expect } from "vitest";
import { NatsLink } from "../../src/cluster/link.ts";
import { eventually } from "../bin/run-indus.ts";

/** Two ends of a link over a network that treats each frame as told. */
function linked(
  treat: (frame: Uint8Array, deliver: (frame: Uint8Array) => void) => void,
): [NatsLink, NatsLink] {
  const ends: NatsLink[] = [];
  const make = (other: number): NatsLink =>
    new NatsLink({
      server: "s",
      // A copy: NATS writes it out at once.
      publish: (frame) => treat(Uint8Array.from(frame), (copy) => ends[other]?.take(copy)),
    });
  ends.push(make(1), make(0));
  return ends as [NatsLink, NatsLink];
}

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const note = (at: number, text = ""): RpcMessage => ({
  jsonrpc: "2.0",
  method: "note",
  params: { at, text },
});

verifies(
  "cluster:link",
  "messages arrive once and in order over a network that loses, repeats and delays",
  async () => {
    const random = numbers(7);
    const [left, right] = linked((frame, deliver) => {
      const luck = random();
      if (luck < 0.2) return;
      if (luck < 0.3) setTimeout(() => deliver(frame), random() * 40);
      else deliver(frame);
      if (luck > 0.9) deliver(frame);
    });
    const got: unknown[] = [];
    right.onmessage = ({ params }) => void got.push(params?.["at"]);
    await Promise.all([left.start(), right.start()]);
    for (let at = 0; at < 200; at++) {
      left.post(note(at));
      if (at % 20 === 0) await pause(1);
    }
    const resending = setInterval(() => left.sendAgain(), 5);
    await eventually(() => (got.length >= 200 ? true : undefined), 30_000);
    clearInterval(resending);
    expect(got).toEqual(Array.from({ length: 200 }, (_, at) => at));
    await left.close();
    await right.close();
  },
);

verifies("cluster:link", "a message of many parts arrives whole, and a small one passes it", async () => {
  const queue: (() => void)[] = [];
  const [left, right] = linked((frame, deliver) => void queue.push(() => deliver(frame)));
  const got: string[] = [];
  right.onmessage = ({ params }) =>
    void got.push(`${String(params?.["at"])}:${String(params?.["text"]).length}`);
  await Promise.all([left.start(), right.start()]);
  left.post(note(1, "x".repeat(20_000_000)));
  left.post(note(2, "y"));
  while (got.length < 2) {
    const next = queue.shift();
    if (next) next();
    else await pause(5);
  }
  expect(got).toEqual(["2:1", "1:20000000"]);
  await left.close();
  await right.close();
});

verifies(
  "cluster:link",
  "a large result goes from end to end as the bytes that it came in, and only an answer that nobody waits for is parsed",
  async () => {
    const [worker, gateway] = linked((frame, deliver) => queueMicrotask(() => deliver(frame)));
    const kept: string[] = [];
    const parsed: unknown[] = [];
    gateway.keeper = {
      isWaiting: true,
      keep: ({ id, result }) => {
        if (id === 1) kept.push(result.toString());
        return id === 1;
      },
    };
    gateway.onmessage = ({ id }) => void parsed.push(id);
    await Promise.all([worker.start(), gateway.start()]);
    // Numbers that would be written otherwise if they were parsed.
    const result = `{"content":[{"type":"text","text":"${"x".repeat(300_000)}"}],"exact":1.50e1}`;
    for (const id of [1, 2])
      worker.sendText(['{"result":', Buffer.from(result), `,"jsonrpc":"2.0","id":${id}}`]);
    worker.sendText(['{"result":{},"jsonrpc":"2.0","id":3}']);
    await eventually(() => (parsed.length === 2 && kept.length === 1 ? true : undefined));
    expect(kept).toEqual([result]);
    expect(parsed).toEqual([2, 3]);
    await Promise.all([worker.close(), gateway.close()]);
  },
);

verifies(
  "cluster:unsent",
  "a request that nobody read is unsent when the link ends; one that may have arrived is not",
  async () => {
    const frames: number[] = [];
    const link = new NatsLink({ server: "s", publish: (_frame, number) => void frames.push(number) });
    await link.start();
    const ends: string[] = [];
    const ask = (id: number): void =>
      link.post(
        { jsonrpc: "2.0", id, method: "tools/call", params: {} },
        { failed: (thrown) => void ends.push(`${id} ${String((thrown as ProtocolFault).retrySafe)}`) },
      );
    link.onclose = () => void ends.push("closed");
    ask(1);
    ask(2);
    link.unread(frames[1] ?? 0);
    link.end(new ProtocolFault("transport", "its worker has ended", { server: "s" }));
    // Before the end: what is repeated must find the link closed.
    expect(ends).toEqual(["2 true", "closed"]);
  },
);

verifies(
  "cluster:unsent",
  "a draining link holds new requests, and they are unsent when it ends",
  async () => {
    const [gateway, worker] = linked((frame, deliver) => deliver(frame));
    await Promise.all([gateway.start(), worker.start()]);
    const asked: unknown[] = [];
    worker.onmessage = (message) => void asked.push(message.id);
    const ends: string[] = [];
    const ask = (id: number): void =>
      gateway.post(
        { jsonrpc: "2.0", id, method: "tools/call", params: {} },
        { failed: (thrown) => void ends.push(`${id} ${String((thrown as ProtocolFault).retrySafe)}`) },
      );
    ask(1);
    worker.drain();
    ask(2);
    worker.post({ jsonrpc: "2.0", id: 1, result: {} });
    await worker.close();
    expect(asked).toEqual([1]);
    expect(ends).toEqual(["2 true"]);
  },
);

verifies("cluster:drain", "a link is drained when its last request was cancelled", async () => {
  let drained = 0;
  const ends: NatsLink[] = [];
  const make = (other: number): NatsLink =>
    new NatsLink({
      server: "s",
      publish: (frame) => ends[other]?.take(Uint8Array.from(frame)),
      onDrained: () => void (drained += 1),
    });
  ends.push(make(1), make(0));
  const [gateway, worker] = ends as [NatsLink, NatsLink];
  await Promise.all([gateway.start(), worker.start()]);
  gateway.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
  worker.drain();
  expect(drained).toBe(0);
  gateway.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  expect(drained).toBe(0);
  gateway.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  expect(drained).toBe(1);
  await gateway.close();
});
