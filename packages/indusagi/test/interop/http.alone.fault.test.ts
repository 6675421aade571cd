import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { atSize, isFullSize, machinePace, recordFigure, verifies } from "@indus/testkit";
import { createServerEndpoint, type EndpointOptions, type ServerConfig } from "indusagi/interop";
import { Agent, fetch as undiciFetch } from "undici";
import { expect } from "vitest";
import { type EvilHttpServer, serveEvilHttp } from "../../../../test/servers/evil-http.mjs";
import { boundedFetch } from "../../src/interop/endpoint/connect/bounded-fetch.ts";
import { act, faultOf, type OpenEndpoint, opened, timed } from "./kit/evil.ts";
import { peakMemory } from "./kit/peak-memory.ts";
import { startTcpProxy } from "./kit/tcp-proxy.ts";
import { openedThrough } from "./kit/through-proxy.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const MIB = 1024 * 1024;
const ERAS = ["legacy", "modern"] as const;

const at = (url: string): ServerConfig => ({ kind: "streamable-http", id: "h", url, onMismatch: "fail" });
const openedAt = (url: string, options: EndpointOptions = {}): Promise<OpenEndpoint> =>
  opened(at(url), options);
const timesRun = (server: EvilHttpServer, misdeed: string): number =>
  server.runs.filter((run) => run === misdeed).length;

/** Status → whether the answer proves that the call did not run, and the reason. */
const STATUSES: readonly (readonly [number, boolean, string | undefined])[] = [
  [400, false, undefined],
  [401, true, "auth"],
  [403, true, "auth"],
  [405, true, undefined],
  [406, true, undefined],
  [408, false, undefined],
  [409, false, undefined],
  [413, true, undefined],
  [415, true, undefined],
  [418, false, undefined],
  [429, true, undefined],
  [500, false, undefined],
  [501, false, undefined],
  [502, false, undefined],
  [503, false, undefined],
  [504, false, undefined],
];

for (const era of ERAS) {
  verifies("faults:b15-statuses", `${era}: each status of a call, and whether it is repeated`, async () => {
    await using server = await serveEvilHttp({ era });
    await Promise.all(
      STATUSES.map(async ([status, retrySafe, reason]) => {
        // A delay of one hour, so that a call that may be repeated fails now.
        const headers = { "retry-after": "3600" };
        await using endpoint = await openedAt(server.url, { timeouts: { callMs: 20_000 } });
        const { ms, value: fault } = await timed(() =>
          faultOf(act(endpoint, "status", { status, headers, body: "<h1>Sorry</h1>" })),
        );
        expect(fault, String(status)).toMatchObject({ kind: "transport", retrySafe, details: { status } });
        expect(fault.reason, String(status)).toBe(reason);
        expect(fault.message, String(status)).toContain(`HTTP ${status}`);
        expect(fault.message).not.toContain("<h1>");
        expect(ms, String(status)).toBeLessThan(10_000);
        expect(endpoint.phase, String(status)).toBe(status === 401 ? "faulted" : "ready");
      }),
    );
    expect(server.runs).toHaveLength(STATUSES.length);
  });

  verifies("faults:b15-statuses", `${era}: a 404 means a lost session if there was a session`, async () => {
    await using server = await serveEvilHttp({ era });
    await using endpoint = await openedAt(server.url);
    const fault = await faultOf(act(endpoint, "status", { status: 404 }));
    expect(fault).toMatchObject({ kind: "transport", retrySafe: true, details: { status: 404 } });
    expect(fault.reason).toBe(era === "legacy" ? "session_lost" : undefined);
    expect(endpoint.phase).toBe(era === "legacy" ? "faulted" : "ready");
    expect(server.runs).toEqual(["status"]);
  });

  verifies(
    "faults:b16-streams",
    `${era}: whatever breaks in an answer, the call ends and was sent once`,
    async () => {
      await using server = await serveEvilHttp({ era });
      await using endpoint = await openedAt(server.url);
      const ends = [
        "reset",
        "reset-in-stream",
        "reset-in-json",
        "half-event",
        "no-event",
        "html",
        "not-json",
        "not-rpc",
        "not-gzip",
      ];
      const pace = await machinePace();
      const times: number[] = [];
      for (const misdeed of ends) {
        const { ms, value: fault } = await timed(() => faultOf(act(endpoint, misdeed)));
        expect(["transport", "protocol"], misdeed).toContain(fault.kind);
        expect(fault.retrySafe, misdeed).toBe(false);
        times.push(ms);
        expect(timesRun(server, misdeed), misdeed).toBe(1);
      }
      await pace.check(times, { what: ends.join(", "), hangMs: 10_000, medianMs: 250 });
      expect(await act(endpoint, "events", { text: "on" })).toBe("on");
    },
  );

  verifies("faults:b16-streams", `${era}: a missing answer is limited by the call's own time`, async () => {
    await using server = await serveEvilHttp({ era });
    await using endpoint = await openedAt(server.url, { timeouts: { callMs: 300 } });
    const misdeeds = ["silent", "comments", "accepted", "other-id"];
    const faults = await Promise.all(misdeeds.map((misdeed) => faultOf(act(endpoint, misdeed))));
    expect(faults.map((fault) => fault.kind)).toEqual(misdeeds.map(() => "timeout"));
    expect(server.runs).toHaveLength(misdeeds.length);
  });
}

