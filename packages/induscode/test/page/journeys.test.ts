import { fileURLToPath } from "node:url";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { afterAll, beforeAll, expect } from "vitest";
import { scriptedRow } from "../bin/run-indus.ts";
import { callModern } from "../gateway/serving-gateway.ts";
import { hasBrowser, type OpenConsole, openConsole } from "./browser.ts";

// The short journeys of `npm test`: one browser and one gateway for all.

const demo = (name: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../demo/${name}.mjs`, import.meta.url))],
});

let dir: TempDir;
let opened: OpenConsole;
beforeAll(async () => {
  if (!hasBrowser) return;
  dir = await tempDir();
  opened = await openConsole(dir, { rows: { notes: demo("notes"), s: scriptedRow() } });
}, 120_000);
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
}, 60_000);

verifies(
  "browser:link",
  "the console opens by a link, keeps its session over a reload, and the link works once",
  async () => {
    const { page, browser, context, address, link, complaints } = opened;
    await page.getByRole("heading", { level: 1, name: "All 2 servers work" }).waitFor();
    expect(page.url()).not.toContain("link=");
    await page.reload();
    await page.getByRole("row", { name: /notes/ }).waitFor();

    const used = await link();
    const second = await context.newPage();
    await second.goto(used);
    await second.getByRole("heading", { level: 1, name: "All 2 servers work" }).waitFor();
    await second.close();
    const other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(used);
    await stranger.getByRole("heading", { name: "This link does not work" }).waitFor();
    await stranger.goto(address);
    await stranger.getByRole("heading", { name: "This page needs a link" }).waitFor();
    expect(await stranger.evaluate("sessionStorage.length")).toBe(0);
    await other.close();
    expect(complaints).toEqual([]);
  },
  { when: hasBrowser },
);

verifies(
  "browser:alive",
  "a server that dies is shown as it is restarted, with its failure in the call list, without a reload",
  async () => {
    const { page, gateway, show, complaints } = opened;
    await show("servers/s/timeline");
    const events = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
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
    const { page, show, complaints } = opened;
    await show("try/tool/s__ask");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Your name?").waitFor();
    await dialog.getByLabel("name").fill("Ada <b>");
    await dialog.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("status", { name: "Result" }).getByText("Ada <b>").waitFor();
    const messages = page.getByRole("region", { name: "Messages" });
    expect(await messages.getByRole("listitem").count()).toBeGreaterThan(1);
    await messages.getByText("tools/call").first().click();
    await messages.getByText('"s__ask"').first().waitFor();
    expect(complaints).toEqual([]);
  },
  { when: hasBrowser },
);
