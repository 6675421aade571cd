import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { tempDir, verifies } from "@indus/testkit";
import { type InvokeResult, mountProtocolBridge, type ServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { hostPair } from "../host-pair.ts";

function publicServer(id: string, name: string, args: readonly string[] = [], env = {}): ServerConfig {
  const entry = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  return { kind: "stdio", id, command: process.execPath, args: [entry, ...args], env };
}

/** Calls with the same answer each time. */
const CALLS: readonly (readonly [server: string, tool: string, args: object])[] = [
  ["everything", "echo", { message: "twice" }],
  ["everything", "get-sum", { a: 2, b: 3 }],
  ["everything", "get-tiny-image", {}],
  ["everything", "get-annotated-message", { messageType: "error", includeImage: true }],
  ["everything", "get-structured-content", { location: "Chicago" }],
  ["everything", "get-resource-links", { count: 3 }],
  ["everything", "get-resource-reference", { resourceType: "Blob", resourceId: 2 }],
  ["fs", "list_allowed_directories", {}],
  ["fs", "read_text_file", { path: "/nowhere" }],
  ["memory", "read_graph", {}],
  ["think", "sequentialthinking", { thought: "", nextThoughtNeeded: "no" }],
];

/** Removes what the modern era adds to each result. */
function withoutEra(result: InvokeResult | undefined): unknown {
  const { "io.modelcontextprotocol/serverInfo": _, ...meta } = result?.meta ?? {};
  return { content: result?.content, isError: result?.isError, structured: result?.structuredContent, meta };
}

for (const era of ["legacy", "modern"] as const) {
  verifies(
    "host:republish",
    `${era}: definitions and results of four public servers come through unchanged`,
    async () => {
      await using dir = await tempDir();
      const { box, fleet } = await mountProtocolBridge({
        servers: [
          publicServer("everything", "server-everything"),
          publicServer("fs", "server-filesystem", [dir.path]),
          publicServer("memory", "server-memory", [], { MEMORY_FILE_PATH: dir.at("memory.json") }),
          publicServer("think", "server-sequential-thinking"),
        ],
      });
      try {
        await using pair = await hostPair(era, box);
        const names = new Map(
          box.descriptors().map(({ name, origin }) => [`${origin?.server} ${origin?.tool}`, name]),
        );
        const theirs: unknown[] = [];
        for (const endpoint of fleet.endpoints()) {
          const { tools } = (await endpoint.session().request("tools/list", {})) as {
            tools: { name: string; execution?: unknown }[];
          };
          for (const { execution, ...tool } of tools)
            theirs.push({
              ...tool,
              // The modern era has no such member.
              ...(execution === undefined || era === "modern" ? {} : { execution }),
              name: names.get(`${endpoint.config.id} ${tool.name}`),
            });
        }
        const { tools } = (await pair.endpoint.session().request("tools/list", {})) as { tools: unknown[] };
        expect(tools.length).toBeGreaterThan(35);
        expect(tools).toEqual(theirs);

        for (const [server, tool, args] of CALLS) {
          const direct = (): Promise<InvokeResult> | undefined => fleet.endpoint(server)?.invoke(tool, args);
          const through = (): Promise<InvokeResult> =>
            pair.endpoint.invoke(names.get(`${server} ${tool}`) ?? "", args);
          // Some answers contain the time: if two direct calls agree, the call between them must agree too.
          let answers = [await direct(), await through(), await direct()].map(withoutEra);
          while (!isDeepStrictEqual(answers[0], answers[2]))
            answers = [await direct(), await through(), await direct()].map(withoutEra);
          expect(answers[1], tool).toEqual(answers[0]);
        }
      } finally {
        await fleet.tearDown();
      }
    },
    { timeoutMs: 60_000 },
  );
}
