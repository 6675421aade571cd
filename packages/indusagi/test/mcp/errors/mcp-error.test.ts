import { verifies } from "@indus/testkit";
import { CoreError } from "indusagi/core";
import {
  createConfigError,
  createConnectionError,
  createInvalidParametersError,
  createNotConnectedError,
  createSchemaConversionError,
  createServerError,
  createTimeoutError,
  createToolNotFoundError,
  isMCPError,
  isSessionError,
  MCPError,
} from "indusagi/mcp";
import { expect } from "vitest";

verifies("mcp-error:shape", "code, details, server, tool and cause are kept; kind is the code", () => {
  const cause = new Error("below");
  const error = new MCPError("it broke", "SERVER_ERROR", { a: 1 }, { serverName: "s", toolName: "t", cause });
  expect(error).toMatchObject({
    name: "MCPError",
    message: "it broke",
    code: "SERVER_ERROR",
    kind: "SERVER_ERROR",
    details: { a: 1 },
    serverName: "s",
    toolName: "t",
  });
  expect(error.cause).toBe(cause);
  expect(error).toBeInstanceOf(CoreError);
  expect(String(error)).toBe('MCPError [SERVER_ERROR] (server "s", tool "t"): it broke');
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "MCPError",
    code: "SERVER_ERROR",
    message: "it broke",
    serverName: "s",
    toolName: "t",
    details: { a: 1 },
    cause: { name: "Error", message: "below" },
  });
  expect(Object.hasOwn(new MCPError("bare", "TIMEOUT"), "cause")).toBe(false);
});

verifies("mcp-error:shape", "an error of another copy of the package is recognized", () => {
  const foreign = Object.defineProperty(new Error("x"), Symbol.for("indusagi.MCPError"), { value: true });
  expect(isMCPError(foreign)).toBe(true);
  for (const other of [
    new Error("x"),
    new CoreError("TIMEOUT", "x"),
    null,
    undefined,
    "x",
    { code: "TIMEOUT" },
  ])
    expect(isMCPError(other)).toBe(false);
});

verifies("mcp-error:shape", "two codes mean that the client must connect again", () => {
  expect(isSessionError(new MCPError("x", "SESSION_ERROR"))).toBe(true);
  expect(isSessionError(createNotConnectedError("s"))).toBe(true);
  expect(isSessionError(new MCPError("x", "TIMEOUT"))).toBe(false);
  expect(isSessionError(new Error("SESSION_ERROR"))).toBe(false);
});

verifies("mcp-error:shape", "control characters in names are escaped", () => {
  expect(String(new MCPError("\x1b[2Jx", "SERVER_ERROR", undefined, { serverName: "\u202eevil" }))).toBe(
    'MCPError [SERVER_ERROR] (server "\\u{202e}evil"): \\x1b[2Jx',
  );
});

verifies("mcp-error:factories", "each factory sets the code, the names and the message", () => {
  const cause = new Error("ECONNREFUSED");
  const made = [
    createConnectionError("s", cause),
    createTimeoutError("listTools", 5, "s"),
    createToolNotFoundError("t", "s"),
    createInvalidParametersError("t", "path is missing", "s"),
    createServerError("it fell over", { code: 1 }, "s"),
    createNotConnectedError("s"),
    createConfigError("no servers", { file: "f" }),
    createSchemaConversionError("t", { at: "/a" }, "s"),
  ];
  expect(made.map(({ code, serverName, toolName }) => [code, serverName, toolName])).toEqual([
    ["CONNECTION_FAILED", "s", undefined],
    ["TIMEOUT", "s", undefined],
    ["TOOL_NOT_FOUND", "s", "t"],
    ["INVALID_PARAMETERS", "s", "t"],
    ["SERVER_ERROR", "s", undefined],
    ["NOT_CONNECTED", "s", undefined],
    ["CONFIG_ERROR", undefined, undefined],
    ["SCHEMA_CONVERSION_ERROR", "s", "t"],
  ]);
  expect(made.map(({ message }) => message)).toEqual([
    'could not connect to server "s": ECONNREFUSED',
    'listTools did not finish within 5 ms (server "s"); set a longer timeout',
    'there is no tool "t" on server "s"; listTools() returns the existing ones',
    'tool "t" on server "s" does not accept these arguments: path is missing',
    "it fell over",
    'the client of server "s" is not connected; call connect() first',
    "no servers",
    'the schema of tool "t" on server "s" could not be converted',
  ]);
  expect(made[0]?.cause).toBe(cause);
  expect(made[1]?.details).toEqual({ operation: "listTools", timeoutMs: 5 });
  expect(createToolNotFoundError("t").message).toBe(
    'there is no tool "t"; listTools() returns the existing ones',
  );
  expect(createConnectionError("s").cause).toBeUndefined();
});