verifies(
  "faults:b16-streams",
  "an endless event, body or compressed bomb is cut at the limit",
  async () => {
    const maxBytes = atSize({ quick: 1, full: 64 }) * MIB;
    const bytes = atSize({ quick: 32, full: 1024 }) * MIB;
    await using server = await serveEvilHttp({ era: "modern" });
    // At full size the endpoint's own limit is tested; otherwise a smaller one saves time.
    const limit = isFullSize ? {} : { maxMessageBytes: maxBytes };
    await using endpoint = await openedAt(server.url, { ...limit, timeouts: { callMs: 60_000 } });
    for (const misdeed of ["huge-event", "huge-json", "bomb"]) {
      const memory = peakMemory();
      const { ms, value: fault } = await timed(() => faultOf(act(endpoint, misdeed, { bytes })));
      const peak = memory.stop();
      expect(fault.kind, misdeed).toBe("protocol");
      expect(fault.message, misdeed).toContain(`over the limit of ${maxBytes} bytes`);
      expect(ms, misdeed).toBeLessThan(30_000);
      recordFigure({
        what: `B16 ${misdeed}`,
        size: `${bytes / MIB} MiB, cap ${maxBytes / MIB} MiB`,
        found: `cut after ${ms.toFixed(0)} ms, memory +${(peak / MIB).toFixed(0)} MiB (both sides in one process)`,
      });
      expect(await act(endpoint, "good"), misdeed).toBe("good");
    }
  },
  { timeoutMs: 180_000 },
);

verifies("faults:b16-streams", "many events that together exceed the limit pass one by one", async () => {
  const reader = boundedFetch(
    async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            for (let i = 0; i < 50; i++) controller.enqueue(Buffer.from(`data: ${"x".repeat(700)}\r\n\r\n`));
            controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
    { server: "h", maxBytes: 1000 },
  );
  const response = await reader("http://127.0.0.1/");
  expect(await response.text()).toHaveLength(50 * 710);
});

