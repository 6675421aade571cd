import { verifies } from "@indus/testkit";
import { createServerEndpoint, mountProtocolBridge } from "indusagi/interop";
import type { Caller } from "indusagi/runtime";
import { expect } from "vitest";
import { scripted } from "../kit/scripted.ts";

const BYTES = 300_000;
const caller: Caller = { key: "client", can: {} };

verifies(
  "endpoint:bytes",
  "a large result has its bytes and the same values; a small one is only parsed",
  async () => {
    const { box, fleet } = await mountProtocolBridge({ servers: [scripted("s", "--era", "legacy")] });
    try {
      const run = (bytes: number) =>
        box.runner.run({ id: "7", name: "s__huge", input: { bytes } }, undefined, caller);
      const small = await run(10);
      expect(small.wire?.bytes).toBeUndefined();
      for (const bytes of [BYTES, 3_000_000]) {
        const { wire, ...outcome } = await run(bytes);
        const text = "x".repeat(bytes);
        const value = { content: [{ type: "text", text }] };
        expect(Buffer.from(wire?.bytes?.() ?? []).toString()).toBe(JSON.stringify(value));
        expect(wire?.outline).toEqual({
          members: new Set(["content"]),
          blockMembers: new Set(["type", "text"]),
          blockTypes: new Set(["text"]),
        });
        expect(wire?.value()).toEqual(value);
        expect(outcome).toEqual({
          id: "7",
          isError: false,
          output: text,
          result: { content: [{ kind: "text", text }] },
        });
      }
      const own = await box.runner.run({ id: "8", name: "s__huge", input: { bytes: BYTES } });
      expect(own.wire?.bytes).toBeUndefined();
      // The memory of one result is not used for the next.
      const [first, second] = await Promise.all([run(BYTES), run(BYTES + 1)]);
      expect([first.wire?.bytes?.().length, second.wire?.bytes?.().length]).toEqual([BYTES + 39, BYTES + 40]);
      expect(String(first.output).length).toBe(BYTES);
    } finally {
      await fleet.tearDown();
    }
  },
);

verifies(
  "endpoint:bytes",
  "a large answer to another request is parsed as usual, also while a call waits",
  async () => {
    const endpoint = createServerEndpoint(scripted("s", "--era", "legacy", "--many", "2000"));
    await endpoint.open();
    try {
      const [tools, raw] = await Promise.all([
        endpoint.listTools(),
        endpoint.session().request("tools/call", { name: "huge", arguments: { bytes: BYTES } }),
        endpoint.invoke("slow", { ms: 300, quiet: true }, { caller }),
      ]);
      expect(tools.length).toBeGreaterThan(2_000);
      expect(raw).toEqual({ content: [{ type: "text", text: "x".repeat(BYTES) }] });
      const { content, raw: whole, isError } = await endpoint.invoke("huge", { bytes: BYTES }, { caller });
      expect({ isError, content, whole }).toEqual({ isError: false, content: whole["content"], whole: raw });
    } finally {
      await endpoint.close();
    }
  },
);
