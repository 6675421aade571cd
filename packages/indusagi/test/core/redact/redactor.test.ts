import { inspect } from "node:util";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { Redactor, secretValues } from "../../../src/core/internal.ts";

verifies("secrets:forms", "a secret is found in every encoding, at any place", () => {
  const secret = fc.string({ minLength: 7, maxLength: 40 }).filter((text) => text.trim().length >= 7);
  const around = fc.string({ maxLength: 10 });
  fc.assert(
    fc.property(secret, around, around, (value, before, after) => {
      const redactor = new Redactor([value]);
      const encodings: ((text: string) => string)[] = [
        (text) => text,
        (text) => JSON.stringify(text),
        encodeURIComponent,
        (text) => new URLSearchParams({ text }).toString(),
      ];
      for (const encode of encodings) {
        const shown = redactor.known(encode(`${before}${value}${after}`));
        expect(shown.split("[redacted]").join("\0")).not.toContain(encode(value).replaceAll('"', ""));
        expect(shown).toContain("[redacted]");
      }
      for (const alphabet of ["base64", "base64url"] as const) {
        const encoded = Buffer.from(`${before}${value.trim()}${after}`).toString(alphabet);
        const left = redactor.known(encoded).split("[redacted]");
        expect(left.length).toBeGreaterThan(1);
      }
    }),
  );
});

verifies("secrets:forms", "overlapping secrets leave nothing of each other", () => {
  const redactor = new Redactor(["abcdefgh", "efghijkl", "bcd-other"]);
  expect(redactor.known("x abcdefghijkl y")).toBe("x [redacted] y");
  expect(new Redactor(["aaaa"]).known("aaaaaa")).toBe("[redacted]");
});

verifies("secrets:forms", "a secret of several lines is found line by line", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\nq83vEjRWeJCrze8SNFZ4\n-----END KEY-----";
  const redactor = new Redactor([key]);
  expect(redactor.known(`1: ${key}`)).toBe("1: [redacted]");
  expect(redactor.known("  q83vEjRWeJCrze8SNFZ4")).toBe("  [redacted]");
  expect(redactor.known(JSON.stringify({ key }))).toBe('{"key":"[redacted]"}');
});

verifies("secrets:forms", "the part of a secret at the edge of a cut text", () => {
  const redactor = new Redactor(["hunter2-Zx9"]);
  expect(redactor.known("er2-Zx9 was wrong", { start: true })).toBe("[redacted] was wrong");
  expect(redactor.known("wrong: hunter2", { end: true })).toBe("wrong: [redacted]");
  expect(redactor.known("wrong: hunter2")).toBe("wrong: hunter2");
});

verifies("secrets:errors", "an error keeps its class, and what holds no secret is the same object", () => {
  class Special extends Error {
    readonly extra: object;
    constructor(message: string, options: ErrorOptions & { readonly extra: object }) {
      super(message, options);
      this.extra = options.extra;
    }
  }
  const redactor = new Redactor(["hunter2-Zx9"]);
  const root = Object.assign(new Error("root hunter2-Zx9"), { code: "EACCES", status: 403 });
  const error = new Special("outer", {
    cause: new AggregateError([root], "many"),
    extra: { a: ["hunter2-Zx9"] },
  });
  const clean = redactor.value(error);
  expect(clean).toBeInstanceOf(Special);
  expect(clean.extra).toEqual({ a: ["[redacted]"] });
  const inner = (clean.cause as AggregateError).errors[0] as typeof root;
  expect(inner).toMatchObject({ message: "root [redacted]", code: "EACCES", status: 403 });
  expect(inspect(clean, { depth: 20 })).not.toContain("hunter2");
  const harmless = new Special("fine", { cause: new Error("also fine"), extra: { a: 1 } });
  expect(redactor.value(harmless)).toBe(harmless);
  const abort = redactor.value(new DOMException("hunter2-Zx9", "AbortError"));
  expect([abort.name, abort.message]).toEqual(["AbortError", "[redacted]"]);
});

