import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import {
  listServer,
  mountProtocolBridge,
  type ServerListing,
  type StdioServerConfig,
  type ToolDefinition,
} from "indusagi/interop";
import { expect } from "vitest";

const script = fileURLToPath(new URL("../../../../../test/servers/gated.mjs", import.meta.url));

/** A server that appends its process id to a file when it starts. */
function counted(id: string, starts: string): StdioServerConfig {
  const note = `process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(starts)}, process.pid + "\\n")`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(note)}`, script];
  return { kind: "stdio", id, command: process.execPath, args };
}

const startsIn = async (file: string): Promise<number> =>
  (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean).length;
const t0: ToolDefinition = { name: "t0", inputSchema: { type: "object" } };
const call = { id: "1", input: {} };
const SLOW = { timeout: 30_000 };

verifies(
  "lazy:fleet",
  "a lazy row starts with its first call and stops when it is idle; the others start as usual",
  async () => {
    await using dir = await tempDir();
    const lazy = { ...counted("lazy", dir.at("lazy")), lazy: true, idleMs: 100 };
    const { box, fleet } = await mountProtocolBridge(
      { servers: [lazy, counted("eager", dir.at("eager"))] },
      { catalogueSeed: new Map([["lazy", [t0]]]) },
    );
    expect(box.descriptors().map(({ name }) => name)).toEqual(["lazy__t0", "eager__t0"]);
    expect([await startsIn(dir.at("lazy")), await startsIn(dir.at("eager"))]).toEqual([0, 1]);
    expect(fleet.status().get("lazy")?.state).toBe("dormant");
    for (const started of [1, 2]) {
      expect(await box.runner.run({ ...call, name: "lazy__t0" })).toMatchObject({ output: "called t0" });
      expect(await startsIn(dir.at("lazy"))).toBe(started);
      await expect.poll(() => fleet.status().get("lazy")?.state, SLOW).toBe("dormant");
    }
    expect(fleet.status().get("eager")?.phase).toBe("ready");
    await fleet.tearDown();
  },
);

verifies(
  "lazy:fleet",
  "`lazy: false` wins over a fleet that is lazy, and a lazy row has an idle time of its own",
  async () => {
    await using dir = await tempDir();
    const { fleet } = await mountProtocolBridge(
      { servers: [{ ...counted("s", dir.at("s")), lazy: false }] },
      { catalogueSeed: new Map([["s", [t0]]]), supervision: { lazy: true } },
    );
    expect(fleet.status().get("s")?.phase).toBe("ready");
    await fleet.tearDown();
  },
);

verifies(
  "lazy:fleet",
  "a server that was never listed is stopped when everything it has is known",
  async () => {
    await using dir = await tempDir();
    const listings: ServerListing[] = [];
    const { box, fleet } = await mountProtocolBridge(
      { servers: [{ ...counted("s", dir.at("s")), lazy: true, idleMs: 20 }] },
      {
        // Longer than the idle time.
        onListed: async (endpoint) => {
          await pause(150);
          listings.push(await listServer(endpoint));
        },
      },
    );
    expect(fleet.status().get("s")?.state).toBe("dormant");
    expect(box.descriptors()).toHaveLength(1);
    expect(listings).toEqual([
      expect.objectContaining({
        prompts: [{ name: "greet" }],
        resources: expect.arrayContaining([{ uri: "test://b", name: "b" }]) as unknown,
      }),
    ]);
    expect(await startsIn(dir.at("s"))).toBe(1);
    await fleet.tearDown();
  },
);
