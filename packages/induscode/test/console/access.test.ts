import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { workspaceTokens } from "../../src/boot/internal.ts";
import { makeLink } from "../../src/console/internal.ts";
import { scriptedRow } from "../bin/run-indus.ts";
import { fromPage, type OpenedConsole, openedConsole, userOf } from "./open-console.ts";

const TIMEOUT = { timeoutMs: 120_000 };
const inConsole = async (
  body: (console: OpenedConsole, dir: TempDir) => Promise<void>,
  ...args: readonly string[]
): Promise<void> => {
  await using dir = await tempDir();
  await using opened = await openedConsole(dir, { s: scriptedRow() }, args);
  await body(opened, dir);
};

const exchange = (opened: OpenedConsole, code: string, headers = fromPage(opened.base)) =>
  opened.ask("POST", "/console/session", { headers, body: { code } });

verifies(
  "console:link",
  "a link opens one session, once, soon, and at its own gateway; without a session there is no data",
  () =>
    inConsole(async (opened) => {
      const { state, ask, link, base } = opened;
      for (const path of [
        "/console/snapshot",
        "/console/stream",
        "/console/rows",
        "/console/tokens",
        "/console/nothing",
      ])
        expect((await ask("GET", path)).body).toMatchObject({ error: { code: "no_session" } });
      const code = link();
      const folder = join(state, "console", "links");
      const [name = ""] = readdirSync(folder);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name), "utf8") + name).not.toContain(code);
      const first = await exchange(opened, code);
      expect(first.status).toBe(200);
      expect(first.body).toMatchObject({ origin: "local", folders: [{ id: "here" }] });
      expect(first.headers["set-cookie"]).toBeUndefined();
      // Used again, from this browser or another one.
      expect((await exchange(opened, code)).body).toMatchObject({ error: { code: "bad_link" } });
      // Too late.
      const old = link();
      const [file = ""] = readdirSync(folder);
      const kept = JSON.parse(readFileSync(join(folder, file), "utf8")) as object;
      writeFileSync(join(folder, file), JSON.stringify({ ...kept, untilMs: Date.now() - 1 }));
      expect((await exchange(opened, old)).status).toBe(401);
      // Made for another gateway, guessed, or a path.
      for (const wrong of [makeLink(state, "another"), "x".repeat(43), "../../tokens", ""])
        expect((await exchange(opened, wrong)).status).toBe(401);
      const user = userOf(opened, base, first.body.key);
      expect((await user.ask("GET", "/console/snapshot")).status).toBe(200);
      expect((await user.ask("DELETE", "/console/session")).status).toBe(200);
      expect((await user.ask("GET", "/console/snapshot")).status).toBe(401);
    }),
  TIMEOUT,
);

verifies(
  "console:sites",
  "other pages get nothing and change nothing, from another site or another port of this host",
  () =>
    inConsole(async (opened) => {
      const { ask, base, link } = opened;
      const user = await opened.enter();
      const key = { "x-indus-session": user.key };
      const others = [
        { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
        { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
        { origin: `http://localhost:${base.port}`, "sec-fetch-site": "same-site" },
        { origin: "null", "sec-fetch-site": "cross-site" },
        { origin: base.origin, "sec-fetch-site": "cross-site" },
        { origin: "https://evil.example" },
      ];
      for (const headers of others) {
        const [read, changed, entered] = await Promise.all([
          ask("GET", "/console/snapshot", { headers: { ...key, ...headers } }),
          ask("POST", "/console/servers/s/restart", { headers: { ...key, ...headers } }),
          exchange(opened, link(), headers as ReturnType<typeof fromPage>),
        ]);
        for (const { status, body, headers: sent } of [read, changed, entered]) {
          expect([status, body.error.code]).toEqual([403, "foreign"]);
          expect(sent["access-control-allow-origin"]).toBeUndefined();
        }
      }
      // A change without an origin is not from a browser's page.
      expect((await ask("POST", "/console/servers/s/restart", { headers: key })).status).toBe(403);
      // A preflight is refused, so a page cannot even send the header.
      const preflight = await ask("OPTIONS", "/console/snapshot", {
        headers: { origin: "https://evil.example", "access-control-request-headers": "x-indus-session" },
      });
      expect(preflight.status).toBe(403);
      expect(preflight.headers["access-control-allow-headers"]).toBeUndefined();
      // A form of another page has another type.
      const form = { ...fromPage(base), ...key, "content-type": "text/plain" };
      expect((await ask("POST", "/console/tokens", { headers: form, body: { name: "x" } })).status).toBe(415);
      expect((await user.ask("GET", "/console/tokens")).body).toEqual({ tokens: [] });
    }),
  TIMEOUT,
);

verifies(
  "console:host",
  "a name of somebody else that leads to our address gets nothing",
  () =>
    inConsole(async (opened) => {
      const user = await opened.enter();
      for (const host of ["evil.example", `evil.example:${opened.base.port}`, "127.0.0.1.evil.example"])
        for (const path of ["/", "/console/snapshot", "/console/session"])
          expect((await user.ask("GET", path, undefined, { host })).status).toBe(403);
    }),
  TIMEOUT,
);

verifies(
  "console:frames",
  "no answer may be framed or guessed at, and none is kept by a cache",
  () =>
    inConsole(async (opened) => {
      const user = await opened.enter();
      for (const path of ["/", "/console/snapshot", "/console/nothing", "/console/app/nothing"]) {
        const { headers } = await user.ask("GET", path);
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["referrer-policy"]).toBe("no-referrer");
        expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
        expect(headers["set-cookie"]).toBeUndefined();
        if (path === "/console/snapshot") expect(headers["cache-control"]).toBe("no-store");
        else expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      }
      // Another page may lead here, but not load it as a part of itself.
      const inFrame = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
      };
      expect((await opened.ask("GET", "/", { headers: inFrame })).status).toBe(403);
    }),
  TIMEOUT,
);

