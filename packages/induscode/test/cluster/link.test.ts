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

/** A link whose frames go when `flush` is called, as those of a node do. */
function waiting(): {
  readonly link: NatsLink;
  readonly frames: Uint8Array[];
  readonly quiet: boolean[];
  flush(): number;
} {
  const frames: Uint8Array[] = [];
  const quiet: boolean[] = [];
  let sendWaiting = (): number => 0;
  const link = new NatsLink({
    server: "s",
    publish: (frame) => void frames.push(Uint8Array.from(frame)),
    soon: (send, isQuiet) => {
      sendWaiting = send;
      quiet.push(isQuiet);
    },
  });
  return { link, frames, quiet, flush: () => sendWaiting() };
}

verifies("cluster:link", "messages that wait together go in one frame, whole and in order", async () => {
  const { link, frames, quiet, flush } = waiting();
  const other = new NatsLink({ server: "s", publish: (frame) => link.take(Uint8Array.from(frame)) });
  const got: unknown[] = [];
  other.onmessage = ({ params }) => void got.push([params?.["at"], params?.["text"]]);
  await Promise.all([link.start(), other.start()]);
  const texts = ["", "ä€\u{1F600}", "x".repeat(1_000)];
  for (const [at, text] of texts.entries()) link.post(note(at, text));
  link.sendText([Buffer.from('{"jsonrpc":"2.0","method":"note",'), '"params":{"at":3,"text":"pieces"}}']);
  expect(frames).toEqual([]);
  expect(flush()).toBe(4);
  expect(frames).toHaveLength(1);
  for (const frame of frames.splice(0)) other.take(frame);
  expect(got).toEqual([...texts.map((text, at) => [at, text]), [3, "pieces"]]);
  // The other end has not said that it has the first frame; then it has.
  link.post(note(4));
  other.post(note(5));
  flush();
  for (const frame of frames.splice(0)) other.take(frame);
  other.post(note(6));
  link.post(note(7));
  expect(quiet).toEqual([true, false, true]);
  // Together they would be larger than a frame may be.
  for (let at = 8; at < 12; at++) link.post(note(at, "y".repeat(50_000)));
  flush();
  expect(frames.map(({ length }) => length < 140_000)).toEqual([true, true]);
  for (const frame of frames.splice(0)) other.take(frame);
  expect(got.map((each) => (each as [unknown])[0])).toEqual([0, 1, 2, 3, 4, 7, 8, 9, 10, 11]);
  await Promise.all([link.close(), other.close()]);
});

verifies("cluster:unsent", "requests in one frame, and those that wait, share its fate", async () => {
  const { link, frames, flush } = waiting();
  await link.start();
  const ends: string[] = [];
  const ask = (id: number): void =>
    link.post(
      { jsonrpc: "2.0", id, method: "tools/call", params: {} },
      { failed: (thrown) => void ends.push(`${id} ${String((thrown as ProtocolFault).retrySafe)}`) },
    );
  for (const ids of [
    [1, 2],
    [3, 4],
  ]) {
    ids.forEach(ask);
    flush();
  }
  link.unread(Buffer.from(frames[1] ?? []).readUInt32BE(1));
  ask(5);
  link.end(new ProtocolFault("transport", "its worker has ended", { server: "s" }));
  expect(ends.toSorted()).toEqual(["3 true", "4 true", "5 true"]);
  expect(flush()).toBe(0);
});

verifies("cluster:link", "what waits is sent before a link is drained or closed", async () => {
  const { link, frames } = waiting();
  await link.start();
  const kinds = (): unknown[] => frames.map((frame) => frame[0]);
  const [MESSAGES, DRAIN, END] = [0, 3, 5];
  link.post(note(1));
  link.drain();
  link.post(note(2));
  await link.close();
  expect(kinds()).toEqual([MESSAGES, DRAIN, MESSAGES, END]);
});
