import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { verifies } from "@indus/testkit";
import {
  createServerEndpoint,
  type ProtocolFault,
  type ServerConfig,
  type SessionNotification,
  startServerFleet,
} from "indusagi/interop";
import { expect } from "vitest";

const SECRET = "Zx9/horse+battery=Staple";
const program = fileURLToPath(new URL("../kit/leaky-server.mjs", import.meta.url));

const leaky = (...flags: string[]): ServerConfig => ({
  kind: "stdio",
  id: "leaky",
  command: process.execPath,
  args: [program, ...flags],
  env: { LEAK: SECRET },
});

const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString("base64").slice(0, -4),
  Buffer.from(`me:${SECRET}`).toString("base64"),
  SECRET.slice(0, SECRET.length / 2),
  SECRET.slice(SECRET.length / 2),
];

/** Everything that a log could show of a value, with the whole chain of causes and all stacks. */
function shown(value: unknown): string {
  return `${inspect(value, { depth: 20, showHidden: true })}\n${JSON.stringify(value)}\n${String(value)}`;
}

function expectClean(value: unknown): void {
  for (const form of FORMS) expect(shown(value)).not.toContain(form);
}

const faultOf = (work: Promise<unknown>): Promise<ProtocolFault> =>
  work.then(
    () => expect.fail("it did not fail"),
    (thrown: unknown) => thrown as ProtocolFault,
  );

verifies("secrets:status", "a server that prints its secret in pieces and dies", async () => {
  const fleet = await startServerFleet({ servers: [leaky("--die")] }, { supervision: false });
  try {
    const status = fleet.status().get("leaky");
    expect(status?.fault?.message).toContain("refused: [redacted]");
    expect(status?.fault?.details.stderr).toContain("cannot log in with [redacted] or ");
    expectClean([...fleet.status()]);
    expectClean(await faultOf(fleet.acquire("leaky")));
  } finally {
    await fleet.tearDown();
  }
});

verifies("secrets:status", "the end of a standard error that is longer than what is kept", async () => {
  const noise = "process.stderr.write(process.env.LEAK + 'x'.repeat(995)); process.exit(3)";
  const endpoint = createServerEndpoint(
    { kind: "stdio", id: "noisy", command: process.execPath, args: ["-e", noise], env: { LEAK: SECRET } },
    undefined,
    { stdio: { stderrBytes: 1000 } },
  );
  const fault = await faultOf(endpoint.open());
  expect(fault.details.stderr).toMatch(/^\[redacted\]x{995}$/);
});

verifies("secrets:status", "notes about lines that are not messages and about failed listings", async () => {
  const endpoint = createServerEndpoint(leaky("--garbage", "--bad-list"));
  try {
    await endpoint.open();
    expectClean(await faultOf(endpoint.listTools()));
    const { notes } = endpoint.status();
    expect(notes?.join("\n")).toContain("starting with [redacted]");
    expect(notes?.join("\n")).toContain("no tools for [redacted]");
    expectClean(endpoint.status());
  } finally {
    await endpoint.close();
  }
});

verifies(
  "secrets:faults",
  "errors of calls and of other requests, and the fault of a lost server",
  async () => {
    const endpoint = createServerEndpoint(leaky());
    try {
      await endpoint.open();
      const refused = await faultOf(endpoint.invoke("refuse", {}));
      expect(refused.message).toContain("bad login [redacted]");
      expect(refused.rpc).toEqual({
        code: -32000,
        message: "bad login [redacted]",
        data: { tried: ["[redacted]"] },
      });
      expectClean(refused);
      expectClean(await faultOf(endpoint.session().request("tools/call", { name: "refuse" })));
      expectClean(await faultOf(endpoint.invoke("die", {})));
      expectClean(endpoint.status());
    } finally {
      await endpoint.close();
    }
  },
);

verifies("secrets:faults", "results keep what the server sent; its log messages do not", async () => {
  const endpoint = createServerEndpoint(leaky());
  try {
    await endpoint.open();
    const logged: SessionNotification[] = [];
    endpoint.session().onNotification((notification) => logged.push(notification));
    const { content } = await endpoint.invoke("result", {});
    expect(content).toEqual([{ type: "text", text: SECRET }]);
    await endpoint.invoke("log", {});
    expect(logged).toEqual([
      { method: "notifications/message", params: { level: "info", data: "using [redacted]" } },
    ]);
    await endpoint.invoke("complain", {});
    await expect.poll(() => endpoint.status().stderrTail).toContain("refused: [redacted]");
    expectClean(endpoint.status());
  } finally {
    await endpoint.close();
  }
});

verifies("secrets:faults", "what an HTTP server says about headers, login and query of its URL", async () => {
  const login = `me:${encodeURIComponent(`pw-${SECRET}`)}@`;
  for (const [status, kind, user] of [
    [403, "streamable-http", ""],
    [503, "streamable-http", ""],
    [500, "sse", ""],
    [200, "streamable-http", login], // Refused by fetch, which names the whole URL.
  ] as const) {
    const server = createServer((request, response) => {
      request.resume();
      const seen = `${request.headers.authorization} ${String(request.headers["x-id"])} ${request.url}`;
      // The secret is cut by the limit for the pages of errors.
      response
        .writeHead(status)
        .end(`bad ${seen} ${"<br>".repeat(1000)}${" ".repeat(60)}${SECRET.repeat(20)}`);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = createServerEndpoint({
      kind,
      id: "web",
      url: `http://${user}127.0.0.1:${port}/mcp?key=${encodeURIComponent(`q-${SECRET}`)}`,
      headers: { Authorization: `Bearer ${SECRET}`, "X-Id": `id-${SECRET}` },
      onMismatch: "fail",
    });
    try {
      expectClean(await faultOf(endpoint.open()));
      expectClean(endpoint.status());
    } finally {
      await endpoint.close();
      server.closeAllConnections();
      server.close();
    }
  }
});