verifies(
  "faults:b16-streams",
  "a slow, sliced or broken network ends each call in an answer or a fault",
  async () => {
    await using server = await serveEvilHttp({ era: "modern" });
    await using proxy = await startTcpProxy(server);
    await using endpoint = await openedAt(`http://127.0.0.1:${proxy.port}/mcp`, {
      timeouts: { callMs: 400 },
    });
    const text = "é".repeat(500);
    const table = [
      [{ delayMs: 10 }, "good"],
      [{ sliceBytes: 1 }, "good"],
      [{ sliceBytes: 7, delayMs: 0 }, "good"],
      [{ cutAfter: 0 }, "transport"],
      [{ cutAfter: 60 }, "transport"],
      [{ cutAfter: 400 }, "transport"],
      [{ resetAfter: 0 }, "transport"],
      [{ resetAfter: 60 }, "transport"],
      [{ resetAfter: 400 }, "transport"],
      [{ limit: 0 }, "timeout"],
      [{ limit: 400 }, "timeout"],
    ] as const;
    for (const misdeed of ["good", "events"]) {
      for (const [fault, outcome] of table) {
        proxy.fault = fault;
        const fresh = await openedThrough(proxy, server, { callMs: outcome === "timeout" ? 200 : 15_000 });
        const name = `${misdeed} ${JSON.stringify(fault)}`;
        proxy.fault = fault;
        const before = server.runs.length;
        const came = await fresh.invoke("act", { do: misdeed, text }).then(
          (result) => ((result.content[0] as { text: string }).text === text ? "good" : "wrong"),
          (thrown: { readonly kind: string }) => thrown.kind,
        );
        expect(came, name).toBe(outcome);
        expect(server.runs.length - before, name).toBeLessThanOrEqual(1);
        await fresh.close();
      }
    }
    proxy.fault = {};
    expect(await act(endpoint, "good")).toBe("good");
  },
);

verifies(
  "faults:b17-redirects",
  "no redirect away from the origin is followed, whatever its status",
  async () => {
    await using target = await serveEvilHttp();
    await using server = await serveEvilHttp({ era: "modern" });
    await using endpoint = await openedAt(server.url);
    const targets = [
      target.url,
      `http://localhost:${target.port}/mcp`,
      "http://169.254.169.254/latest/meta-data/",
      "file:///etc/passwd",
      "data:application/json,{}",
      "//127.0.0.1:1/mcp",
    ];
    for (const to of targets) {
      for (const status of [301, 302, 303, 307, 308]) {
        const fault = await faultOf(act(endpoint, "redirect", { status, to }));
        expect(fault.kind, `${status} ${to}`).toBe("transport");
      }
    }
    expect(target.seen).toEqual([]);
    expect(timesRun(server, "redirect")).toBe(targets.length * 5);
    expect(await act(endpoint, "good")).toBe("good");
  },
);

verifies("faults:b17-redirects", "a redirect loop ends", async () => {
  const instead = (_: unknown, response: ServerResponse): void =>
    void response.writeHead(307, { location: "/mcp" }).end();
  await using server = await serveEvilHttp({ instead });
  const endpoint = createServerEndpoint(at(server.url), undefined, { timeouts: { connectMs: 10_000 } });
  expect(await faultOf(endpoint.open())).toMatchObject({ kind: "transport", server: "h" });
  expect(server.seen.length).toBeLessThan(100);
});

verifies("faults:b18-tls", "a bad certificate is refused, a good one is accepted", async () => {
  const file = (name: string): Promise<string> =>
    readFile(fileURLToPath(new URL(`../../../../test/servers/tls/${name}`, import.meta.url)), "utf8");
  const key = await file("test.key");
  const agent = new Agent({ connect: { ca: await file("ca.pem") } });
  const trusting = ((input: string, init: object) =>
    undiciFetch(input, { ...init, dispatcher: agent })) as unknown as typeof fetch;
  const table = [
    ["self-signed.pem", {}, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["good.pem", {}, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["self-signed.pem", { fetch: trusting }, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["expired.pem", { fetch: trusting }, "CERT_HAS_EXPIRED"],
    ["other-host.pem", { fetch: trusting }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const;
  for (const [cert, options, code] of table) {
    await using server = await serveEvilHttp({ tls: { key, cert: await file(cert) } });
    const endpoint = createServerEndpoint(at(server.url), undefined, options);
    const fault = await faultOf(endpoint.open());
    expect(fault, cert).toMatchObject({ kind: "transport", server: "h" });
    expect(codesOf(fault), cert).toContain(code);
    expect(server.seen, cert).toEqual([]);
  }
  await using server = await serveEvilHttp({ tls: { key, cert: await file("good.pem") } });
  await using endpoint = await openedAt(server.url, { fetch: trusting });
  expect(await act(endpoint, "good")).toBe("good");
  await agent.close();
});

function codesOf(thrown: unknown): string[] {
  const codes: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause)
    codes.push(String((error as { readonly code?: unknown }).code));
  return codes;
}
