import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, verifies } from "@indus/testkit";
import {
  createOAuthProvider,
  createServerEndpoint,
  type ServerEndpointImpl,
  startServerFleet,
} from "indusagi/interop";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { type ScriptedHttpServer, serveHttp } from "../../../../../test/servers/server.mjs";
import { AddressPolicy, guardedFetch } from "../../../src/interop/network/index.ts";
import { startProxy, startTls } from "./proxy.ts";

const TLS = fileURLToPath(new URL("../../../../../test/servers/tls/", import.meta.url));
const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

beforeEach(() => {
  for (const name of [...NAMES, ...NAMES.map((name) => name.toLowerCase()), "SSL_CERT_FILE"]) {
    vi.stubEnv(name, undefined);
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function scripted(): Promise<ScriptedHttpServer & AsyncDisposable & { readonly port: number }> {
  const server = await serveHttp();
  const port = Number(new URL(server.url).port);
  return Object.assign(server, { port, [Symbol.asyncDispose]: () => server.close() });
}

/** The certificate is for the name example.test. */
async function behindTls(port: number): ReturnType<typeof startTls> {
  const [key, cert] = await Promise.all(
    ["test.key", "other-host.pem"].map((name) => readFile(join(TLS, name), "utf8")),
  );
  return startTls(port, { key: key ?? "", cert: cert ?? "" });
}

function endpointFor(url: string): ServerEndpointImpl {
  return createServerEndpoint({ kind: "streamable-http", id: "h", url, onMismatch: "fail" });
}

async function summaryOf(url: string): Promise<string> {
  const servers = [{ kind: "streamable-http", id: "h", url, onMismatch: "fail" }] as const;
  const fleet = await startServerFleet({ servers }, { supervision: false });
  const [status] = fleet.status().values();
  await fleet.tearDown();
  return status?.summary ?? "";
}

verifies("http:proxy", "a proxy sees the CONNECT of an https server behind it", async () => {
  await using server = await scripted();
  await using secure = await behindTls(server.port);
  await using proxy = await startProxy(secure.port);
  // Without a scheme, as many machines have it.
  vi.stubEnv("HTTPS_PROXY", `127.0.0.1:${proxy.port}`);
  vi.stubEnv("SSL_CERT_FILE", join(TLS, "ca.pem"));
  const endpoint = endpointFor("https://example.test/mcp");
  await endpoint.open();
  expect(await endpoint.listTools()).toHaveLength(22);
  expect(await endpoint.invoke("echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  await endpoint.close();
  expect(new Set(proxy.seen)).toEqual(new Set(["CONNECT example.test:443"]));
  expect(server.seen.length).toBeGreaterThan(0);
});

verifies("http:proxy", "plain http is sent as a proxied request", async () => {
  await using server = await scripted();
  await using proxy = await startProxy(server.port);
  vi.stubEnv("http_proxy", `http://127.0.0.1:${proxy.port}`);
  const endpoint = endpointFor("http://example.test/mcp");
  await endpoint.open();
  expect(await endpoint.listTools()).toHaveLength(22);
  await endpoint.close();
  expect(proxy.seen).toContain("POST http://example.test/mcp");
});

verifies("http:proxy", "hosts of NO_PROXY and this machine are reached directly", async () => {
  await using server = await scripted();
  await using proxy = await startProxy(server.port);
  vi.stubEnv("HTTP_PROXY", `http://127.0.0.1:${proxy.port}`);
  const local = endpointFor(server.url);
  await local.open();
  await local.close();
  // 127.0.0.2 is this machine too, but only 127.0.0.1 is exempt by default.
  const other = `http://127.0.0.2:${server.port}/mcp`;
  const proxied = endpointFor(other);
  await proxied.open();
  await proxied.close();
  expect(proxy.seen).toContain(`POST ${other}`);
  const before = proxy.seen.length;
  vi.stubEnv("NO_PROXY", "example.org,127.0.0.2");
  // The server listens at 127.0.0.1 only: the refused connection shows that we tried it directly.
  await expect(endpointFor(other).open()).rejects.toThrow(`nothing listens at 127.0.0.2:${server.port}`);
  expect(proxy.seen).toHaveLength(before);
  expect(proxy.seen.filter((line) => line.includes("127.0.0.1"))).toEqual([]);
});

verifies(
  "http:proxy",
  "a proxy that is down, refuses or is not a URL is named, without its password",
  async () => {
    await using refusing = await startProxy(1, { status: 407 });
    const gone = await startProxy(1);
    await gone[Symbol.asyncDispose]();
    const cases = [
      [`http://me:hush@127.0.0.1:${gone.port}`, `the proxy at 127.0.0.1:${gone.port} cannot be reached`],
      [`http://me:hush@127.0.0.1:${refusing.port}`, "the proxy refused to connect to it (HTTP 407)"],
      ["http://me:hush@not a url", "HTTP_PROXY or HTTPS_PROXY is not valid; correct the variable"],
    ] as const;
    for (const [address, expected] of cases) {
      vi.stubEnv("HTTPS_PROXY", address);
      const summary = await summaryOf("https://example.test/mcp");
      expect(summary, address).toContain(expected);
      expect(summary, address).toMatch(/NO_PROXY|unset it/);
      const fault: unknown = await endpointFor("https://example.test/mcp")
        .open()
        .catch((thrown: unknown) => thrown);
      expect(fault).toMatchObject({ kind: "transport" });
      for (let error = fault; error instanceof Error; error = error.cause) {
        expect(JSON.stringify(error) + error.stack).not.toContain("hush");
      }
    }
  },
);

verifies("http:authorities", "SSL_CERT_FILE adds authorities; an unusable file is noted", async () => {
  await using server = await scripted();
  const [key, cert] = await Promise.all(
    ["test.key", "good.pem"].map((name) => readFile(join(TLS, name), "utf8")),
  );
  await using secure = await startTls(server.port, { key: key ?? "", cert: cert ?? "" });
  const url = `https://127.0.0.1:${secure.port}/mcp`;
  vi.stubEnv("SSL_CERT_FILE", join(TLS, "ca.pem"));
  const endpoint = endpointFor(url);
  await endpoint.open();
  expect(await endpoint.listTools()).toHaveLength(22);
  await endpoint.close();
  for (const [file, reason] of [
    ["absent.pem", "cannot be read (ENOENT)"],
    ["test.key", "contains no PEM certificate"],
    ["", "is not a file of certificates"],
  ] as const) {
    vi.stubEnv("SSL_CERT_FILE", join(TLS, file));
    const refused = endpointFor(url);
    await expect(refused.open(), file).rejects.toThrow("does not trust");
    expect(refused.status().notes, file).toContain(`SSL_CERT_FILE is ignored: its file ${reason}`);
  }
});

verifies(
  "http:authorities",
  "a login notes an unusable file once, whether it asks the server itself or a host that the server names",
  async () => {
    vi.stubEnv("SSL_CERT_FILE", join(TLS, "absent.pem"));
    const closed = await freePort();
    const own = `https://127.0.0.1:${closed}/mcp`;
    const named = `https://localhost:${closed}/token`;
    for (const urls of [[own], [named], [named, own, named]]) {
      const notes: string[] = [];
      const policy = new AddressPolicy({ serverUrl: new URL(own) });
      const send = guardedFetch(policy, { note: (message) => notes.push(message) });
      for (const url of urls) await expect(send(url), url).rejects.toThrow();
      expect(notes).toEqual(["SSL_CERT_FILE is ignored: its file cannot be read (ENOENT)"]);
    }
    const notes: string[] = [];
    const provider = createOAuthProvider({
      serverUrl: own,
      note: (message) => notes.push(message),
      interaction: { redirectUrl: "http://127.0.0.1/callback", authorize: async () => new URLSearchParams() },
    });
    await expect(provider.login()).rejects.toThrow();
    expect(notes).toHaveLength(1);
  },
);
