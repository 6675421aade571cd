import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge } from "indusagi/interop";
import { expect } from "vitest";
import { scriptedRow } from "../bin/run-indus.ts";
import { tool } from "../servers/pins/sample-server.ts";
import { isBrowserRun, openConsole } from "./browser.ts";

// What a person does in the console, each with its effect outside of it.

const listedScript = fileURLToPath(new URL("../../../../test/servers/listed.mjs", import.meta.url));
const options = { when: isBrowserRun, timeoutMs: 180_000 };

verifies(
  "browser:changes",
  "a changed tool is compared and approved in the page, and a connected client gets list_changed",
  async () => {
    await using dir = await tempDir();
    const offer = (change: object): void =>
      writeFileSync(dir.at("offered.json"), JSON.stringify({ tools: [tool(change), tool({ name: "add" })] }));
    offer({});
    const rows = { notes: { command: process.execPath, args: [listedScript, dir.at("offered.json")] } };
    await using opened = await openConsole(dir, { rows });
    const { page, gateway, show, complaints } = opened;
    await show("servers/notes");
    await page.getByRole("row", { name: /^find/ }).waitFor();
    offer({ annotations: { readOnlyHint: true }, description: "Reads only." });
    await page.getByRole("button", { name: "Restart" }).click();
    await page.getByRole("navigation", { name: "Views" }).getByText("1 waiting").waitFor();

    await using client = await mountedClient(gateway.url);
    expect(client.names()).not.toContain("notes__find");
    await show("changes");
    const change = page.getByRole("article", { name: "Change of find of notes" });
    await change.getByText('+  "readOnlyHint": true').waitFor();
    await change.getByText(/indus mcp approve .*notes__find/).waitFor();
    await change.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    await expect.poll(client.names).toContain("notes__find");
    await show("changes/ledger");
    await page.getByRole("row", { name: /approved notes find/ }).waitFor();
    await show("changes/explain?tool=notes__find");
    await page
      .getByText(/indus mcp (history|explain)/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  },
  options,
);

verifies(
  "browser:access",
  "a token is made and shown once, used by a client, found in the audit trail, and revoked",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, gateway, show, complaints } = opened;
    await show("access");
    await page.getByRole("button", { name: "Add a token" }).click();
    await page.getByLabel("Name of the client").fill("laptop");
    await page.getByLabel("Servers").fill("s");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const made = page.getByRole("dialog", { name: "Copy the token now" });
    const token = (await made.locator(".secret code").textContent()) ?? "";
    expect(token.length).toBeGreaterThan(20);
    await made
      .getByText(/indus token add .*laptop/)
      .first()
      .waitFor();
    await made.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(token);

    {
      await using client = await mountedClient(gateway.url, token);
      expect(client.names()).toContain("s__echo");
      await client.call("s__echo", { text: "hello" });
    }
    await show("access/audit?principal=laptop");
    await page
      .getByRole("row", { name: /s__echo/ })
      .first()
      .waitFor();
    await show("access");
    await page.getByRole("button", { name: "Revoke laptop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("There are no tokens").waitFor();
    const refused = await mountedClient(gateway.url, token);
    expect(refused.names()).toEqual([]);
    await refused[Symbol.asyncDispose]();
    expect(complaints).toEqual([]);
  },
  options,
);

verifies(
  "browser:rows",
  "a row is edited with a mistake that is named, then right; it is added and removed, and a tool is hidden and renamed",
  async () => {
    await using dir = await tempDir();
    await mkdir(dir.at("config/indusvx"), { recursive: true });
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, show, complaints } = opened;
    const file = dir.at("servers.json");
    const before = readFileSync(file, "utf8");
    await show("setup/rows/s");
    const text = page.getByLabel(/^Row/);
    await text.fill('{ "command": 5 }');
    await page
      .getByRole("alert")
      .getByText(/command/)
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe(before);
    await text.fill(JSON.stringify({ ...scriptedRow(), env: { COLOUR: "green" } }));
    await page.getByText("Nothing is wrong with it.").waitFor();
    await page
      .getByText(/COLOUR/)
      .last()
      .waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table").waitFor();
    expect(readFileSync(file, "utf8")).toContain('"COLOUR"');

    await show("servers/s");
    await page.getByRole("row", { name: /^echo/ }).click();
    await page.getByRole("button", { name: "Hide from clients" }).click();
    await page.getByRole("row", { name: /^echo\s*hidden/ }).waitFor();
    expect(readFileSync(file, "utf8")).toContain("excludeTools");
    await page.getByRole("button", { name: "Show to clients" }).click();
    await page.getByRole("button", { name: "Hide from clients" }).waitFor();
    await page.getByText("Name and description for clients").click();
    await page.getByLabel("Name", { exact: true }).fill("say");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByText("s__say").first().waitFor();
    expect(complaints).toEqual([]);
  },
  options,
);

