import { verifies } from "@indus/testkit";
import { CoreError } from "indusagi/core";
import { FaultKind, ProtocolFault } from "indusagi/interop";
import { MCPError, type MCPErrorCode } from "indusagi/mcp";
import { expect } from "vitest";
import { type ErrorPlace, translateConfigProblem, translateError } from "../../../src/mcp/errors/index.ts";
import { codeOf } from "../../../src/mcp/errors/translate-error.ts";

const CALL: ErrorPlace = { site: "call", serverName: "s", toolName: "t" };

function translated(thrown: unknown, place: ErrorPlace = CALL): MCPError {
  const error = translateError(thrown, place);
  expect(error).toBeInstanceOf(MCPError);
  return error as MCPError;
}

verifies("mcp-error:table", "every kind of fault has its code, in a call and in connect", () => {
  const codes = (site: ErrorPlace["site"]) =>
    Object.fromEntries(
      FaultKind.ALL.map((kind) => [kind, translated(new ProtocolFault(kind, "x"), { ...CALL, site }).code]),
    );
  expect(codes("call")).toEqual({
    transport: "TRANSPORT_ERROR",
    protocol: "PROTOCOL_ERROR",
    timeout: "TIMEOUT",
    tool_error: "SERVER_ERROR",
    not_connected: "NOT_CONNECTED",
    spawn_failed: "CONNECTION_FAILED",
  });
  expect(codes("connect")).toEqual({
    transport: "CONNECTION_FAILED",
    protocol: "CONNECTION_FAILED",
    timeout: "TIMEOUT",
    tool_error: "CONNECTION_FAILED",
    not_connected: "NOT_CONNECTED",
    spawn_failed: "CONNECTION_FAILED",
  });
});

verifies("mcp-error:table", "an unknown tool, a lost session and JSON-RPC codes have their own code", () => {
  const rpc = (code: number) => ({ rpc: { code, message: "m" } });
  const cases: readonly (readonly [ProtocolFault, ErrorPlace["site"], MCPErrorCode])[] = [
    [new ProtocolFault("tool_error", "x", { reason: "unknown_tool" }), "call", "TOOL_NOT_FOUND"],
    [new ProtocolFault("transport", "x", { reason: "session_lost" }), "call", "SESSION_ERROR"],
    [new ProtocolFault("transport", "x", { reason: "auth" }), "call", "TRANSPORT_ERROR"],
    [new ProtocolFault("tool_error", "x", rpc(-32602)), "call", "INVALID_PARAMETERS"],
    [new ProtocolFault("tool_error", "x", rpc(-32000)), "call", "SERVER_ERROR"],
    [new ProtocolFault("protocol", "x", rpc(-32002)), "resource", "RESOURCE_NOT_FOUND"],
    [new ProtocolFault("protocol", "x", rpc(-32002)), "prompt", "PROMPT_NOT_FOUND"],
    [new ProtocolFault("protocol", "x", rpc(-32602)), "prompt", "INVALID_PARAMETERS"],
  ];
  for (const [fault, site, code] of cases) expect(translated(fault, { ...CALL, site }).code).toBe(code);
});

verifies("mcp-error:table", "deadlines, configuration errors and any other error have their code", () => {
  const deadline = new DOMException("late", "TimeoutError");
  expect(translated(deadline).code).toBe("TIMEOUT");
  class ConfigError extends CoreError {}
  expect(translated(new ConfigError("malformed", "bad")).code).toBe("CONFIG_ERROR");
  expect(translated(new Error("bad"), { site: "config" }).code).toBe("CONFIG_ERROR");
  for (const thrown of [new Error("x"), "x", null, undefined, { a: 1 }, 7])
    expect(translated(thrown).code).toBe("SERVER_ERROR");
  expect(codeOf({ site: "connect", kind: "other" })).toBe("CONNECTION_FAILED");
});

verifies("mcp-error:table", "the error has the server, tool, cause and details, and tells what to do", () => {
  const fault = new ProtocolFault("transport", 'server "s" hung up', {
    server: "s",
    retrySafe: true,
    status: 502,
    exit: { code: 1 },
    stderr: "boom",
    rpc: { code: -1, message: "m", data: { why: 1 } },
  });
  const error = translated(fault);
  expect(error.cause).toBe(fault);
  expect(error).toMatchObject({ serverName: "s", toolName: "t", message: 'server "s" hung up (tool "t")' });
  expect(error.details).toEqual({
    kind: "transport",
    retrySafe: true,
    status: 502,
    exit: { code: 1 },
    stderr: "boom",
    rpc: { code: -1, message: "m", data: { why: 1 } },
  });
  expect(translated(new ProtocolFault("not_connected", "it is idle")).message).toBe(
    'it is idle (tool "t" of server "s"); call connect() first',
  );
});

verifies("mcp-error:safe-json", "a translated fault contains no secret of its server", () => {
  const fault = new ProtocolFault("spawn_failed", "died of abc123xyz", { stderr: "key abc123xyz refused" });
  const error = translated(fault, { ...CALL, secrets: ["abc123xyz"] });
  expect(error.message).not.toContain("abc123xyz");
  expect(JSON.stringify(error.details)).not.toContain("abc123xyz");
  expect(JSON.stringify(error)).not.toContain("abc123xyz");
});

verifies("mcp-error:table", "a problem of a configuration keeps its file and line", () => {
  const error = translateConfigProblem({
    message: "row 1 has no command",
    file: "/p/mcp.json",
    line: 3,
    column: 5,
  });
  expect(error).toMatchObject({
    code: "CONFIG_ERROR",
    message: "/p/mcp.json:3: row 1 has no command",
    details: { file: "/p/mcp.json", line: 3, column: 5 },
  });
  expect(translateConfigProblem({ message: "empty" }).message).toBe("empty");
});

verifies("mcp-error:abort", "the caller's reason, an abort and an MCPError are returned unchanged", () => {
  const reason = { mine: true };
  const signal = AbortSignal.abort(reason);
  expect(translateError(reason, { ...CALL, signal })).toBe(reason);
  const own = AbortSignal.abort(new DOMException("late", "TimeoutError"));
  expect(translateError(own.reason, { ...CALL, signal: own })).toBe(own.reason);
  const abort = new DOMException("stop", "AbortError");
  expect(translateError(abort, CALL)).toBe(abort);
  const already = new MCPError("x", "TIMEOUT");
  expect(translateError(already, CALL)).toBe(already);
});
