import { verifies } from "@indus/testkit";
import { webFetchTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { type Loopback, serve, servePage, trap } from "../loopback.ts";
import { textOf, webContext } from "../web-context.ts";

/** A proxy that answers for every host. */
function proxy(): Promise<Loopback> {
  return serve((request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`proxied ${request.url}`);
  });
}

const nowhere = async (name: string): Promise<string[]> => {
  throw new Error(`no such name: ${name}`);
};

verifies(
  "web:proxy",
  "plain http is sent to the proxy as a proxied request, whatever the proxy's address",
  async () => {
    await using via = await proxy();
    for (const name of ["HTTP_PROXY", "http_proxy"]) {
      const tool = webFetchTool({ env: { [name]: via.origin }, resolve: async () => ["8.8.8.8"] });
      const result = await tool.execute({ url: "http://site.test/page?q=1" }, webContext());
      expect(textOf(result), name).toContain("proxied http://site.test/page?q=1");
    }
  },
);

verifies("web:proxy", "https asks the proxy for a tunnel, and a refusal is reported", async () => {
  await using via = await proxy();
  const asked: string[] = [];
  via.server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const env = { HTTPS_PROXY: via.origin };
  const tool = webFetchTool({ env, resolve: async () => ["8.8.8.8"] });
  const result = await tool.execute({ url: "https://site.test/" }, webContext());
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("site.test could not be reached");
  expect(asked).toEqual(["site.test:443"]);
});

verifies("web:proxy", "a name with a private address is refused before the proxy is contacted", async () => {
  await using via = await proxy();
  const env = { HTTP_PROXY: via.origin };
  for (const addresses of [["10.0.0.5"], ["8.8.8.8", "127.0.0.1"]]) {
    const tool = webFetchTool({ env, resolve: async () => addresses });
    expect((await tool.execute({ url: "http://inside.test/" }, webContext())).isError).toBe(true);
  }
  const literal = await webFetchTool({ env }).execute({ url: "http://169.254.169.254/" }, webContext());
  expect(literal.isError).toBe(true);
  expect(via.connects).toBe(0);
});

verifies(
  "web:proxy",
  "a name that only the proxy can resolve is allowed, unless it is a name of a private network",
  async () => {
    await using via = await proxy();
    const tool = webFetchTool({ env: { HTTP_PROXY: via.origin }, resolve: nowhere });
    const result = await tool.execute({ url: "http://public.example/" }, webContext());
    expect(textOf(result)).toContain("proxied http://public.example/");
    for (const host of [
      "intranet",
      "db.internal",
      "printer.local",
      "wiki.corp",
      "router.lan",
      "db.internal.",
    ]) {
      const refused = await tool.execute({ url: `http://${host}/` }, webContext());
      expect(textOf(refused), host).toContain("private network");
    }
    expect(via.requests.length).toBe(1);
  },
);

verifies("web:proxy", "NO_PROXY hosts are reached directly, and guarded when connecting", async () => {
  await using via = await proxy();
  await using listener = await trap();
  const env = { HTTP_PROXY: via.origin, NO_PROXY: "direct.test" };
  let asked = 0;
  // Public in the check before the proxy, private when connecting: the second check must refuse it.
  const changing = async (): Promise<string[]> => (asked++ === 0 ? ["8.8.8.8"] : ["127.0.0.1"]);
  const result = await webFetchTool({ env, resolve: changing }).execute(
    { url: `http://direct.test:${listener.port}/` },
    webContext(),
  );
  expect(textOf(result)).toContain("direct.test resolves to 127.0.0.1");
  expect([via.connects, listener.connects]).toEqual([0, 0]);
});

verifies("web:proxy", "this machine, when allowed, is not reached through a proxy", async () => {
  await using via = await proxy();
  await using site = await servePage("<p>from here</p>");
  const tool = webFetchTool({ env: { HTTP_PROXY: via.origin }, allowHosts: [site.host] });
  expect(textOf(await tool.execute({ url: site.origin }, webContext()))).toContain("from here");
  expect(via.connects).toBe(0);
});

verifies(
  "web:proxy",
  "a proxy variable that is not a URL, or a proxy that is down, is a failure with the reason",
  async () => {
    const resolve = async (): Promise<string[]> => ["8.8.8.8"];
    const bad = await webFetchTool({ env: { HTTP_PROXY: "not a url" }, resolve }).execute(
      { url: "http://site.test/" },
      webContext(),
    );
    expect(textOf(bad)).toContain("HTTP_PROXY or HTTPS_PROXY is not a usable proxy URL");

    const via = await proxy();
    await via[Symbol.asyncDispose]();
    const env = { HTTP_PROXY: `http://user:hush@${via.host}` };
    const gone = await webFetchTool({ env, resolve }).execute({ url: "http://site.test/" }, webContext());
    expect(gone.isError).toBe(true);
    expect(textOf(gone)).not.toContain("hush");
  },
);
