import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempDir, verifies } from "@indus/testkit";
import { type ServerConfig, startServerFleet } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import { expect } from "vitest";
import { STATUS_TOOL, statusBox } from "../../src/gateway/index.ts";

const row = (id: string, rest: object): ServerConfig =>
  ({ kind: "stdio", id, command: process.execPath, ...rest }) as ServerConfig;
const names = (box: ToolBox): string[] => box.descriptors().map(({ name }) => name);
const status = (box: ToolBox): ReturnType<ToolBox["runner"]["run"]> =>
  box.runner.run({ id: "1", name: STATUS_TOOL, input: {} });

verifies(
  "screen:names",
  "the text of the status names a server shortly, the structured result whole",
  async () => {
    const server = "s".repeat(10_000);
    const fleet = await startServerFleet({ servers: [row(server, { pending: true })] });
    const { result } = await status(statusBox(fleet));
    expect(JSON.stringify(result.content).length).toBeLessThan(3_000);
    expect(result.structured).toMatchObject({ servers: [{ server }] });
    await fleet.tearDown();
  },
);

verifies(
  "serve:status",
  "which servers cannot be used, why, and the command; a disabled one is no trouble",
  async () => {
    await using dir = await tempDir();
    const servers = [
      row("off", { enabled: false }),
      row("it's new", { pending: true }),
      row("missing", { command: dir.at("no-such-program") }),
    ];
    const fleet = await startServerFleet({ servers });
    const box = statusBox(fleet, { cwd: dir.path });
    expect(names(box)).toEqual([STATUS_TOOL]);
    expect(box.descriptors()[0]?.annotations).toMatchObject({ readOnlyHint: true });
    const { result } = await status(box);
    expect(result.structured).toEqual({
      servers: [
        {
          server: "it's new",
          state: "not approved",
          reason: expect.stringContaining("is not approved"),
          command: `indus mcp trust 'it'\\''s new' --cwd ${dir.path}`,
        },
        {
          server: "missing",
          state: "down",
          reason: expect.stringContaining("no-such-program"),
          command: `indus mcp doctor missing --cwd ${dir.path}`,
        },
      ],
    });
    expect(JSON.stringify(result.content)).toContain("indus mcp doctor missing");
    // It goes with the last trouble.
    const changes: string[][] = [];
    box.onChange(() => changes.push(names(box)));
    await fleet.removeServer("it's new");
    await fleet.removeServer("missing");
    await expect.poll(() => changes).toEqual([[]]);
    expect(names(box)).toEqual([]);
    await fleet.tearDown();
  },
);

verifies(
  "serve:status",
  "a server that needs a login; a client learns only of servers that it may use",
  async () => {
    const refusing = createServer((_request, response) => response.writeHead(401).end()).listen(
      0,
      "127.0.0.1",
    );
    await once(refusing, "listening");
    const { port } = refusing.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp`;
    const fleet = await startServerFleet({ servers: [{ kind: "streamable-http", id: "team", url }] });
    const box = statusBox(fleet, { allows: (caller) => caller?.principal !== "guest" });
    const { result } = await status(box);
    expect(result.structured).toMatchObject({
      servers: [{ server: "team", state: "needs login", command: "indus mcp login team" }],
    });
    const guest = { key: "guest", principal: "guest", can: {} };
    const answer = await box.runner.run({ id: "1", name: STATUS_TOOL, input: {} }, undefined, guest);
    expect(answer.result.structured).toEqual({ servers: [] });
    expect(["team", "other"].map((id) => box.concerns((server) => server === id))).toEqual([true, false]);
    // Another server needs attention: the tool was there before, and some clients get it only now.
    let changes = 0;
    box.onConcern(() => (changes += 1));
    await fleet.addServer({ kind: "streamable-http", id: "other", url: `${url}/other` });
    await expect.poll(() => box.concerns((server) => server === "other")).toBe(true);
    await expect.poll(() => changes).toBe(1);
    await fleet.tearDown();
    refusing.close();
  },
);

verifies("serve:status", "a restart counts after its time of grace only", async () => {
  // It ends at once, and is restarted again and again.
  const fleet = await startServerFleet(
    { servers: [row("dies", { args: ["-e", ""] })] },
    { supervision: { firstDelayMs: 60_000, maxDelayMs: 60_000 } },
  );
  const patient = statusBox(fleet, { graceMs: 60_000 });
  const strict = statusBox(fleet, { graceMs: 10 });
  await expect.poll(() => names(strict)).toEqual([STATUS_TOOL]);
  expect(fleet.status().get("dies")?.state).toBe("restarting");
  expect(names(patient)).toEqual([]);
  await fleet.tearDown();
});
