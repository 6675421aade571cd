import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { verifies } from "@indus/testkit";
import { startServerFleet } from "indusagi/interop";
import { Agent, fetch as undiciFetch } from "undici";
import { expect } from "vitest";

async function listening(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

/** The summaries of servers at these urls, with both HTTP transports. */
async function summaries(
  urls: readonly string[],
  fetching?: typeof fetch,
): Promise<readonly (readonly string[])[]> {
  const servers = urls.flatMap((url, index) =>
    (["streamable-http", "sse"] as const).map((kind) => ({
      kind,
      url,
      id: `${index} ${kind}`,
      onMismatch: "fail" as const,
    })),
  );
  const options = {
    supervision: false,
    timeouts: { connectMs: 20_000 },
    ...(fetching ? { fetch: fetching } : {}),
  } as const;
  const fleet = await startServerFleet({ servers }, options);
  const found = [...fleet.status().values()].map(({ summary = "" }) => summary);
  await fleet.tearDown();
  return urls.map((_, index) => found.slice(index * 2, index * 2 + 2));
}

/** Words of the SDK and of fetch that a user should not see. */
const JARGON =
  /negotiation|probe|SSE error|fetch failed|POSTing|TypeError|errno|getaddrinfo|SSL routines|invalid_union|Non-200/i;

async function expectAdvice(
  table: readonly (readonly [url: string, what: string, advice: string])[],
  fetching?: typeof fetch,
): Promise<void> {
  const found = await summaries(
    table.map(([url]) => url),
    fetching,
  );
  for (const [index, [url, what, advice]] of table.entries()) {
    expect(found[index], url).toHaveLength(2);
    for (const summary of found[index] ?? []) {
      expect(summary, url).toContain(what);
      expect(summary, url).toContain(advice);
      expect(summary, url).not.toMatch(JARGON);
    }
  }
  expect(new Set(table.map(([, , advice]) => advice)).size).toBe(table.length);
}

verifies("diagnose:http", "a refused connection, bad ports and wrong schemes", async () => {
  const gone = await listening(createServer());
  await gone[Symbol.asyncDispose]();
  await using secret = await listening(
    createTcpServer((socket) => void socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9\r\n"))),
  );
  await expectAdvice([
    [`http://127.0.0.1:${gone.port}/mcp`, `nothing listens at 127.0.0.1:${gone.port}`, "start the server"],
    ["http://127.0.0.1:6000/mcp", "its port belongs to another protocol", "serve it at another port"],
    ["http://127.0.0.1:99999/mcp", 'its "url" is not valid', "the highest port is 65535"],
    ["ftp://127.0.0.1/mcp", "neither http:// nor https://", 'correct "url" in its configuration'],
    [`http://127.0.0.1:${secret.port}/mcp`, "does not speak HTTP", "correct the port"],
  ]);
});

verifies("diagnose:http", "a host name that does not exist", async () => {
  for (const summary of (await summaries(["http://no-such-host.invalid/mcp"])).flat()) {
    // A machine without a network cannot tell that the name does not exist.
    expect(summary).toMatch(
      /host no-such-host\.invalid was not found; correct the host name|the DNS server did not answer .*check the network/,
    );
    expect(summary).not.toMatch(JARGON);
  }
});

verifies("diagnose:http", "a 404, a login, an outage and pages that are not MCP", async () => {
  const at = async (status: number, body: string): Promise<Awaited<ReturnType<typeof listening>>> => {
    const answer: RequestListener = (_, response) =>
      void response.writeHead(status, { "content-type": "text/html" }).end(body);
    return listening(createServer(answer));
  };
  await using missing = await at(404, "");
  await using closed = await at(401, "");
  await using broken = await at(500, "");
  await using page = await at(200, "<h1>Welcome</h1>");
  await expectAdvice([
    [
      `http://127.0.0.1:${missing.port}/x`,
      "HTTP 404: there is nothing at this path",
      'correct the path in its "url"',
    ],
    [
      `http://127.0.0.1:${closed.port}/x`,
      "HTTP 401: it requires a login",
      "put a valid token into its headers",
    ],
    [`http://127.0.0.1:${broken.port}/x`, "HTTP 500", "check the log of the server"],
    [
      `http://127.0.0.1:${page.port}/x`,
      "instead of an MCP message",
      'check that its "url" points to an MCP server',
    ],
  ]);
});

const pem = (name: string): Promise<string> =>
  readFile(new URL(`../../../../../../test/servers/tls/${name}`, import.meta.url), "utf8");

verifies(
  "diagnose:http",
  "certificates that are self-signed, expired, unknown or for another host, and TLS on one side only",
  async () => {
    const key = await pem("test.key");
    const served = async (cert: string): Promise<Awaited<ReturnType<typeof listening>>> =>
      listening(createTlsServer({ key, cert: await pem(cert) }, (_, response) => void response.end()));
    const agent = new Agent({ connect: { ca: await pem("ca.pem") } });
    const trusting = ((input: string, init: object) =>
      undiciFetch(input, { ...init, dispatcher: agent })) as unknown as typeof fetch;
    await using selfSigned = await served("self-signed.pem");
    await using expired = await served("expired.pem");
    await using otherHost = await served("other-host.pem");
    await using good = await served("good.pem");
    await using plain = await listening(createServer((_, response) => void response.end()));
    await expectAdvice([
      [
        `https://127.0.0.1:${selfSigned.port}/mcp`,
        "its certificate is self-signed",
        "a file with that certificate",
      ],
      [
        `https://127.0.0.1:${good.port}/mcp`,
        "an authority that this machine does not trust",
        "the certificate of that authority",
      ],
      [`https://127.0.0.1:${plain.port}/mcp`, "does not speak TLS", "use http:// instead of https://"],
      [
        `http://127.0.0.1:${good.port}/mcp`,
        "the connection was closed before an answer came",
        'if it expects TLS, use https:// in its "url"',
      ],
    ]);
    await expectAdvice(
      [
        [`https://127.0.0.1:${expired.port}/mcp`, "its certificate has expired", "renew its certificate"],
        [
          `https://127.0.0.1:${otherHost.port}/mcp`,
          "its certificate is for another host",
          "use a host name of the certificate",
        ],
      ],
      trusting,
    );
    await agent.close();
  },
);
