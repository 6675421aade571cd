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
