import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { MCPError } from "indusagi/mcp";
import { expect } from "vitest";

const SECRET = "hunter2-Zx9";

const logged = (error: MCPError): string => `${JSON.stringify(error)} ${String(error)}`;

verifies("mcp-error:safe-json", "secrets are removed from every place that can hold one", () => {
  const details: readonly unknown[] = [
    { headers: { Authorization: SECRET, "X-Anything": SECRET } },
    { headers: new Headers({ "x-key": SECRET }) },
    { config: { command: "x", env: { ANY_NAME: SECRET } } },
    { env: new Map([["A", SECRET]]) },
    { token: SECRET, refresh_token: SECRET, apiKey: SECRET, "api-key": SECRET, password: SECRET },
    { nested: [{ deeper: { clientSecret: SECRET } }] },
    { url: `https://user:${SECRET}@host/mcp` },
    { url: new URL(`https://host/mcp?key=${SECRET}#${SECRET}`) },
    { note: `see https://host/a?x=${SECRET} for more` },
    { note: `Authorization: Bearer ${SECRET}` },
    { note: `TOKEN=${SECRET}` },
    { note: `{"api_key":"${SECRET}"}` },
    { args: ["--token", SECRET, "--api-key", SECRET, "plain"] },
    { args: [`--secret=${SECRET}`, `--header=Authorization: ${SECRET}`] },
    new Error(`password=${SECRET}`),
  ];
  for (const detail of details) {
    expect(logged(new MCPError("x", "SERVER_ERROR", detail)), JSON.stringify(detail)).not.toContain(SECRET);
  }
});

verifies("mcp-error:safe-json", "secrets are removed from the message and the causes too", () => {
  const root = new Error(`Bearer ${SECRET}`);
  const cause = new Error(`https://me:${SECRET}@host`, { cause: root });
  const error = new MCPError(`GET https://host/?t=${SECRET} failed`, "SERVER_ERROR", undefined, { cause });
  expect(logged(error)).not.toContain(SECRET);
  expect(error.toJSON()).toMatchObject({
    message: "GET https://host/?[redacted] failed",
    cause: { message: "https://[redacted]@host", cause: { message: "Bearer [redacted]" } },
  });
});

verifies(
  "mcp-error:safe-json",
  "well-known forms of keys, and keys in the path of a URL, are removed",
  () => {
    const shapes = [
      `sk-${"a1B2".repeat(6)}`,
      "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      "github_pat_11ABCDEFG0abcdefghijkl_mnop",
      "xoxb-123456789012-abcdefghijkl",
      "AKIAIOSFODNN7EXAMPLE",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh",
    ];
    for (const shape of shapes)
      expect(logged(new MCPError(`got ${shape}!`, "SERVER_ERROR"))).not.toContain(shape);
    const key = "NDM5OWE4MmItZTY3Zi00";
    expect(new MCPError(`https://host/api/s/${key}/mcp`, "TIMEOUT").toJSON().message).toBe(
      "https://host/api/s/[redacted]/mcp",
    );
  },
);

verifies("mcp-error:safe-json", "a given secret is removed at any position", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 4, maxLength: 20 }).filter((secret) => !"[redacted]".includes(secret)),
      fc.array(fc.string(), { maxLength: 3 }),
      (secret, around) => {
        const text = around.join(secret);
        const error = new MCPError(
          text,
          "SERVER_ERROR",
          { text },
          { secrets: [secret], cause: new Error(text) },
        );
        const told = error.toJSON() as {
          message: string;
          details: { text: string };
          cause: { message: string };
        };
        // What is left over may spell it anew only together with the mark that took its place.
        for (const words of [told.message, told.details.text, told.cause.message])
          for (const piece of words.split("[redacted]")) expect(piece).not.toContain(secret);
      },
    ),
  );
});

verifies("mcp-error:safe-json", "other values are kept", () => {
  const details = { status: 404, maxTokens: 5, progressToken: 7, note: "server said: no such file /a/b.txt" };
  expect(new MCPError("x", "SERVER_ERROR", details).toJSON().details).toEqual(details);
  expect(new MCPError("open http://127.0.0.1:8080/mcp", "TIMEOUT").toJSON().message).toBe(
    "open http://127.0.0.1:8080/mcp",
  );
});

verifies("mcp-error:safe-json", "details may be cyclic, deep, or hold getters, functions and bytes", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const thrower = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  let deep: unknown = "end";
  for (let level = 0; level < 5_000; level++) deep = [deep];
  const all = [
    circle,
    thrower,
    deep,
    () => 1,
    10n,
    Symbol("s"),
    new Uint8Array(9),
    new Set([circle]),
    new Date(0),
  ];
  for (const detail of all) expect(() => JSON.stringify(new MCPError("x", "TIMEOUT", detail))).not.toThrow();
  expect(new MCPError("x", "TIMEOUT", circle).toJSON().details).toEqual({ self: "[circular]" });
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true }),
      (detail) => {
        JSON.stringify(new MCPError("x", "TIMEOUT", detail));
      },
    ),
  );
});

verifies("mcp-error:safe-json", "no text makes the redaction slow", () => {
  const texts = [
    "token".repeat(200_000),
    "a-".repeat(500_000),
    "://".repeat(300_000),
    "token= ".repeat(100_000),
  ];
  const start = performance.now();
  for (const text of texts) new MCPError(text, "SERVER_ERROR").toJSON();
  expect(performance.now() - start).toBeLessThan(2_000);
});
