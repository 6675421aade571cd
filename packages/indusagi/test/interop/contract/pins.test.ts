import { verifies } from "@indus/testkit";
import { CoreError } from "indusagi/core";
import {
  CLIENT_NAME,
  CLIENT_VERSION,
  FaultKind,
  isProtocolFault,
  isTerminalPhase,
  isUsablePhase,
  ProtocolFault,
  protocolFault,
  QUALIFIER,
  qualifyToolName,
  ServerConfig,
} from "indusagi/interop";
import { expect } from "vitest";

verifies("interop:pins", "the closed sets and constants", () => {
  expect(FaultKind.ALL).toEqual([
    "transport",
    "protocol",
    "timeout",
    "tool_error",
    "not_connected",
    "spawn_failed",
  ]);
  expect(QUALIFIER).toBe("__");
  expect([CLIENT_NAME, CLIENT_VERSION]).toEqual(["indus-protocol-bridge", "0.1.0"]);
  expect(qualifyToolName({ server: "fs", name: "read_file" })).toBe("fs__read_file");
  const phases = ["idle", "connecting", "ready", "closing", "closed", "faulted"] as const;
  expect(phases.filter(isUsablePhase)).toEqual(["ready"]);
  expect(phases.filter(isTerminalPhase)).toEqual(["closed", "faulted"]);
  expect(ServerConfig.stdio("a", "node")).toEqual({ kind: "stdio", id: "a", command: "node" });
  expect(ServerConfig.sse("b", "http://x/")).toEqual({ kind: "sse", id: "b", url: "http://x/" });
});

verifies("interop:fault", "a fault carries what is known and turns into an outcome's fault", () => {
  const cause = new Error("below");
  const rpc = { code: -32_000, message: "no", data: { a: 1 } };
  const fault = new ProtocolFault("tool_error", 'server "x" refused', {
    server: "x",
    reason: "auth",
    retrySafe: true,
    rpc,
    cause,
  });
  expect(isProtocolFault(fault)).toBe(true);
  expect(CoreError.is(fault)).toBe(true);
  expect(fault.cause).toBe(cause);
  expect(fault.toToolFault()).toEqual({
    kind: "tool_error",
    server: "x",
    reason: "auth",
    retrySafe: true,
    rpc,
  });
  expect(protocolFault("timeout", "late").toToolFault()).toEqual({ kind: "timeout", retrySafe: false });
  expect(isProtocolFault(new Error("tool_error"))).toBe(false);
  expect(isProtocolFault(new CoreError("transport", "not one"))).toBe(false);
});