verifies("secrets:errors", "cycles and depth end", () => {
  const circle: Record<string, unknown> = { text: "hunter2-Zx9" };
  circle["self"] = circle;
  circle["again"] = [circle, circle];
  let deep: unknown = "hunter2-Zx9";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const error = Object.assign(new Error("x"), { circle, deep });
  error.cause = error;
  expect(inspect(new Redactor(["hunter2-Zx9"]).value(error), { depth: 200 })).not.toContain("hunter2");
});

verifies("secrets:which", "what counts as a secret of a configuration", () => {
  expect(
    secretValues({
      env: { API_KEY: "abcd", PLAIN: "sesame", PIN_TOKEN: "4821", DB: "postgres://user-1:open@db/x" },
      headers: { Authorization: "Bearer abc123", Cookie: "a=chocolate; b=vanilla", "X-Id": "tenant-7" },
      url: "https://me:pa%20ss@host/v1/0123456789abcdef0123?key=open-up&mode=fast",
      args: ["--token", "t0ken", "--api-key=k3y-1", "--header", "X-Auth: s3cret", "plain-argument"],
    }),
  ).toEqual([
    "abcd",
    "sesame",
    "4821",
    "postgres://user-1:open@db/x",
    "user-1",
    "open",
    "Bearer abc123",
    "abc123",
    "a=chocolate; b=vanilla",
    "b=vanilla",
    "chocolate",
    "vanilla",
    "tenant-7",
    "pa ss",
    "open-up",
    "0123456789abcdef0123",
    "t0ken",
    "k3y-1",
    "X-Auth: s3cret",
    "s3cret",
  ]);
});

verifies("secrets:which", "short, common and harmless values do not count", () => {
  const home = process.env["HOME"] ?? "/home/somebody";
  expect(
    secretValues({
      env: {
        A: "1",
        DEBUG: "true",
        NODE_ENV: "production",
        LOG_LEVEL: "verbose",
        AUTH: "basic",
        HOME: home,
        PATH: process.env["PATH"] ?? "/usr/bin",
        PORT: "300000",
        MAX_TOKENS: "4096",
        DATA_DIR: "/srv/data",
        BASE_URL: "https://api.example.com/v1",
        KEY: "abc",
        SHORT: "hello",
      },
      headers: { Accept: "application/json", "User-Agent": "some client" },
      url: "http://127.0.0.1:8080/mcp?a=1",
      args: ["serve", "--port", "300000"],
    }),
  ).toEqual([]);
});

verifies("secrets:which", "messages about ordinary things stay as they are", () => {
  const redactor = new Redactor(secretValues({ env: { API_KEY: "abcd-efgh", NODE_ENV: "production" } }));
  for (const message of [
    "production is not a mode",
    "invalid token: expired",
    "basic information is missing",
    "open http://127.0.0.1:8080/mcp",
    "ENOENT: no such file or directory, open '/srv/data/x.json'",
  ])
    expect(redactor.text(message)).toBe(message);
});

/** Lines of servers that say what is missing, where, and what to write: nothing in them is a secret. */
const harmless: readonly string[] = [
  "GEMINI_API_KEY: NOT SET",
  "OPENAI_API_KEY=undefined, ANTHROPIC_API_KEY=null",
  "SLACK_BOT_TOKEN: ❌ missing",
  "GITHUB_TOKEN: (not set)",
  "API_KEY: Required; API_SECRET: Required",
  "NOTION_TOKEN: Expected string, received undefined",
  "STRIPE_SECRET: ***",
  "export API_KEY=your-api-key",
  "API_KEY=<YOUR_KEY> npx some-server",
  'add "env": { "API_KEY": "${API_KEY}" }',
  "API_KEY=$API_KEY",
  "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
  "GITHUB_TOKEN=ghp_your_personal_access_token",
  "apiKey: process.env.API_KEY",
  "Cannot read the token: /home/me/.config/some-server/token.json",
  "credentials: ~/.aws/credentials",
  "    at file:///home/me/.npm/_npx/15b07286cbcc33290a1b/node_modules/@scope/server-of-2025-edition/dist/index.js:12:3",
  "npm error 404 Not Found - GET https://registry.npmjs.org/mcp-server-kubernetes-2025-preview - Not found",
  "npm error 404 '@scope/sk-learn-mcp-server-tools@latest' is not in this registry",
  "cannot load credential: @scope/token-store@1.2.3",
];