verifies(
  "console:remote",
  "a token with --admin opens a session that ends with it, and changes no row",
  () =>
    inConsole(async (opened) => {
      const { ask, run, base } = opened;
      const tokens = await workspaceTokens(run);
      const plain = await tokens.add("plain", {});
      const admin = await tokens.add("admin", { admin: true });
      const linkFor = (token: string, headers = {}) =>
        ask("POST", "/console/link", { headers: { authorization: `Bearer ${token}`, ...headers } });
      expect((await ask("POST", "/console/link")).status).toBe(401);
      expect((await linkFor("indus_0000000000_x")).status).toBe(401);
      expect((await linkFor(plain.token)).body).toMatchObject({ error: { code: "not_allowed" } });
      expect((await linkFor(admin.token, fromPage(base))).status).toBe(403);
      const { body } = await linkFor(admin.token);
      const proxied = { ...fromPage(base), "x-forwarded-for": "203.0.113.9" };
      // The proxy says that it was not encrypted, or nothing about it.
      expect((await exchange(opened, body.code, proxied)).body).toMatchObject({ error: { code: "foreign" } });
      const secure = { ...proxied, "x-forwarded-proto": "https" };
      const entered = await exchange(opened, body.code, secure);
      expect(entered.body).toMatchObject({ origin: "remote" });
      expect((await exchange(opened, body.code, secure)).status).toBe(401);
      const headers = { ...secure, "x-indus-session": entered.body.key };
      const remote = (method: string, path: string, sent?: unknown) =>
        ask(method, path, { headers, body: sent });
      expect((await remote("GET", "/console/snapshot")).status).toBe(200);
      expect((await remote("GET", "/console/rows")).body.rows).toMatchObject([
        { name: "s", isEditable: false },
      ]);
      const command = { action: "add", name: "x", row: { command: "touch", args: ["/tmp/never"] } };
      for (const [path, sent] of [
        ["/console/rows", command],
        ["/console/rows/check", command],
        ["/console/servers/s/disable", undefined],
        ["/console/servers/s/login", undefined],
        ["/console/tools", { kind: "hide", tool: "s__echo" }],
        ["/console/connect", { client: "cursor" }],
        ["/console/connect/preview", { client: "cursor" }],
      ] as const)
        expect((await remote("POST", path, sent)).body).toMatchObject({ error: { code: "not_allowed" } });
      // A local link used through the proxy opens nothing, and a local key does not pass it.
      expect((await exchange(opened, opened.link(), secure)).status).toBe(401);
      const local = await opened.enter();
      expect(
        (
          await local.ask("POST", "/console/rows/check", command, {
            "x-forwarded-for": "203.0.113.9",
            "x-forwarded-proto": "https",
          })
        ).status,
      ).toBe(403);
      await tokens.revoke(["admin"]);
      expect((await remote("GET", "/console/snapshot")).status).toBe(401);
      expect(readFileSync(opened.file, "utf8")).not.toContain("touch");
    }),
  TIMEOUT,
);

verifies(
  "console:assets",
  "a path out of the folder of the page is not found",
  () =>
    inConsole(async ({ ask }) => {
      const names = [
        "../../package.json",
        "..%2f..%2fpackage.json",
        "%2e%2e/%2e%2e/package.json",
        "....//package.json",
        "..\\..\\package.json",
        "%00.js",
        "/etc/passwd",
        "index.html/../../site.js",
        ".hidden.js",
        "a".repeat(300),
      ];
      for (const name of names) {
        const { status, text } = await ask("GET", `/console/assets/${name}`);
        expect([name, [400, 401, 404].includes(status)]).toEqual([name, true]);
        expect(text).not.toMatch(/"dependencies"|root:/);
      }
      expect((await ask("POST", "/")).status).toBe(405);
    }),
  TIMEOUT,
);

verifies(
  "console:off",
  "without the console there is neither a page nor data",
  () =>
    inConsole(async ({ ask, state }) => {
      for (const path of ["/", "/console/session", "/console/assets/x.js"])
        expect((await ask("GET", path)).status).toBe(404);
      expect(readdirSync(state)).not.toContain("console");
    }, "--no-console"),
  TIMEOUT,
);
