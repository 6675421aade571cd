import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { verifies } from "@indus/testkit";
import type { RpcMessage } from "indusagi/interop";
import { expect } from "vitest";
import { StdioWire } from "../../../src/interop/wire/index.ts";

const MIB = 1024 * 1024;

/** Bytes this process still holds after garbage collection. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

verifies("stdio-host:slices", "a message of 1 MiB in slices of 1 byte holds less than 8 MiB", async () => {
  const received: RpcMessage[] = [];
  const input = new Readable({ read: () => {} });
  const wire = new StdioWire({ input, write: (_text, done) => done(), frameBytes: 2 * MIB });
  wire.onmessage = (message) => void received.push(message);
  await wire.start();
  const sent = { jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(MIB) } } as const;
  const bytes = Buffer.from(`${JSON.stringify(sent)}\n`);

  const before = heldBytes();
  const end = bytes.length - 1;
  for (let at = 0; at < end; at += 1) input.emit("data", Buffer.from(bytes.subarray(at, at + 1)));
  const held = heldBytes() - before;
  expect(received).toEqual([]);
  input.emit("data", bytes.subarray(end));

  expect(held).toBeLessThan(8 * MIB);
  expect(received).toEqual([sent]);
});

verifies(
  "stdio:oversized",
  "a host answers a request over its limit with an error, and goes on",
  async () => {
    const received: RpcMessage[] = [];
    const written: string[] = [];
    const problems: string[] = [];
    const input = new Readable({ read: () => {} });
    const write = (text: string | Uint8Array, done: () => void): void => (written.push(String(text)), done());
    const wire = new StdioWire({ input, write, frameBytes: 1000 });
    wire.onmessage = (message) => void received.push(message);
    wire.onerror = (error) => void problems.push(error.message);
    await wire.start();
    const big = JSON.stringify("x".repeat(1000));
    const dropped = [
      `{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"a":${big}},"id":"seven","b":${big}}`,
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"a":${big}}}`,
      `{"jsonrpc":"2.0","id":8,"result":{"a":${big}}}`,
    ];
    for (const line of [...dropped, '{"jsonrpc":"2.0","method":"after"}'])
      input.emit("data", Buffer.from(`${line}\n`));
    await wire.close();
    expect(problems).toEqual(
      dropped.map((line) => `dropped a message of ${line.length} bytes: the limit is 1000`),
    );
    expect(written.map((text) => JSON.parse(text) as RpcMessage)).toEqual([
      {
        jsonrpc: "2.0",
        id: "seven",
        error: { code: -32_600, message: `Invalid Request: ${problems[0]}` },
      },
    ]);
    expect(received).toEqual([{ jsonrpc: "2.0", method: "after" }]);
  },
);
