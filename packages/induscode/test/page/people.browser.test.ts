import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { scriptedRow } from "../bin/run-indus.ts";
import { callModern } from "../gateway/serving-gateway.ts";
import { isBrowserRun, openConsole, violations } from "./browser.ts";

const demo = (name: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../demo/${name}.mjs`, import.meta.url))],
});
const ROWS = { notes: demo("notes"), broken: demo("broken"), s: scriptedRow() };
const VIEWS = [
  "overview",
  "servers",
  "servers/s",
  "servers/s?tool=echo",
  "servers/s/resources",
  "servers/s/log",
  "servers/broken/timeline",
  "servers/s/row",
  "calls",
  "calls/tools",
  "changes",
  "changes/ledger",
  "changes/explain?tool=s__echo",
  "clients",
  "access",
  "access/audit",
  "try/tool/s__ask",
  "try/resource",
  "setup/rows",
  "setup/rows/s",
  "setup/rows/+",
  "setup/clients",
];
const options = { when: isBrowserRun, timeoutMs: 400_000 };

for (const colorScheme of ["light", "dark"] as const)
  verifies(
    "browser:accessible",
    `axe finds no violation of WCAG 2.2 AA on any view, ${colorScheme}`,
    async () => {
      await using dir = await tempDir();
      await using opened = await openConsole(dir, {
        rows: ROWS,
        context: { colorScheme, viewport: { width: 1280, height: 860 } },
      });
      const { page, gateway, show, complaints } = opened;
      for (const name of ["s__echo", "s__fail", "notes__search"]) await callModern(gateway.url, name);
      for (const view of VIEWS) {
        await show(view);
        await page.waitForTimeout(500);
        expect(await violations(page), view).toEqual([]);
      }
      await show("access");
      await page.getByRole("button", { name: "Add a token" }).click();
      expect(await violations(page), "dialog").toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await show("try/tool/s__ask");
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByRole("dialog").waitFor();
      expect(await violations(page), "question").toEqual([]);
      await page.getByRole("button", { name: "Decline" }).click();
      expect(complaints).toEqual([]);
    },
    options,
  );

verifies(
  "browser:accessible",
  "no view is wider than its window from 360 to 2,560 pixels, and nothing jumps while calls arrive",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: ROWS });
    const { page, gateway, show } = opened;
    await callModern(gateway.url, "s__echo");
    for (const width of [360, 768, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of VIEWS) {
        await show(view);
        await page.waitForTimeout(150);
        const over = await page.evaluate(
          "Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll('main, .grid, .table-frame')].map((each) => each.scrollWidth - each.clientWidth))",
        );
        expect(over, `${view} at ${width}`).toBeLessThanOrEqual(0);
      }
    }
    await page.setViewportSize({ width: 1280, height: 860 });
    await show("calls");
    const row = page.getByRole("row", { name: /s__echo/ }).first();
    await row.hover();
    const before = await row.boundingBox();
    for (let call = 0; call < 5; call++) await callModern(gateway.url, "notes__search");
    await page.getByRole("button", { name: /5 newer/ }).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    await page.getByRole("button", { name: /5 newer/ }).click();
    await page
      .getByRole("row", { name: /notes__search/ })
      .first()
      .waitFor();
  },
  options,
);

verifies(
  "browser:accessible",
  "times are in the zone of the reader",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, {
      rows: { s: scriptedRow() },
      context: { timezoneId: "Asia/Kathmandu", viewport: { width: 1280, height: 860 } },
    });
    const { page, gateway, show } = opened;
    await show("calls");
    await callModern(gateway.url, "s__echo");
    const shown = page.getByRole("row", { name: /s__echo/ }).locator("time");
    await shown.waitFor();
    const [, hour = "", minute = ""] = /(\d\d):(\d\d)/.exec(await shown.innerText()) ?? [];
    // 5:45 ahead of UTC, which no other zone is.
    const ahead = Number(hour) * 60 + Number(minute) - ((Date.now() / 60_000) % 1440);
    expect((ahead + 1440 - 340) % 1440).toBeLessThan(10);
    expect(await shown.getAttribute("title")).toContain("GMT+5:45");
  },
  options,
);

verifies(
  "browser:accessible",
  "a server is found, its tool opened and called with the keyboard alone, with the focus in sight",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: ROWS });
    const { page, complaints } = opened;
    const { keyboard } = page;
    await keyboard.press("g");
    await keyboard.press("s");
    const servers = page.getByRole("grid", { name: "Servers" });
    await servers.waitFor();
    await tabTo(page, "[role=grid]");
    await keyboard.press("Home");
    for (let down = 0; down < 2; down++) await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "s", exact: true }).waitFor();
    await page.getByRole("grid", { name: "Tools of s" }).waitFor();
    await keyboard.press("/");
    await keyboard.type("echo");
    await keyboard.press("Tab");
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
    await page.getByRole("article", { name: "echo" }).waitFor();
    await tabTo(page, "a[href='#/try/tool/s__echo']");
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    expect(outline).toBe("solid");
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "s__echo" }).waitFor();
    await tabTo(page, ".try-form textarea");
    await keyboard.type("typed");
    await tabTo(page, ".try-form [type=submit]");
    await keyboard.press("Enter");
    await page.getByRole("status", { name: "Result" }).getByText("typed").waitFor();
    await keyboard.press("?");
    expect(complaints).toEqual([]);
  },
  options,
);

/** Presses Tab until the focus is on something that a selector fits. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

verifies(
  "browser:heals",
  "two tabs share one stream; when the first is closed the second goes on; a lost gateway is shown, and the page says how to come back",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, { rows: { s: scriptedRow() } });
    const { page, context, gateway, address, complaints } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    const streams: string[] = [];
    context.on("request", (request) => {
      if (request.url().includes("/console/stream?")) streams.push(request.url());
    });
    const second = await context.newPage();
    await second.goto(`${address}#/calls`);
    await second.locator("main h1").first().waitFor();
    await second.getByText("live", { exact: true }).waitFor();
    await callModern(gateway.url, "s__echo", { args: { text: "1" } });
    await second.getByRole("row", { name: /s__echo/ }).waitFor();
    expect(streams).toEqual([]);
    await page.close();
    await callModern(gateway.url, "s__calls");
    await second.getByRole("row", { name: /s__calls/ }).waitFor();
    expect(streams.length).toBe(1);

    // A gateway that says nothing for a while, as over a network that is gone: the page notices, and continues.
    const { child } = gateway.indus;
    child.kill("SIGSTOP");
    const lost = second.getByRole("alert").getByText(/connection to the gateway was lost/);
    await lost.waitFor({ timeout: 90_000 });
    child.kill("SIGCONT");
    await second.getByText("live", { exact: true }).waitFor({ timeout: 60_000 });
    await callModern(gateway.url, "s__meta");
    await second.getByRole("row", { name: /s__meta/ }).waitFor();
    expect(await lost.count()).toBe(0);

    gateway.indus.child.kill("SIGTERM");
    await gateway.indus.ended;
    await second.getByText("connection lost").waitFor({ timeout: 60_000 });
    expect(await second.getByRole("row", { name: /s__echo/ }).count()).toBe(1);
    await second.reload().catch(() => undefined);
    expect(complaints).toEqual([]);
  },
  options,
);
