import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually } from "./run-indus.ts";
import { connectScripted, gatedFleet, mountedNames, patience } from "./scripted-client.ts";

const COUNT = 10;
/** Against a hang only. */
const TIMEOUT_MS = 120_000;

verifies(
  "catalogue:codex",
  "a client that waits 1 s and follows no changes sees all tools of ten servers on its second start",
  async () => {
    await using dir = await tempDir();
    const { file, names, options, open, close } = await gatedFleet(dir, COUNT);
    {
      using first = await connectScripted("codex-mcp-client", ["--mcp", file], options);
      const list = first.request("tools/list");
      expect(await first.result(list, await patience(1_000))).toBeUndefined(); // It gives up; its session goes on.
      await open();
      expect(mountedNames(await first.result(list))).toEqual(names);
      first.indus.child.stdin.end();
      expect(await first.indus.ended).toBe(0);
    }
    await close(); // No server can be ready, so that the tools can come from the last run alone.
    using second = await connectScripted("codex-mcp-client", ["--mcp", file], options);
    const list = second.request("tools/list");
    expect(mountedNames(await second.result(list, await patience(1_000)))).toEqual(names);
    const call = second.request("tools/call", { name: "s3__t1", arguments: {} });
    expect(await second.result(call, 300)).toBeUndefined(); // The call waits for its server.
    await open();
    expect(await second.result(call)).toMatchObject({ content: [{ text: "called t1" }] });
    expect(second.messages().filter(({ method }) => method !== undefined)).toEqual([]);
  },
  { timeoutMs: TIMEOUT_MS },
);

verifies(
  "catalogue:claude",
  "a client that follows list_changed sees all tools of ten servers on its first start",
  async () => {
    await using dir = await tempDir();
    const { file, names, options, open } = await gatedFleet(dir, COUNT);
    using client = await connectScripted("claude-code", ["--mcp", file], options);
    const early = await client.result(client.request("tools/list"));
    expect(mountedNames(early)).toEqual([]); // It did not wait for 20 s.
    const startMs = performance.now();
    await open();
    let followed = 0;
    const latest = await eventually(async () => {
      const changes = client.messages().filter(({ method }) => method === "notifications/tools/list_changed");
      if (changes.length === followed) return undefined;
      followed = changes.length;
      const listed = mountedNames(await client.result(client.request("tools/list")));
      return listed?.length === names.length ? listed : undefined;
    }, 30_000);
    expect(latest).toEqual(names);
    expect(followed).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startMs) / 2_000));
  },
  { timeoutMs: TIMEOUT_MS },
);
