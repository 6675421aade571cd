import { verifies } from "@indus/testkit";
import { createProviderHost, serveHttp, sharedSecret } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { createGate } from "../../../../src/interop/host/admit/admit-request.ts";
import { loadServerSdk } from "../../../../src/interop/host/server-sdk.ts";
import { boxOf } from "../box-of.ts";
import { initialize, inSession, openSession, send } from "./raw-http.ts";

const TOKEN = "a-secret-of-many-letters";
const pages = {
  "/health": { isOpen: true, answer: () => ({ status: 200, type: "text/plain", body: "well\n" }) },
  "/inside": { answer: async () => ({ status: 503, type: "text/plain", body: "numbers\n" }) },
};

verifies(
  "operations:pages",
  "pages answer GET and HEAD beside the endpoint, whose requests are not affected",
  async () => {
    const host = createProviderHost(boxOf({ look: () => textResult("seen") }));
    // The stream below has begun when its first keep-alive message arrives.
    const limits = { keepAliveMs: 50 };
    const listener = await serveHttp(host, { port: 0, pages, limits, verifier: sharedSecret(TOKEN) });
    try {
      const base = new URL(listener.url).origin;
      const asked = async (path: string, method = "GET", headers = {}): Promise<readonly unknown[]> => {
        const { status, text } = await send(`${base}${path}`, { method, headers });
        return [status, text];
      };
      expect(await asked("/health")).toEqual([200, "well\n"]);
      expect(await asked("/health?x=1")).toEqual([200, "well\n"]);
      expect(await asked("/health", "HEAD")).toEqual([200, ""]);
      expect(await asked("/inside")).toEqual([503, "numbers\n"]);
      const posted = await send(`${base}/health`, { method: "POST", body: "{}" });
      expect([posted.status, posted.headers["allow"]]).toEqual([405, "GET, HEAD"]);
      for (const path of ["/healthy", "/health/", "/toString", "/__proto__", "/"])
        expect((await asked(path))[0]).toBe(404);
      // A web page, and a name that was bound to this address, learn nothing.
      for (const headers of [{ origin: "https://evil.example" }, { host: "evil.example" }])
        for (const path of ["/health", "/inside"]) expect((await asked(path, "GET", headers))[0]).toBe(403);
      // A proxy brings requests of other machines.
      const forwarded = { "x-forwarded-for": "192.0.2.1" };
      expect((await asked("/health", "GET", forwarded))[0]).toBe(200);
      expect((await asked("/inside", "GET", forwarded))[0]).toBe(401);
      expect((await asked("/inside", "GET", { ...forwarded, authorization: `Bearer ${TOKEN}` }))[0]).toBe(
        503,
      );
      expect((await initialize(listener.url)).status).toBe(401);
      expect(listener.stats()).toEqual({ sessions: 0, requests: 0, streams: 0 });
      const authorization = { authorization: `Bearer ${TOKEN}` };
      const session = await openSession(listener.url, authorization);
      const stop = new AbortController();
      let hasBegun = (): void => {};
      const begun = new Promise<void>((resolve) => (hasBegun = resolve));
      const stream = send(listener.url, {
        method: "GET",
        headers: { ...inSession(session), ...authorization },
        signal: stop.signal,
        onText: hasBegun,
      }).catch(() => {});
      await begun;
      expect(listener.stats()).toEqual({ sessions: 1, requests: 0, streams: 1 });
      stop.abort();
      await stream;
    } finally {
      await listener.close();
    }
  },
);

verifies("operations:pages", "for other machines an open page needs no token, others do", async () => {
  const gate = createGate(
    { port: 0, host: "0.0.0.0", pages, verifier: sharedSecret(TOKEN), admitsAnonymous: true },
    { audience: "x", sdk: await loadServerSdk(), recheckMs: 1_000, report: () => {} },
  );
  type Request = Parameters<typeof gate.refusePage>[0];
  const request = (headers = {}): Request =>
    ({ url: "/mcp", headers: { host: "gateway.example", ...headers } }) as unknown as Request;
  const status = async (page: (typeof pages)[keyof typeof pages], headers = {}): Promise<unknown> =>
    (await gate.refusePage(request(headers), page))?.status;
  expect(await status(pages["/health"])).toBeUndefined();
  expect(await status(pages["/inside"])).toBe(401);
  expect(await status(pages["/inside"], { authorization: `Bearer ${TOKEN}` })).toBeUndefined();
  // Requests without a token are served on this machine only.
  expect(await gate.admit(request())).toMatchObject({ refusal: { status: 401 } });
});
