import { verifies } from "@indus/testkit";
import type { MCPConnectionOptions, MCPServerConfig } from "indusagi/mcp";
import { expect } from "vitest";
import { secretsOf, toServerConfig } from "../../../src/mcp/client/translate-config.ts";

const timeouts = { connectMs: 60_000, listMs: 60_000, callMs: 60_000 };

verifies("mcp-config:translate", "each form of a configuration is converted with all its members", () => {
  expect(
    toServerConfig({ name: "s", config: { command: "c", args: ["a"], env: { A: "1" }, cwd: "/x" } }),
  ).toEqual({ id: "s", timeouts, kind: "stdio", command: "c", args: ["a"], env: { A: "1" }, cwd: "/x" });
  expect(
    toServerConfig({ name: "s", timeout: 5, config: { url: new URL("http://h/mcp"), headers: { A: "1" } } }),
  ).toEqual({
    id: "s",
    timeouts: { connectMs: 5, listMs: 5, callMs: 5 },
    kind: "streamable-http",
    url: "http://h/mcp",
    onMismatch: "fallback",
    headers: { A: "1" },
  });
  const untyped = { command: "c", args: [8080, "a"], env: { PORT: 8080, DEBUG: true, NONE: undefined } };
  expect(toServerConfig({ name: "s", config: untyped as never })).toMatchObject({
    args: ["8080", "a"],
    env: { PORT: "8080", DEBUG: "true", NONE: undefined },
  });
  const longest = 2 ** 31 - 10_001;
  expect(toServerConfig({ name: "s", timeout: 2 ** 40, config: { command: "c" } }).timeouts).toEqual({
    connectMs: longest,
    listMs: longest,
    callMs: longest,
  });
  expect(toServerConfig({ name: "s", config: { url: "http://h", type: "sse" } })).toMatchObject({
    kind: "sse",
    onMismatch: "fail",
  });
});

verifies("mcp-config:translate", "the error for a wrong configuration names the server", () => {
  const wrong: readonly [MCPConnectionOptions | { name: string; config: unknown }, RegExp][] = [
    [{ name: "s", config: {} }, /server "s" has neither a command nor a url/],
    [{ name: "s", config: { command: "" } }, /neither/],
    [{ name: "s", config: { command: 5 } }, /neither/],
    [{ name: "s", config: { url: "not an address" } }, /server "s": url is not valid/],
    [{ name: "s", config: { command: "c" }, timeout: -1 }, /server "s": timeout/],
    [{ name: "s", config: { command: "c" }, timeout: Number.NaN }, /timeout/],
  ];
  for (const [options, message] of wrong) {
    const attempt = () => toServerConfig(options as MCPConnectionOptions);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(expect.objectContaining({ code: "CONFIG_ERROR" }));
  }
});

verifies("mcp-config:translate", "the values of headers and environment count as secrets", () => {
  expect(secretsOf({ url: "http://h", headers: { Authorization: "Bearer abcd" } })).toEqual([
    "Bearer abcd",
    "abcd",
  ]);
  expect(secretsOf({ command: "c", args: ["--token", "t0ken"], env: { KEY: "xyz-1" } })).toEqual([
    "xyz-1",
    "t0ken",
  ]);
  expect(secretsOf({ url: "https://me:pass@h/mcp?key=key1&empty=" })).toEqual(["pass", "key1"]);
  const wrong = { url: "no address", headers: { token: 51423 } } as unknown as MCPServerConfig;
  expect(secretsOf(wrong)).toEqual(["51423"]);
  expect(secretsOf({ command: "c", args: 5, env: null } as unknown as MCPServerConfig)).toEqual([]);
  expect(secretsOf({ command: "c" } satisfies MCPServerConfig)).toEqual([]);
});
