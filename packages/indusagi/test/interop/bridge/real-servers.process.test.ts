import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";

function publicServer(
  id: string,
  name: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): ServerConfig {
  const entry = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  return { kind: "stdio", id, command: process.execPath, args: [entry, ...args], env };
}

verifies(
  "bridge:real-servers",
  "three public servers and a broken one are one box",
  async () => {
    await using dir = await tempDir();
    await writeFile(dir.at("note.txt"), "hello from a file");
    const { box, fleet } = await mountProtocolBridge({
      servers: [
        publicServer("fs", "server-filesystem", [dir.path]),
        { kind: "stdio", id: "broken", command: process.execPath, args: ["-e", "process.exit(9)"] },
        publicServer("memory", "server-memory", [], { MEMORY_FILE_PATH: dir.at("memory.json") }),
        publicServer("think", "server-sequential-thinking"),
      ],
    });
    try {
      const status = [...fleet.status()].map(([id, { phase, toolCount }]) => `${id} ${phase} ${toolCount}`);
      expect(status).toEqual(["fs ready 14", "broken faulted 0", "memory ready 9", "think ready 1"]);
      const run = (name: string, input: object) => box.runner.run({ id: name, name, input });
      expect(
        JSON.stringify((await run("fs__read_text_file", { path: dir.at("note.txt") })).output),
      ).toContain("hello from a file");
      const entities = [{ name: "Ada", entityType: "person", observations: ["writes notes"] }];
      expect((await run("memory__create_entities", { entities })).isError).toBe(false);
      expect(JSON.stringify((await run("memory__search_nodes", { query: "Ada" })).output)).toContain(
        "writes notes",
      );
      const thought = { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
      expect((await run("think__sequentialthinking", thought)).isError).toBe(false);
      expect((await run("fs__read_text_file", { path: "/etc/hosts" })).isError).toBe(true);
    } finally {
      await fleet.tearDown();
    }
  },
  { timeoutMs: 40_000 },
);
