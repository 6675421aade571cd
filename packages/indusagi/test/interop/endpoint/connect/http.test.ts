import { verifies } from "@indus/testkit";
import { createServerEndpoint, type EndpointOptions, type ServerEndpointImpl } from "indusagi/interop";
import { expect } from "vitest";
import { type ScriptedHttpServer, serveHttp } from "../../../../../../test/servers/server.mjs";

type Options = Parameters<typeof serveHttp>[0];

async function listening(options: Options = {}): Promise<ScriptedHttpServer & AsyncDisposable> {
  const server = await serveHttp(options);
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

function endpointFor(
  url: string,
  options: EndpointOptions = {},
  headers: Record<string, string> = {},
): ServerEndpointImpl {
  return createServerEndpoint(
    { kind: "streamable-http", id: "h", url, headers, onMismatch: "fail" },
    undefined,
    options,
  );
}

const textOf = (result: { readonly content: readonly unknown[] }): string =>
  (result.content[0] as { readonly text: string }).text;

for (const era of ["legacy", "modern"] as const) {
  verifies("http:both-eras", `${era}: listing, calling and progress`, async () => {
    await using server = await listening({ era });
    const endpoint = endpointFor(server.url, {}, { "x-mine": "yes" });
    await endpoint.open();
    expect(endpoint.session().era).toBe(era);
    expect(await endpoint.listTools()).toHaveLength(22);
    expect(textOf(await endpoint.invoke("echo", { text: "hi" }))).toBe("hi");
    const notes: unknown[] = [];
    await endpoint.invoke("slow", { ms: 40 }, { onProgress: (note) => notes.push(note) });
    expect(notes.length).toBeGreaterThan(0);
    const { headers } = JSON.parse(textOf(await endpoint.invoke("meta", {}))) as {
      readonly headers: Record<string, string>;
    };
    expect(headers).toMatchObject({ "x-mine": "yes" });
    expect(headers["mcp-method"]).toBe(era === "modern" ? "tools/call" : undefined);
    expect(headers["mcp-name"]).toBe(era === "modern" ? "meta" : undefined);
    await endpoint.close();
  });

  verifies("http:both-eras", `${era}: an abort ends the call and leaves the connection`, async () => {
    await using server = await listening({ era });
    const endpoint = endpointFor(server.url);
    await endpoint.open();
    const reason = new Error("enough");
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 30);
    await expect(endpoint.invoke("silent", {}, { signal: abort.signal })).rejects.toBe(reason);
    expect(textOf(await endpoint.invoke("echo", { text: "on" }))).toBe("on");
    await endpoint.close();
  });
}

verifies("http:redirects", "another port is another origin: refused, and never requested", async () => {
  await using target = await listening();
  await using server = await listening({ redirectTo: target.url });
  const endpoint = endpointFor(server.url, {}, { "x-api-key": "secret" });
  await expect(endpoint.open()).rejects.toMatchObject({ kind: "transport", server: "h" });
  expect(target.seen).toEqual([]);
  expect(server.seen.length).toBeGreaterThan(0);
});

verifies("http:session-lost", "the first call that finds its session gone faults the endpoint", async () => {
  await using server = await listening({ era: "legacy" });
  const endpoint = endpointFor(server.url);
  await endpoint.open();
  server.forgetSessions();
  const fault = await endpoint.invoke("echo", {}).catch((thrown: unknown) => thrown);
  expect(fault).toMatchObject({
    kind: "transport",
    reason: "session_lost",
    retrySafe: true,
    details: { status: 404 },
  });
  expect(endpoint.phase).toBe("faulted");
  expect(endpoint.status().fault).toBe(fault);
  await expect(endpoint.invoke("echo", {})).rejects.toBe(fault);
});

verifies(
  "http:login",
  "a static header or a token provider is enough; without either it is an auth fault",
  async () => {
    await using server = await listening({ token: "t0ken" });
    const withHeader = endpointFor(server.url, {}, { authorization: "Bearer t0ken" });
    const withProvider = endpointFor(server.url, { auth: { token: async () => "t0ken" } });
    for (const endpoint of [withHeader, withProvider]) {
      await endpoint.open();
      expect(await endpoint.listTools()).toHaveLength(22);
      await endpoint.close();
    }
    const fault = await endpointFor(server.url)
      .open()
      .catch((thrown: unknown) => thrown);
    expect(fault).toMatchObject({ kind: "transport", reason: "auth", details: { status: 401 } });
    expect(JSON.stringify(fault)).not.toContain("t0ken");
  },
);
