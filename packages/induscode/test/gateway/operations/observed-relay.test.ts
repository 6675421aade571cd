import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { ProtocolFault, type Relay } from "indusagi/interop";
import { expect } from "vitest";
import { observedRelay } from "../../../src/gateway/index.ts";
import type { CallRecord } from "../../../src/gateway/operations/audit/index.ts";
import { uriShape } from "../../../src/gateway/operations/observed-relay.ts";

verifies("audit:record", "of a URI only its scheme and its length are recorded", () => {
  expect(["note://a/b?key=x", "urn:isbn:1", "/etc/passwd", "", "no scheme: x"].map(uriShape)).toEqual([
    "note:(16)",
    "urn:(10)",
    "(11)",
    "(0)",
    "(12)",
  ]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(uriShape(`x:${text}`)).toBe(`x:(${text.length + 2})`);
      expect(uriShape(text)).toMatch(/^([A-Za-z][A-Za-z0-9+.-]{0,31}:)?\(\d+\)$/);
    }),
  );
});

verifies("audit:record", "each way in which a request to a server ends has its outcome", async () => {
  const faults: { readonly [outcome: string]: unknown } = {
    error: new ProtocolFault("protocol", "no", { server: "s", rpc: { code: -32_602, message: "no" } }),
    refused: new ProtocolFault("protocol", "no", { server: "s", reason: "policy" }),
    unknown: new ProtocolFault("protocol", "no", { server: "s", reason: "unsupported" }),
    timeout: new ProtocolFault("timeout", "no", { server: "s" }),
    failed: new ProtocolFault("transport", "no", { server: "s" }),
  };
  const records: CallRecord[] = [];
  let next: () => Promise<object> = async () => ({ contents: [] });
  const read = { readResource: () => next() } as unknown as Relay;
  const relay = observedRelay(read, (record) => void records.push(record));
  const answer = await next();
  next = async () => answer;
  // What the server answers is passed on as it is, and so is a failure.
  expect(await relay.readResource("s", "x://1")).toBe(answer);
  for (const thrown of [...Object.values(faults), new Error("no")]) {
    next = () => Promise.reject(thrown as Error);
    await expect(relay.readResource("s", "x://1")).rejects.toBe(thrown);
  }
  const signal = AbortSignal.abort();
  await expect(relay.readResource("s", "x://1", { signal })).rejects.toThrow("no");
  expect(records.map(({ outcome }) => outcome)).toEqual([
    "ok",
    ...Object.keys(faults),
    "failed",
    "cancelled",
  ]);
  expect(records.map(({ session, server, resource }) => [session, server, resource])).toEqual(
    records.map(() => ["local", "s", "x:(5)"]),
  );
});
