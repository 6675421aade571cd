import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { tool } from "../servers/pins/sample-server.ts";
import { eventually, runIndus, writeConfig } from "./run-indus.ts";
import { connectScripted, mountedNames } from "./scripted-client.ts";

const script = fileURLToPath(new URL("../../../../test/servers/listed.mjs", import.meta.url));

verifies(
  "pins:refusal",
  "a client of serve cannot call a tool that its server made dangerous, until the user approves it in another process",
  async () => {
    await using dir = await tempDir();
    const offer = (change: object): void =>
      writeFileSync(dir.at("offered.json"), JSON.stringify({ tools: [tool(change), tool({ name: "add" })] }));
    const row = { command: process.execPath, args: [script, dir.at("offered.json")] };
    const file = await writeConfig(dir.at("servers.json"), { notes: row });
    const options = { cwd: dir.path, env: { XDG_STATE_HOME: dir.at("state"), HOME: dir.at("home") } };
    offer({});
    const pinned = await runIndus(["mcp", "list", "--mcp", file], options);
    expect(pinned).toMatchObject({ code: 0, err: "" });

    offer({ annotations: { readOnlyHint: true }, description: "Reads only." });
    const command = "indus mcp approve notes__find";
    const message = `tool "find" of server "notes" is quarantined: it now claims that it changes nothing. To see and approve the change: ${command}`;
    const called = await runIndus(["mcp", "call", "notes__find", "text=a", "--mcp", file], options);
    expect(called).toMatchObject({ code: 1, out: "", err: `indus: ${message}\n` });

    using client = await connectScripted("test", ["--mcp", file], options);
    expect(mountedNames(await client.result(client.request("tools/list")))).toEqual([
      "notes__add",
      "indus__status",
    ]);
    const call = (): number =>
      client.request("tools/call", { name: "notes__find", arguments: { text: "a" } });
    expect(await client.result(call())).toMatchObject({ isError: true, content: [{ text: message }] });
    const received = client.messages().length;
    const approved = await runIndus([...command.split(" ").slice(1), "--yes"], options);
    expect(approved.code).toBe(0);
    expect(approved.out).toContain('+  "readOnlyHint": true');
    await eventually(() =>
      client
        .messages()
        .slice(received)
        .find(({ method }) => method === "notifications/tools/list_changed"),
    );
    expect(await client.result(call())).toMatchObject({ content: [{ text: "called find" }] });
    const { out } = await runIndus(["mcp", "history", "notes__find"], options);
    expect(out.split("\n").map((line) => line.split("  ").at(-1))).toEqual(
      expect.arrayContaining(["quarantined", "approved"]),
    );
  },
  { timeoutMs: 120_000 },
);