verifies("secrets:meaning", "states, placeholders, paths and packages stay in a message", () => {
  const redactor = new Redactor(secretValues({ env: { API_KEY: "your-api-key", TOKEN: "<YOUR_TOKEN>" } }));
  for (const message of harmless) expect(redactor.text(message)).toBe(message);
});

verifies("secrets:meaning", "a value in the same places is still replaced", () => {
  for (const value of [
    "Zx9-hunter2",
    "$ecret1",
    "hunter-2",
    "<3kittens",
    "abc/def+ghi==",
    "/9j4AAQSkZJRg",
    "NOTsetXY1",
  ])
    for (const line of [`GEMINI_API_KEY: ${value}`, `token=${value}`, `"password": "${value}"`])
      expect(new Redactor().text(line), line).not.toContain(value);
  for (const key of ["sk-proj-A1b2C3d4E5f6G7h8", "ghp_A1b2C3d4E5f6G7h8I9j0", "xoxb-1234567890-abc"])
    expect(new Redactor().text(`bad key ${key}`)).toBe("bad key [redacted]");
  expect(new Redactor().text("https://host.example/mcp/0123456789abcdef0123?x=1")).toBe(
    "https://host.example/mcp/[redacted]?[redacted]",
  );
  expect(secretValues({ env: { PASSWORD: "my-dog", KEY: "$ecret" } })).toEqual(["my-dog", "$ecret"]);
});

const packages = [
  "GET https://npm.acme.example/@acme/mcp-server-kubernetes-v2 - Not found",
  "GET https://npm.acme.example/@acme%2fmcp-server-azure-devops2/-/x-1.0.0.tgz - Not found",
  "see https://github.com/acme/mcp-server-kubernetes-v2/issues",
  "No matching distribution found for mcp-server-secret==1.2.3",
  "pull access denied for acme/mcp-token:latest, repository does not exist",
  "Unable to find image 'ghcr.io/acme/mcp-secrets:1.2' locally",
  "could not determine executable for package: sk-learn-mcp-server-v2-tools",
  "installing basic mcp-server-basic",
  "cannot find credentials: mcp-server-vault not found",
];

verifies("secrets:packages", "names of packages stay wherever an installer writes them", () => {
  for (const message of packages) expect(new Redactor().text(message)).toBe(message);
});

verifies("secrets:packages", "a value of the row does not hide the package that the row starts", () => {
  const args = ["-y", "--no-auth", "@modelcontextprotocol/server-time", "--token", "@acme/word"];
  const env = { ORG: "modelcontextprotocol", NAME: "server-time", PLAIN: "sesame", API_KEY: "server" };
  expect(secretValues({ env, args })).toEqual(["sesame", "server", "@acme/word"]);
  expect(secretValues({ env: { NAME: "server-time" } })).toEqual(["server-time"]);
  expect(secretValues({ args: ["--token", "mcp-server-time"] })).toEqual(["mcp-server-time"]);
});

verifies("secrets:packages", "what is a value, whatever words it has, is still replaced", () => {
  for (const line of [
    "token=mcp-server-git",
    "password: mcp-server-git",
    "password:1.2.3",
    "Authorization: Bearer mcp-server-basic",
    "secret: 1.2.3.4.5.6",
    "https://host.example/mcp/kq9z-ab3de-0123456789",
  ])
    expect(new Redactor().text(line), line).toContain("[redacted]");
});
