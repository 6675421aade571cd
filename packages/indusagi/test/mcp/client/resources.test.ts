import { verifies } from "@indus/testkit";
import { createProviderHost, serveHttp } from "indusagi/interop";
import { MCPClient, type MCPClientOptions } from "indusagi/mcp";
import { expect } from "vitest";
import { TalkingBox } from "../../interop/host/talking-box.ts";
import { hostOptions, scriptedOptions } from "../kit/in-process.ts";
import { legacyOnly } from "../kit/legacy-only.ts";
import { Shelf } from "../kit/shelf.ts";

const ERAS: { readonly [era: string]: (shelf: Shelf) => MCPClientOptions } = {
  modern: (shelf) => hostOptions("host", new TalkingBox(), shelf),
  legacy: (shelf) => legacyOnly(hostOptions("host", new TalkingBox(), shelf)),
};

for (const [era, options] of Object.entries(ERAS)) {
  verifies(
    "mcp-client:resources",
    `${era}: resources, prompts and completions are listed and read`,
    async () => {
      await using client = new MCPClient(options(new Shelf()));
      expect((await client.connect()).protocolVersion).toBe(era === "modern" ? "2026-07-28" : "2025-11-25");
      expect(await client.listResources()).toMatchObject([{ uri: "test://a" }, { uri: "test://b" }]);
      expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: "test://{id}" }]);
      expect(await client.readResource("test://a")).toEqual({ contents: [{ uri: "test://a", text: "A" }] });
      expect(await client.listPrompts()).toMatchObject([{ name: "greet" }]);
      expect(await client.getPrompt("greet", { how: "hello" })).toEqual({
        description: "A greeting.",
        messages: [{ role: "user", content: { type: "text", text: "hello!" } }],
      });
      const completed = await client.complete({
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "how", value: "hel" },
      });
      expect(completed).toEqual({ values: ["hello"], hasMore: false, total: 1 });
      expect(client.state).toMatchObject({ resources: [{ name: "a" }, { name: "b" }], prompts: [{}] });
      await expect(client.readResource("test://none")).rejects.toMatchObject({
        code: "RESOURCE_NOT_FOUND",
        serverName: "host",
        message: expect.stringContaining("test://none"),
      });
      await expect(client.getPrompt("scold")).rejects.toMatchObject({
        code: "PROMPT_NOT_FOUND",
        message: 'there is no prompt "scold" on server "host"; listPrompts() returns the existing ones',
      });
    },
  );

  verifies(
    "mcp-client:notices",
    `${era}: updates of watched resources and changed lists reach the handlers`,
    async () => {
      const shelf = new Shelf();
      const box = new TalkingBox();
      await using client = new MCPClient(
        era === "modern" ? hostOptions("host", box, shelf) : legacyOnly(hostOptions("host", box, shelf)),
      );
      const events: string[] = [];
      client.setResourceUpdatedHandler(({ uri, serverName }) => void events.push(`${serverName} ${uri}`));
      client.setResourceListChangedHandler(() => void events.push("resources"));
      client.setPromptListChangedHandler(() => void events.push("prompts"));
      client.setToolListChangedHandler(() => {
        events.push("tools");
        throw new Error("a handler's own trouble");
      });
      await client.connect();
      const before = (await client.listTools()).length;
      await client.subscribeResource("test://a");
      await client.subscribeResource("test://b");
      await client.unsubscribeResource("test://b");
      shelf.update("test://b");
      shelf.update("test://a");
      shelf.changeLists();
      box.add("late");
      await expect
        .poll(() => events.toSorted(), { timeout: 5000 })
        .toEqual(["host test://a", "prompts", "resources", "tools"]);
      expect(await client.listTools()).toHaveLength(before + 1);
      await client.unsubscribeResource("test://a");
      shelf.update("test://a");
      await client.callTool("echo");
      expect(events).toHaveLength(4);
    },
  );

  verifies(
    "mcp-client:notices",
    `${era}: a changed list of tools is reported once, when listTools returns it`,
    async () => {
      const box = new TalkingBox();
      await using client = new MCPClient(
        era === "modern" ? hostOptions("host", box) : legacyOnly(hostOptions("host", box)),
      );
      const lists: Promise<readonly { readonly name: string }[]>[] = [];
      client.setToolListChangedHandler(() => void lists.push(client.listTools()));
      await client.connect();
      await client.callTool("echo"); // The tools have been listed by the end of it.
      box.add("late");
      await expect.poll(() => lists.length, { timeout: 5000 }).toBe(1);
      expect((await lists[0])?.map(({ name }) => name)).toContain("late");
      await client.callTool("echo");
      expect(lists).toHaveLength(1);
    },
  );

  verifies(
    "mcp-client:notices",
    `${era}: log messages of the server reach the logger, unless they are disabled`,
    async () => {
      const events: unknown[] = [];
      const logger = (message: unknown): void => void events.push(message);
      await using client = new MCPClient({ ...options(new Shelf()), logger });
      await client.connect();
      await client.callTool("logs");
      await expect.poll(() => events.length).toBe(1);
      expect(events[0]).toEqual({
        level: "warning",
        message: "careful",
        logger: "talking",
        details: "careful",
        serverName: "host",
        timestamp: expect.any(Date),
      });
      await client.setLoggingLevel("error");
      await client.callTool("logs");
      await using deaf = new MCPClient({ ...options(new Shelf()), logger, enableServerLogs: false });
      await deaf.connect();
      await deaf.callTool("logs");
      expect(events).toHaveLength(1);
      client.setLogHandler(undefined);
    },
  );

  verifies("mcp-client:notices", `${era}: the log level is kept after connecting again`, async () => {
    const events: unknown[] = [];
    const logger = (message: unknown): void => void events.push(message);
    await using client = new MCPClient({ ...options(new Shelf()), logger });
    await client.connect();
    await client.setLoggingLevel("error");
    await client.disconnect();
    await client.connect();
    await client.callTool("logs");
    expect(events).toEqual([]);
    await client.setLoggingLevel("warning");
    await client.disconnect();
    await client.connect();
    await client.callTool("logs");
    await expect.poll(() => events).toMatchObject([{ level: "warning", message: "careful" }]);
  });
}

verifies("mcp-client:notices", "a refused log level is not requested again", async () => {
  const events: unknown[] = [];
  const options = {
    ...scriptedOptions("s", { era: "legacy" }),
    logger: (message: unknown) => void events.push(message),
  };
  await using client = new MCPClient(options);
  await client.connect();
  await expect(client.setLoggingLevel("error")).rejects.toThrow("Method not found");
  await client.disconnect();
  await client.connect();
  await client.callTool("echo");
  expect(events).toEqual([]);
});

verifies("mcp-client:notices", "over HTTP in the modern era updates arrive on their own stream", async () => {
  const shelf = new Shelf();
  const listener = await serveHttp(createProviderHost(new TalkingBox(), undefined, shelf), { port: 0 });
  await using client = new MCPClient({ name: "h", config: { url: listener.url } });
  const events: string[] = [];
  client.setResourceUpdatedHandler(({ uri }) => void events.push(uri));
  expect((await client.connect()).protocolVersion).toBe("2026-07-28");
  await client.subscribeResource("test://a");
  await client.subscribeResource("test://b");
  shelf.update("test://a");
  await expect.poll(() => events, { timeout: 5000 }).toEqual(["test://a"]);
  await client.unsubscribeResource("test://a");
  shelf.update("test://a");
  shelf.update("test://b");
  await expect.poll(() => events, { timeout: 5000 }).toEqual(["test://a", "test://b"]);
  await client.disconnect();
  await listener.close();
});
