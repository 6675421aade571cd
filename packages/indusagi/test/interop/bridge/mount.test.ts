import { verifies } from "@indus/testkit";
import { type BridgeOptions, mountProtocolBridge, type ServerConfig } from "indusagi/interop";
import type { ToolBoxChange } from "indusagi/runtime";
import { expect } from "vitest";
import { BLOCKS } from "../../../../../test/servers/server.mjs";
import { inProcess } from "../kit/scripted.ts";

const server = (id: string): ServerConfig => ({ kind: "stdio", id, command: "unused" });
const options = (era: "legacy" | "modern"): BridgeOptions => ({
  probeMs: 10_000,
  transport: () => inProcess({ era }),
});

async function mounted(era: "legacy" | "modern", ...ids: string[]) {
  const bridge = await mountProtocolBridge({ servers: ids.map(server) }, options(era));
  const run = (name: string, input: unknown = {}, signal?: AbortSignal) =>
    bridge.box.runner.run({ id: "c1", name, input }, signal);
  return { ...bridge, run, [Symbol.asyncDispose]: () => bridge.fleet.tearDown() };
}

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "bridge:mount",
    `${era}: tools of two servers are in one box, and calls reach the right server`,
    async () => {
      await using bridge = await mounted(era, "one", "two");
      const names = bridge.box.descriptors().map((tool) => tool.name);
      expect(names).toHaveLength(44);
      expect(names.slice(0, 2)).toEqual(["one__echo", "one__args"]);
      expect(bridge.box.descriptors()[22]).toMatchObject({
        name: "two__echo",
        origin: { server: "two", tool: "echo" },
        definition: { name: "echo" },
      });
      expect(bridge.box.descriptors()).toBe(bridge.box.descriptors());
      await bridge.run("one__echo");
      await bridge.run("one__echo");
      expect((await bridge.run("one__calls")).output).toBe("3");
      expect((await bridge.run("two__calls")).output).toBe("1");
      expect((await bridge.run("three__echo")).fault).toMatchObject({ reason: "unknown_tool" });
    },
  );

  verifies(
    "bridge:content",
    `${era}: plain text is text, every other block is kept whole and marked`,
    async () => {
      await using bridge = await mounted(era, "s");
      const { result, isError } = await bridge.run("s__blocks");
      expect(isError).toBe(false);
      expect(result.content).toEqual(
        BLOCKS.content.map((block, index) => {
          if (index < 1) return { kind: "text", text: (block as { text: string }).text };
          return index < 8 ? { kind: "json", value: block, mcp: true } : { kind: "json", value: block };
        }),
      );
      expect(result.structured).toEqual({ nested: { list: [1, 2, 3] } });
      expect(result.meta).toEqual({ "example/trace": "abc" });
      expect((await bridge.run("s__fail")).isError).toBe(true);
    },
  );

  verifies("bridge:wire", `${era}: the wire value is the server's own result`, async () => {
    await using bridge = await mounted(era, "s");
    const outcome = await bridge.run("s__blocks");
    expect(outcome.wire?.value()).toEqual(era === "modern" ? { resultType: "complete", ...BLOCKS } : BLOCKS);
    const refused = await bridge.run("s__refuse");
    expect(refused.fault).toEqual({
      kind: "tool_error",
      retrySafe: false,
      server: "s",
      rpc: { code: -32_042, message: "visit the page first", data: { url: "https://example.test/" } },
    });
    expect(refused.wire).toBeUndefined();
  });

  verifies(
    "bridge:on-change",
    `${era}: one added tool is one difference, and the others keep their descriptors`,
    async () => {
      await using bridge = await mounted(era, "s");
      const before = bridge.box.descriptors();
      const change = new Promise<ToolBoxChange>((resolve) => bridge.box.onChange(resolve));
      await bridge.run("s__change");
      const { added, changed, removed } = await change;
      expect([added.map((tool) => tool.name), changed, removed]).toEqual([["s__extra"], [], []]);
      const after = bridge.box.descriptors();
      expect(after).toHaveLength(23);
      expect(before.every((descriptor) => after.includes(descriptor))).toBe(true);
      const removal = new Promise<ToolBoxChange>((resolve) => bridge.box.onChange(resolve));
      await bridge.fleet.removeServer("s");
      expect((await removal).removed).toHaveLength(23);
      expect(bridge.box.descriptors()).toEqual([]);
    },
  );
}

verifies("bridge:mount", "an aborted call is an outcome that states whether it had started", async () => {
  await using bridge = await mounted("legacy", "s");
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 15);
  expect((await bridge.run("s__slow", { ms: 5000 }, abort.signal)).fault).toEqual({
    kind: "tool_error",
    reason: "aborted",
    retrySafe: false,
  });
  expect((await bridge.run("s__echo", {}, abort.signal)).fault).toEqual({
    kind: "tool_error",
    reason: "aborted",
    retrySafe: true,
  });
});
