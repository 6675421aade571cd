import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { createServerEndpoint, type SessionNotification } from "indusagi/interop";
import { expect } from "vitest";
import { indusBin } from "./run-indus.ts";

const script = fileURLToPath(new URL("../../../../test/servers/live.mjs", import.meta.url));

verifies(
  "serve:only-client",
  "over stdio the client answers questions outside of calls, and gets log messages and updates",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("mcp.json");
    const row = { command: process.execPath, args: [script, "--name", "up", "--roots-at-start"] };
    await writeFile(file, JSON.stringify({ mcpServers: { up: row } }));
    const roots = { roots: [{ uri: "file:///home", name: "home" }] };
    const client = createServerEndpoint(
      {
        kind: "stdio",
        id: "indus",
        command: process.execPath,
        args: [indusBin, "serve", "--stdio", "--mcp", file],
        env: { XDG_STATE_HOME: dir.at("state"), XDG_CONFIG_HOME: dir.at("config") },
      },
      undefined,
      {
        eras: { recall: () => "legacy", remember: () => {} },
        answers: { can: { roots: true }, ask: async () => ({ question: roots }) },
      },
    );
    await client.open();
    try {
      const session = client.session();
      const heard: SessionNotification[] = [];
      session.onNotification((notification) => void heard.push(notification));
      const told = (method: string): readonly SessionNotification[] =>
        heard.filter((each) => each.method === method);
      const call = async (name: string, args = {}): Promise<string> =>
        ((await client.invoke(`up__${name}`, args)).content as { text: string }[])[0]?.text ?? "";
      const seen = async (): Promise<object> => JSON.parse(await call("seen")) as object;
      await session.request("tools/list");
      // Asked at its start, and again after the roots have changed.
      await expect.poll(seen, { timeout: 20_000 }).toMatchObject({ answers: [roots], rootsChanged: 0 });
      await session.notify("notifications/roots/list_changed");
      await expect
        .poll(seen, { timeout: 20_000 })
        .toMatchObject({ answers: [roots, roots], rootsChanged: 1 });
      await session.request("resources/subscribe", { uri: "live://clock" });
      await call("update", { uri: "live://clock" });
      await expect.poll(() => told("notifications/resources/updated").length, { timeout: 20_000 }).toBe(1);
      await call("log_later", { data: "later" });
      await expect
        .poll(() => told("notifications/message").at(-1)?.params, { timeout: 20_000 })
        .toMatchObject({
          data: "later",
        });
    } finally {
      await client.close();
    }
  },
  { timeoutMs: 90_000 },
);
