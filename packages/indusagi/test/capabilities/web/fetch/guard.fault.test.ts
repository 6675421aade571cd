import { atSize, verifies } from "@indus/testkit";
import { webFetchTool } from "indusagi/capabilities";
import { expect } from "vitest";
import { serve, servePage, trap } from "../loopback.ts";
import { textOf, webContext } from "../web-context.ts";

const rounds = atSize({ quick: 1, full: 25 });

/** All spellings of this machine's address. */
function loopbackHosts(port: number): readonly string[] {
  return [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "127.255.255.254",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "１２７.0.0.1",
  ].map((host) => `${host}:${port}`);
}

const ELSEWHERE = [
  "169.254.169.254",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "100.64.0.1",
  "100.100.100.200",
  "198.18.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "224.0.0.1",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[2001::1]",
];

verifies(
  "web:blocked-targets",
  "every spelling of this machine's address is refused without a connection",
  async () => {
    await using listener = await trap();
    const tool = webFetchTool({ env: {} });
    for (let round = 0; round < rounds; round++) {
      for (const host of loopbackHosts(listener.port)) {
        const result = await tool.execute({ url: `http://${host}/` }, webContext());
        expect(result.isError, host).toBe(true);
        expect(textOf(result), host).toContain("not a public internet address");
      }
    }
    expect(listener.connects).toBe(0);
  },
);

verifies(
  "web:blocked-targets",
  "private, link-local, metadata and reserved addresses are refused without a name lookup",
  async () => {
    const asked: string[] = [];
    const resolve = async (name: string): Promise<string[]> => {
      asked.push(name);
      return ["8.8.8.8"];
    };
    const tool = webFetchTool({ env: {}, resolve });
    for (const host of ELSEWHERE) {
      for (const scheme of ["http", "https"]) {
        const result = await tool.execute({ url: `${scheme}://${host}/` }, webContext());
        expect(textOf(result), host).toContain("not a public internet address");
      }
    }
    expect(asked).toEqual([]);
  },
);

verifies(
  "web:blocked-names",
  "a name with a blocked address, alone or among others, gets no connection",
  async () => {
    await using listener = await trap();
    const answers: Record<string, readonly string[]> = {
      "private.test": ["127.0.0.1"],
      "six.test": ["::1"],
      "mapped.test": ["::ffff:127.0.0.1"],
      "mixed.test": ["127.0.0.1", "8.8.8.8"],
      "mixed-late.test": ["8.8.8.8", "127.0.0.1"],
      "dual.test": ["2606:4700:4700::1111", "::1"],
      "zone.test": ["fe80::1%lo"],
      "nat64.test": ["64:ff9b::7f00:1"],
    };
    const asked: string[] = [];
    const resolve = async (name: string): Promise<readonly string[]> => {
      asked.push(name);
      return answers[name] ?? [];
    };
    const tool = webFetchTool({ env: {}, resolve });
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(answers)) {
        const result = await tool.execute({ url: `http://${name}:${listener.port}/` }, webContext());
        expect(result.isError, name).toBe(true);
        expect(textOf(result), name).toMatch(
          new RegExp(`^webfetch: ${name} resolves to [^ ]+, not a public internet address$`),
        );
      }
    }
    // One lookup each: a second one could return another address than the checked one.
    expect(asked.length).toBe(rounds * Object.keys(answers).length);
    expect(listener.connects).toBe(0);
  },
);

verifies(
  "web:blocked-hops",
  "a redirect of any kind to a blocked target is refused without a connection",
  async () => {
    await using listener = await trap();
    const targets = [
      ...loopbackHosts(listener.port).map((host) => `http://${host}/`),
      "http://169.254.169.254/latest/meta-data",
      "file:///etc/passwd",
      "ftp://example.com/",
      "data:text/html,x",
      "http://user:secret@example.com/",
      "//127.0.0.1:22/",
      "http://example.com:6379/",
      "http://rebind.test/",
    ];
    await using site = await serve((request, response) => {
      const [, status, index] = (request.url ?? "").split("/");
      response.writeHead(Number(status), {
        location: targets[Number(index)]?.replace("１２７", encodeURIComponent),
      });
      response.end();
    });
    const tool = webFetchTool({ env: {}, allowHosts: [site.host], resolve: async () => ["127.0.0.1"] });
    for (const status of [301, 302, 303, 307, 308]) {
      for (const [index, target] of targets.entries()) {
        const result = await tool.execute({ url: `${site.origin}/${status}/${index}` }, webContext());
        expect(result.isError, target).toBe(true);
        expect(textOf(result), target).toMatch(
          /redirected to a URL that is not allowed|resolves to 127\.0\.0\.1/,
        );
        expect(textOf(result), target).not.toContain("secret");
      }
    }
    expect(listener.connects).toBe(0);
  },
);

verifies(
  "web:blocked-shapes",
  "other schemes, user names and ports of other services are refused",
  async () => {
    const tool = webFetchTool({ env: {}, resolve: async () => ["127.0.0.1"] });
    const refusals: readonly (readonly [string, string])[] = [
      ["file:///etc/passwd", "file: URLs are not fetched"],
      ["ftp://example.com/", "ftp: URLs are not fetched"],
      ["data:text/html,hello", "data: URLs are not fetched"],
      ["javascript:alert(1)", "javascript: URLs are not fetched"],
      ["http://user@example.com/", "user name or password"],
      ["http://:pass@example.com/", "user name or password"],
      ["http://[fe80::1%251]/", "not a valid URL"],
      ["example.com", "not a valid URL"],
      ...[22, 25, 6379, 11_211, 5432, 3306, 27_017, 2375, 6667, 1, 79, 443 + 1].map(
        (port) => [`http://example.com:${port}/`, `port ${port} is not allowed`] as const,
      ),
    ];
    for (const [url, message] of refusals) {
      const result = await tool.execute({ url }, webContext());
      expect(result.isError, url).toBe(true);
      expect(textOf(result), url).toContain(message);
      expect(textOf(result)).not.toContain("pass@");
    }
  },
);

verifies(
  "web:opened-hosts",
  "an allowed host:port is fetched, the same host on another port is not",
  async () => {
    await using site = await servePage("<p>hello</p>");
    await using listener = await trap();
    const tool = webFetchTool({
      env: {},
      allowHosts: [site.host, "opened.test"],
      resolve: async () => ["127.0.0.1"],
    });
    const fetched = await tool.execute({ url: `${site.origin}/` }, webContext());
    expect(textOf(fetched)).toContain("hello");
    const byName = await tool.execute({ url: `http://opened.test:${site.port}/` }, webContext());
    expect(textOf(byName)).toContain("hello");

    for (const host of ["127.0.0.1", "localhost", "other.test"]) {
      const refused = await tool.execute({ url: `http://${host}:${listener.port}/` }, webContext());
      expect(refused.isError, host).toBe(true);
    }
    expect(listener.connects).toBe(0);
  },
);

verifies(
  "web:opened-hosts",
  "no environment variable allows a host, and a malformed entry is refused at once",
  async () => {
    await using listener = await trap();
    const env = { INDUS_ALLOW_HOSTS: "*", NO_PROXY: "*", ALLOW_PRIVATE: "1" };
    const result = await webFetchTool({ env }).execute(
      { url: `http://127.0.0.1:${listener.port}/` },
      webContext(),
    );
    expect(result.isError).toBe(true);
    expect(listener.connects).toBe(0);
    for (const entry of ["http://x/", "", "a b", "x:port", "::1", "user@x"]) {
      expect(() => webFetchTool({ allowHosts: [entry] }), entry).toThrow("allowHosts");
    }
  },
);
