import { readdir } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, scriptedRow, writeConfig } from "./run-indus.ts";
import { connectScripted } from "./scripted-client.ts";

verifies(
  "serve:two",
  "two gateways of one folder list and call at the same time, each with a ledger of its own",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { s: scriptedRow() });
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state") } };
    const clients = await Promise.all([
      connectScripted("one", ["--mcp", file, "--profile", "full"], options),
      connectScripted("two", ["--mcp", file], options),
    ]);
    try {
      const listed = await Promise.all(
        clients.map(async (client) =>
          (await client.result(client.request("tools/list")))?.tools?.map(({ name }) => name),
        ),
      );
      for (const names of listed) expect(names).toContain("s__echo");
      // The profile of one is not that of the other.
      expect(listed.map((names) => names?.includes("write"))).toEqual([true, false]);
      const ids = clients.map((client, index) =>
        client.request("tools/call", { name: "s__echo", arguments: { text: `to ${index}` } }),
      );
      for (const [index, client] of clients.entries())
        expect(await client.result(ids[index] ?? 0)).toMatchObject({ content: [{ text: `to ${index}` }] });
      // This client cannot be asked.
      const [full] = clients;
      const write = { name: "write", arguments: { path: "x", content: "" } };
      const refused = await full?.result(full.request("tools/call", write));
      expect(JSON.stringify(refused)).toMatch(/write was refused.*default mode.*--allow/);
      const [workspace = ""] = await readdir(dir.at("state", "indusvx"));
      const segments = async (): Promise<string[]> =>
        (await readdir(dir.at("state", "indusvx", workspace, "ledger"))).filter((name) =>
          name.endsWith(".log"),
        );
      await eventually(async () => ((await segments()).length === 2 ? true : undefined));
    } finally {
      for (const client of clients) client[Symbol.dispose]();
    }
  },
  { timeoutMs: 60_000 },
);
