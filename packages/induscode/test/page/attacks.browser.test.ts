import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { isBrowserRun, openConsole } from "./browser.ts";

const hostileScript = fileURLToPath(new URL("../../../../test/servers/hostile.mjs", import.meta.url));
const appsScript = fileURLToPath(new URL("../../../../test/servers/apps.mjs", import.meta.url));
const notesScript = fileURLToPath(new URL("../../demo/notes.mjs", import.meta.url));
const options = { when: isBrowserRun, timeoutMs: 240_000 };

const MARKUP = "<img src=x onerror=";
/** What the invisible characters of the hostile server look like. */
const ESCAPED = String.raw`user\u{202e}txt.exe\u{202c}\u{200b}zero\u{2066}iso\u{2069}`;
/** Elements that no view makes, links that are programs, and characters that should have been escaped. */
const INTRUDERS = `(() => ({
  hacked: globalThis.hacked ?? null,
  scripts: document.querySelectorAll("script").length,
  pictures: document.querySelectorAll("img[src=x], svg[onload], object, embed").length,
  handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on"))).length,
  links: [...document.querySelectorAll("[href], [src], [action]")].filter((element) => /^\\s*(javascript|vbscript):/i.test(element.getAttribute("href") ?? element.getAttribute("src") ?? "")).length,
  hidden: (document.documentElement.outerHTML.match(/[\\u200b\\u202a-\\u202e\\u2066-\\u2069]/g) ?? []).length,
}))()`;
const NONE = { hacked: null, scripts: 1, pictures: 0, handlers: 0, links: 0, hidden: 0 };

