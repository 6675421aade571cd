import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scriptedRow } from "../bin/run-indus.ts";
import { callModern } from "../gateway/serving-gateway.ts";
import { hasBrowser, openConsole } from "./browser.ts";

const demo = (name: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../demo/${name}.mjs`, import.meta.url))],
});

verifies(
  "browser:link",
  "the console opens by a link, keeps its session over a reload, and the link works once",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { notes: demo("notes"), units: demo("units") } });
    const { page, context, address, link, complaints } = opened;
    await page.getByRole("heading", { level: 1, name: "All 2 servers work" }).waitFor();
    expect(page.url()).not.toContain("link=");
    await page.reload();
    await page.getByRole("row", { name: /units/ }).waitFor();

    const used = await link();
    const other = await context.newPage();
    await other.goto(used);
    await other.getByRole("heading", { level: 1, name: "All 2 servers work" }).waitFor();
    const third = await opened.browser.newContext();
    const stranger = await third.newPage();
    await stranger.goto(used);
    await stranger.getByRole("heading", { name: "This link does not work" }).waitFor();
    await stranger.goto(address);
    await stranger.getByRole("heading", { name: "This page needs a link" }).waitFor();
    expect(await stranger.evaluate("sessionStorage.length")).toBe(0);
    await third.close();
    expect(complaints).toEqual([]);
  },
  { when: hasBrowser },
);

verifies(
  "browser:alive",
  "a server that dies is shown as it is restarted, with its failure in the call list, without a reload",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, gateway, show, complaints } = opened;
    await page.getByRole("row", { name: /\bs ready/ }).waitFor();
    await show("servers/s/timeline");
    const events = page.getByRole("listitem");
    await expect.poll(() => events.count()).toBeGreaterThan(0);
    const before = await events.count();
    await callModern(gateway.url, "s__die").catch(() => undefined);
    await expect.poll(() => events.count()).toBeGreaterThan(before + 1);
    await page.locator(".facts .state.good").waitFor();
    await show("calls");
    await page.getByRole("row", { name: /s__die.*failed/ }).waitFor();
    expect(complaints).toEqual([]);
  },
  { when: hasBrowser },
);

verifies(
  "browser:try",
  "a tool that asks its user is called by a form and answered by a form, with the messages beside it",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, show, complaints } = opened;
    await show("try/tool/s__ask");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Your name?").waitFor();
    await dialog.getByLabel("name").fill("Ada <b>");
    await dialog.getByRole("button", { name: "Answer" }).click();
    const result = page.getByRole("status", { name: "Result" });
    await result.getByText("Ada <b>").waitFor();
    const messages = page.getByRole("region", { name: "Messages" });
    expect(await messages.getByRole("listitem").count()).toBeGreaterThan(1);
    await messages.getByText("tools/call").first().click();
    await messages.getByText('"s__ask"').first().waitFor();
    expect(complaints).toEqual([]);
  },
  { when: hasBrowser },
);
