import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { App } from "@modelcontextprotocol/ext-apps";
import {
  AppBridge,
  buildAllowAttribute,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { expect } from "vitest";
import { serveIn } from "./serve-in.ts";

const script = fileURLToPath(new URL("../../../../../test/servers/apps.mjs", import.meta.url));
const PAGE = "ui://clock/view.html";
const DECLARES = {
  capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
};
const ERAS = { legacy: {}, modern: { versionNegotiation: { mode: { pin: "2026-07-28" } } } } as const;
const CONTENT = {
  uri: PAGE,
  mimeType: RESOURCE_MIME_TYPE,
  text: "<h1>Clock</h1>",
  _meta: {
    ui: { csp: { connectDomains: ["https://time.example.test"] }, permissions: { clipboardWrite: {} } },
  },
};

for (const serverEra of ["legacy", "modern"] as const)
  verifies(
    "apps:official",
    `the official library for apps finds, reads and runs an app behind the gateway: ${serverEra} server`,
    async () => {
      await using dir = await tempDir();
      const row = { kind: "stdio", id: "c", command: process.execPath, args: [script, serverEra] } as const;
      await using served = await serveIn(dir, { profile: "none" }, [row]);
      const client = async (era: keyof typeof ERAS, path: string, declares: object): Promise<Client> => {
        const made = new Client({ name: "host", version: "1.0.0" }, { ...ERAS[era], ...declares });
        await made.connect(new StreamableHTTPClientTransport(new URL(`${served.url}${path}`)));
        return made;
      };
      // On the first start of all, extensions are known when the server has started.
      const first = await client("legacy", "", {});
      await first.listTools();
      await first.close();
      for (const era of ["legacy", "modern"] as const)
        for (const [path, prefix] of [
          ["", "c__"],
          ["/c", ""],
        ] as const) {
          const host = await client(era, path, DECLARES);
          expect(host.getServerCapabilities()?.extensions).toMatchObject({
            "io.modelcontextprotocol/ui": {},
          });
          const { tools } = await host.listTools();
          const shown = tools.map((tool) => [
            tool.name,
            getToolUiResourceUri(tool),
            isToolVisibilityAppOnly(tool),
          ]);
          expect(shown).toEqual([
            [`${prefix}clock`, PAGE, false],
            [`${prefix}set`, PAGE, true],
          ]);
          const { resources } = await host.listResources();
          expect(resources.filter(({ uri }) => uri === PAGE)).toMatchObject([
            { name: "Clock", mimeType: RESOURCE_MIME_TYPE },
          ]);
          const { contents } = await host.readResource({ uri: PAGE });
          expect(contents).toEqual([CONTENT]);
          const { permissions } = (contents[0]?._meta?.["ui"] ?? {}) as (typeof CONTENT)["_meta"]["ui"];
          expect(buildAllowAttribute(permissions)).toBe("clipboard-write");
          const called = await host.callTool({ name: `${prefix}clock`, arguments: {} });
          expect(called.content).toEqual([{ type: "text", text: `a page: ${RESOURCE_MIME_TYPE}` }]);
          await useAsView(host, `${prefix}set`);
          await host.close();
          // A client that shows no pages does not learn of tools for pages, except on the route that shows a server as it is.
          const plain = await client(era, path, {});
          const listed = (await plain.listTools()).tools.map(({ name }) => name);
          expect(listed).toEqual(path === "" ? ["c__clock"] : ["clock", "set"]);
          const answered = await plain.callTool({ name: `${prefix}clock`, arguments: {} });
          // A legacy server has one connection for all clients, and was told that some show pages.
          const text = serverEra === "modern" ? "12:00" : `a page: ${RESOURCE_MIME_TYPE}`;
          expect(answered.content).toEqual([{ type: "text", text }]);
          await plain.close();
        }
    },
    { timeoutMs: 60_000 },
  );

/** The view of the app, on the other side of the host's bridge: it reads its page and calls its tool through both. */
async function useAsView(host: Client, tool: string): Promise<void> {
  const [ofHost, ofView] = InMemoryTransport.createLinkedPair();
  const bridge = new AppBridge(
    host,
    { name: "host", version: "1.0.0" },
    { serverTools: {}, serverResources: {} },
  );
  const app = new App({ name: "clock", version: "1.0.0" }, {}, { autoResize: false });
  await Promise.all([bridge.connect(ofHost), app.connect(ofView)]);
  expect((await app.readServerResource({ uri: PAGE })).contents).toEqual([CONTENT]);
  const { content } = await app.callServerTool({ name: tool, arguments: { time: "13:37" } });
  expect(content).toEqual([{ type: "text", text: "set to 13:37" }]);
  await app.close();
  await bridge.close();
}
