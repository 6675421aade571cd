import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { atSize, machinePace, verifies } from "@indus/testkit";
import { webFetchTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { type Loopback, serve, servePage, until } from "../loopback.ts";
import { textOf, webContext } from "../web-context.ts";

const KIB = 1024;
const plain = { "content-type": "text/plain" };

function toolFor(site: Loopback, timeoutMs = 10_000): ReturnType<typeof webFetchTool> {
  return webFetchTool({ env: {}, allowHosts: [site.host], timeoutMs });
}

verifies(
  "web:body-cap",
  "an endless body is read up to the cap, marked as cut, and its connection closed",
  async () => {
    await using site = await serve((_request, response) => {
      response.writeHead(200, plain);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(16 * KIB)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const result = await toolFor(site).execute({ url: site.origin, maxBytes: 100 * KIB }, webContext());
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toContain(`the first ${100 * KIB} bytes; there is more`);
    await until(() => site.open === 0);
  },
);

verifies(
  "web:body-cap",
  "a declared length is ignored, whether it is 10 GB or more than the body",
  async () => {
    await using huge = await serve((_request, response) => {
      response.writeHead(200, { ...plain, "content-length": String(10 * 1024 ** 3) });
      response.write("y".repeat(200 * KIB));
    });
    const capped = await toolFor(huge).execute({ url: huge.origin, maxBytes: 64 * KIB }, webContext());
    expect(textOf(capped)).toContain(`the first ${64 * KIB} bytes`);

    await using broken = await serve((_request, response) => {
      response.writeHead(200, { ...plain, "content-length": "1000" });
      response.write("only this", () => response.destroy());
    });
    const partial = await toolFor(broken).execute({ url: broken.origin }, webContext());
    expect(textOf(partial)).toContain("9 bytes, not complete: the connection was lost");
    expect(textOf(partial)).toContain("only this");
  },
);

verifies("web:body-cap", "maxBytes is limited, and a body of exactly that size is not cut", async () => {
  const most = 5 * 1024 * KIB;
  await using site = await servePage(Buffer.alloc(most + 1, "z"), plain);
  const result = await toolFor(site).execute({ url: site.origin, maxBytes: most * 10 }, webContext());
  expect(textOf(result)).toContain(`the first ${most} bytes`);
  await using exact = await servePage("12345", plain);
  expect(textOf(await toolFor(exact).execute({ url: exact.origin, maxBytes: 5 }, webContext()))).toContain(
    "Size: 5 bytes\n",
  );
});

verifies("web:body-cap", "a decompression bomb is read only up to the cap", async () => {
  const bombBytes = atSize({ quick: 32, full: 2048 }) * KIB * KIB;
  for (const [name, create] of [
    ["gzip", () => createGzip()],
    ["br", () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ] as const) {
    await using site = await serve((_request, response) => {
      response.writeHead(200, { ...plain, "content-encoding": name });
      const bomb = create();
      bomb.pipe(response);
      response.on("close", () => bomb.destroy());
      const zeros = Buffer.alloc(1024 * KIB, "0");
      let written = 0;
      const more = (): void => {
        for (; written < bombBytes && !bomb.destroyed; ) {
          written += zeros.length;
          if (!bomb.write(zeros)) return void bomb.once("drain", more);
        }
        if (!bomb.destroyed) bomb.end();
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const result = await toolFor(site).execute({ url: site.origin, maxBytes: 256 * KIB }, webContext());
    expect(textOf(result), name).toContain(`the first ${256 * KIB} bytes`);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * KIB * KIB);
    await until(() => site.open === 0);
  }
});

verifies("web:body-cap", "endless compressed data that expands to nothing is cut", async () => {
  const nothing = Buffer.concat(Array.from({ length: 500 }, () => gzipSync("")));
  await using site = await serve((_request, response) => {
    response.writeHead(200, { ...plain, "content-encoding": "gzip" });
    const more = (): void => {
      while (!response.destroyed && response.write(nothing));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const result = await toolFor(site).execute({ url: site.origin, maxBytes: 64 * KIB }, webContext());
  expect(textOf(result)).toContain("Status: 200 OK");
  await until(() => site.open === 0);
});

verifies(
  "web:encodings",
  "gzip, both forms of deflate, br and two nested encodings are decoded",
  async () => {
    const text = "hello from inside ".repeat(50);
    const cases: readonly (readonly [string, Buffer])[] = [
      ["gzip", gzipSync(text)],
      ["x-gzip", gzipSync(text)],
      ["deflate", deflateSync(text)],
      ["deflate", deflateRawSync(text)],
      ["br", brotliCompressSync(text)],
      ["gzip, br", brotliCompressSync(gzipSync(text))],
      ["identity", Buffer.from(text)],
      ["gzip", gzipSync(text).subarray(0, -8)],
    ];
    for (const [encoding, body] of cases) {
      await using site = await servePage(body, { ...plain, "content-encoding": encoding });
      expect(textOf(await toolFor(site).execute({ url: site.origin }, webContext())), encoding).toContain(
        text.trim(),
      );
    }
  },
);

verifies(
  "web:encodings",
  "an encoding that is unknown, nested too often or corrupt is a failure with the reason",
  async () => {
    const cases: readonly (readonly [string, Uint8Array, string])[] = [
      ["zstd", Buffer.from("any bytes"), '"zstd", which we did not accept'],
      ["gzip, gzip, gzip", gzipSync(gzipSync(gzipSync("x"))), "compressed 3 times"],
      ["gzip", Buffer.from("this is not gzip"), "not valid gzip"],
      ["br", Buffer.from("this is not brotli at all"), "not valid br"],
    ];
    for (const [encoding, body, message] of cases) {
      await using site = await servePage(body, { ...plain, "content-encoding": encoding });
      const result = await toolFor(site).execute({ url: site.origin }, webContext());
      expect(result.isError, encoding).toBe(true);
      expect(textOf(result), encoding).toContain(message);
    }
  },
);

verifies("web:time-cap", "a very slow body and a server that never answers time out", async () => {
  const deadline = atSize({ quick: 300, full: 3000 });
  await using drip = await serve((_request, response) => {
    response.writeHead(200, plain);
    const timer = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(timer));
  });
  await using mute = await serve(() => undefined);
  for (const site of [drip, mute]) {
    const pace = await machinePace();
    const started = performance.now();
    const result = await toolFor(site, deadline).execute({ url: site.origin }, webContext());
    const time = atSize({ quick: "300 ms", full: "3 s" });
    expect(textOf(result)).toBe(`webfetch: no complete response within ${time}`);
    expect(result.isError).toBe(true);
    await pace.check([performance.now() - started - deadline], { hangMs: 10_000, medianMs: 2000 });
    await until(() => site.open === 0);
  }
});

verifies("web:time-cap", "a resolver that never answers times out", async () => {
  const tool = webFetchTool({ env: {}, timeoutMs: 200, resolve: () => new Promise(() => undefined) });
  const result = await tool.execute({ url: "http://slow.test/" }, webContext());
  expect(textOf(result)).toContain("no complete response within 200 ms");

  const env = { HTTP_PROXY: "http://127.0.0.1:9/" };
  const proxied = webFetchTool({ env, timeoutMs: 200, resolve: () => new Promise(() => undefined) });
  expect(textOf(await proxied.execute({ url: "http://slow.test/" }, webContext()))).toContain(
    "within 200 ms",
  );
});

verifies("web:abort", "an abort during a body ends the call and the connection", async () => {
  await using site = await serve((_request, response) => {
    response.writeHead(200, plain);
    response.write("beginning");
  });
  const stop = new AbortController();
  const ctx = webContext({ signal: stop.signal });
  const running = toolFor(site).invoke({ id: "7", name: "webfetch", input: { url: site.origin } }, ctx);
  await until(() => site.requests.length === 1);
  stop.abort();
  expect((await running).fault).toMatchObject({ reason: "aborted" });
  await until(() => site.open === 0);
});

verifies("web:header-cap", "response headers of a megabyte are a failure", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(`HTTP/1.1 200 OK\r\nx-long: ${"h".repeat(1024 * KIB)}\r\n\r\nbody`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const tool = webFetchTool({ env: {}, allowHosts: [`127.0.0.1:${port}`] });
  const result = await tool.execute({ url: `http://127.0.0.1:${port}/` }, webContext());
  server.close();
  await once(server, "close");
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("headers are larger than");
});

verifies("web:redirects", "five redirects are followed, the sixth is not, and a loop ends too", async () => {
  await using site = await serve((request, response) => {
    const left = Number((request.url ?? "/0").slice(1));
    response.writeHead(left === 0 ? 200 : 302, left === 0 ? plain : { location: `/${left - 1}` });
    response.end(left === 0 ? "arrived" : "x".repeat(KIB));
  });
  const tool = toolFor(site);
  const arrived = await tool.execute({ url: `${site.origin}/5` }, webContext());
  expect(textOf(arrived)).toContain("arrived");
  expect(textOf(arrived)).toContain(`URL: ${site.origin}/0`);

  const before = site.requests.length;
  const tooMany = await tool.execute({ url: `${site.origin}/300` }, webContext());
  expect(textOf(tooMany)).toContain("redirects more than 5 times");
  expect(site.requests.length - before).toBe(6);
});

verifies(
  "web:redirects",
  "a redirect to an invalid URL is a failure; one without a target is an error page",
  async () => {
    await using site = await serve((request, response) => {
      response.writeHead(302, request.url === "/none" ? {} : { location: "http://[" });
      response.end("moved?");
    });
    const bad = await toolFor(site).execute({ url: site.origin }, webContext());
    expect(textOf(bad)).toContain("redirects to something that is not a URL");
    const none = await toolFor(site).execute({ url: `${site.origin}/none` }, webContext());
    expect(textOf(none)).toContain("Status: 302 Found");
    expect(none.isError).toBe(true);
  },
);