verifies(
  "browser:programs",
  "the gateway is connected to a program after its difference was seen, and undo restores the file byte for byte",
  async () => {
    await using dir = await tempDir();
    const file = dir.at("home/.cursor/mcp.json");
    await mkdir(dir.at("home/.cursor"), { recursive: true });
    const before = '{ "mcpServers": { "mine": { "command": "node", "args": ["-v"] } } }\n';
    writeFileSync(file, before);
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, show, complaints } = opened;
    await show("setup/clients");
    await page.getByRole("button", { name: "Connect Cursor (user)", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/^\+ .*indus/)
      .first()
      .waitFor();
    await dialog
      .getByText(/indus connect cursor/)
      .first()
      .waitFor();
    expect(readFileSync(file, "utf8")).toBe(before);
    await dialog.getByRole("button", { name: "Write" }).click();
    await page.getByRole("button", { name: "Undo for Cursor (user)" }).click();
    expect(readFileSync(file, "utf8")).toContain("indus");
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Connect Cursor (user)", exact: true }).waitFor();
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(complaints).toEqual([]);
  },
  options,
);

verifies(
  "browser:many",
  "100 servers and 1,500 tools are listed, filtered and scrolled with few rows in the document",
  async () => {
    await using dir = await tempDir();
    const tools = (count: number): object => ({
      tools: Array.from({ length: count }, (_, at) =>
        tool({ name: `tool-${String(at).padStart(4, "0")}`, description: `Does thing ${at}.` }),
      ),
    });
    writeFileSync(dir.at("few.json"), JSON.stringify(tools(5)));
    writeFileSync(dir.at("many.json"), JSON.stringify(tools(1500)));
    const row = (file: string): object => ({
      command: process.execPath,
      args: [listedScript, dir.at(file)],
      lazy: true,
    });
    const rows = Object.fromEntries(
      Array.from({ length: 99 }, (_, at) => [`server-${String(at).padStart(2, "0")}`, row("few.json")]),
    );
    await using opened = await openConsole(dir, { rows: { ...rows, big: row("many.json") } });
    const { page, show, complaints } = opened;
    await show("servers");
    const grid = page.getByRole("grid", { name: "Servers" });
    await expect.poll(() => grid.getAttribute("aria-rowcount")).toBe("101");
    expect(await grid.getByRole("row").count()).toBeLessThan(60);
    await page.getByRole("searchbox").fill("server-98");
    await grid.getByRole("row", { name: /server-98/ }).waitFor();
    expect(await grid.getAttribute("aria-rowcount")).toBe("2");

    await show("servers/big");
    const all = page.getByRole("grid", { name: "Tools of big" });
    await expect.poll(() => all.getAttribute("aria-rowcount"), { timeout: 120_000 }).toBe("1501");
    expect(await all.getByRole("row").count()).toBeLessThan(60);
    await all.focus();
    await page.keyboard.press("End");
    await all.getByRole("row", { name: /tool-1499/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "tool-1499" }).waitFor();
    await all.evaluate("(element) => element.scrollTo({ top: 0 })");
    await page.getByRole("searchbox").fill("thing 777");
    await all.getByRole("row", { name: /tool-0777/ }).waitFor();
    expect(await all.getAttribute("aria-rowcount")).toBe("2");
    expect(complaints).toEqual([]);
  },
  { ...options, timeoutMs: 300_000 },
);

/** A real client of the gateway, with the tools it sees now. */
async function mountedClient(url: string, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { box, fleet } = await mountProtocolBridge(
    { servers: [{ kind: "streamable-http", id: "i", url, headers }] },
    { supervision: false },
  );
  return {
    names: (): readonly string[] => box.descriptors().map(({ origin }) => origin?.tool ?? ""),
    call: (name: string, input: { readonly [name: string]: unknown }) => {
      const shown = box.descriptors().find(({ origin }) => origin?.tool === name)?.name ?? name;
      return box.runner.run({ id: "1", name: shown, input });
    },
    [Symbol.asyncDispose]: () => fleet.tearDown(),
  };
}