verifies(
  "browser:markup",
  "what a hostile server and a hostile client say is shown as text on every view, and nothing of it runs",
  async () => {
    await using dir = await tempDir();
    const rows = {
      hostile: { command: process.execPath, args: [hostileScript, dir.at("reports")] },
      "<b>bold</b>": {
        command: process.execPath,
        args: [
          "-e",
          `console.error(${JSON.stringify(`${MARKUP}"globalThis.hacked=1"> dies`)}); process.exit(1)`,
        ],
      },
    };
    await using opened = await openConsole(dir, { rows });
    const { page, gateway, show, complaints } = opened;
    const client = new Client({ name: `${MARKUP}"globalThis.hacked='client'">`, version: "\u202E1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    await client.callTool({ name: "hostile__fail", arguments: {} }).catch(() => undefined);
    await page.getByRole("row", { name: /hostile ready/ }).waitFor();

    const views = [
      "overview",
      "servers",
      "servers/hostile?tool=markup",
      "servers/hostile/resources",
      "servers/hostile/prompts",
      "servers/hostile/log",
      "servers/hostile/timeline",
      "servers/hostile/row",
      `servers/${encodeURIComponent("<b>bold</b>")}/log`,
      "calls",
      "calls/tools",
      "changes/ledger",
      "changes/explain?tool=hostile__markup",
      "clients",
      "access/audit",
      "setup/rows",
      "try/tool/hostile__markup",
      "try/prompt/hostile__hostile",
    ];
    const seen: string[] = [];
    for (const view of views) {
      await show(view);
      await page.waitForTimeout(400);
      expect(await page.evaluate(INTRUDERS), view).toEqual(NONE);
      seen.push(await page.locator("main").innerText());
    }
    for (const text of [MARKUP, "javascript:globalThis.hacked", ESCAPED])
      expect(seen.filter((shown) => shown.includes(text)).length, text).toBeGreaterThan(4);

    await show("clients");
    await page.getByRole("row", { name: /onerror/ }).click();
    await show("try/tool/hostile__markup");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("status", { name: "Result" }).getByText(MARKUP).first().waitFor();
    expect(await page.evaluate(INTRUDERS)).toEqual(NONE);
    await show("try/tool/hostile__fail");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("alert").getByText(MARKUP).waitFor();
    await show("try/tool/hostile__ask");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("dialog").getByText(MARKUP).first().waitFor();
    expect(await page.evaluate(INTRUDERS)).toEqual(NONE);
    await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
    await client.close();
    expect(complaints).toEqual([]);
  },
  options,
);

verifies(
  "browser:app",
  "a hostile app reaches neither the console, its key, the top frame, other tools nor the network",
  async () => {
    await using dir = await tempDir();
    await using outside = await listening((_, response) => void response.end("stolen"));
    const rows = {
      hostile: { command: process.execPath, args: [hostileScript, dir.at("reports"), String(outside.port)] },
      notes: { command: process.execPath, args: [notesScript] },
      clock: { command: process.execPath, args: [appsScript, "modern"] },
    };
    await using opened = await openConsole(dir, { rows });
    const { page, context, show } = opened;
    for (const server of ["hostile", "clock"])
      await page.getByRole("row", { name: new RegExp(`${server} ready`) }).waitFor();
    const pages = context.pages().length;
    await show("try/tool/hostile__app");
    const otherUrl = await showSecondApp(page, "clock__clock");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const frame = page.getByTitle("App of hostile");
    await frame.waitFor();
    expect(await frame.getAttribute("sandbox")).toBe("allow-scripts allow-forms");
    await expect.poll(() => existsSync(dir.at("reports")), { timeout: 60_000 }).toBe(true);
    await page.waitForTimeout(1500);
    const reached = JSON.parse(readFileSync(dir.at("reports"), "utf8").split("\n")[0] ?? "") as Record<
      string,
      string
    >;
    const { host, ...attempts } = reached;
    expect(host).toBe("indus-console");
    expect(Object.keys(attempts).length).toBeGreaterThan(12);
    // A beacon and an assignment report success; whether they had any is seen outside.
    const { beacon: _beacon, escape: _escape, window: opening, ...others } = attempts;
    for (const [name, outcome] of Object.entries(others))
      expect(`${name}: ${outcome}`).not.toContain("REACHED");
    expect(opening).toMatch(/refused|REACHED undefined/);
    // There is another app in the page, and the browser keeps this one from it.
    const { otherApp, otherAppMoved } = attempts;
    expect([otherApp, otherAppMoved]).toEqual(["refused: SecurityError", "refused: SecurityError"]);
    const second = page.frames().find((each) => each.url().endsWith(otherUrl));
    expect(await second?.evaluate("document.readyState")).toBe("complete");
    expect(outside.requests).toEqual([]);
    expect(context.pages().length).toBe(pages);
    expect(page.url()).toContain("#/try/tool/hostile__app");
    expect(await page.evaluate("sessionStorage.length")).toBe(1);
  },
  options,
);

verifies(
  "browser:foreign",
  "a page of another port can neither frame the console, read it, nor change something",
  async () => {
    await using dir = await tempDir();
    await using opened = await openConsole(dir, {
      rows: { notes: { command: process.execPath, args: [notesScript] } },
    });
    const { address, context, page } = opened;
    const key = await page.evaluate("sessionStorage.getItem('indus-session')");
    expect(key).toMatch(/\S{20}/);
    await using foreign = await listening((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>foreign</title><iframe src="${address}"></iframe>`);
    });
    const other = await context.newPage();
    await other.goto(`http://127.0.0.1:${foreign.port}/`);
    await other.waitForTimeout(800);
    const framed = other.frames().find((frame) => frame.url().startsWith(address));
    expect(await (framed?.locator("h1").count() ?? 0)).toBe(0);
    const tried = await other.evaluate(`(async () => {
      const attempt = (path, init) => fetch(${JSON.stringify(address)} + path, init).then((answer) => answer.type === "opaque" ? "opaque" : String(answer.status), () => "refused");
      const headers = { "x-indus-session": ${JSON.stringify(key)} };
      return {
        read: await attempt("console/snapshot"),
        readWithKey: await attempt("console/snapshot", { headers }),
        blind: await attempt("console/servers/notes/disable", { method: "POST", mode: "no-cors", body: "{}" }),
        change: await attempt("console/servers/notes/disable", { method: "POST", headers }),
        storage: sessionStorage.length,
      };
    })()`);
    expect(tried).toEqual({
      read: "refused",
      readWithKey: "refused",
      blind: "refused",
      change: "refused",
      storage: 0,
    });
    await page.getByRole("row", { name: /notes ready/ }).waitFor();
  },
  options,
);

/** Shows the app of a tool below everything else in the page, in a frame like that of the console. Resolves to its path. */
async function showSecondApp(page: Page, tool: string): Promise<string> {
  const url = await page.evaluate(`(async () => {
    const headers = { "content-type": "application/json", "x-indus-session": sessionStorage.getItem("indus-session") };
    const body = ${JSON.stringify(JSON.stringify({ era: "modern", tool }))};
    const { url } = await (await fetch("/console/apps", { method: "POST", headers, body })).json();
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts allow-forms";
    await new Promise((resolve) => {
      frame.onload = resolve;
      frame.src = url;
      document.body.append(frame);
    });
    return url;
  })()`);
  return url as string;
}

/** A server of somebody else on this machine, with what it was asked for. */
async function listening(answer: Parameters<typeof createServer>[1] & object) {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    if (request.url !== "/favicon.ico") requests.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
