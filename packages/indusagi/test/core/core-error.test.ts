import { verifies } from "@indus/testkit";
import { CoreError } from "indusagi/core";
import { expect, vi } from "vitest";

class SampleFault extends CoreError<"first" | "second"> {}

verifies("core:error-cause", "kind, message, cause and class name are kept", () => {
  const cause = new Error("below");
  const fault = new SampleFault("second", 'server "fs" is closed', { cause });
  expect(fault).toBeInstanceOf(CoreError);
  expect(fault).toBeInstanceOf(Error);
  expect(fault.kind).toBe("second");
  expect(fault.message).toBe('server "fs" is closed');
  expect(fault.name).toBe("SampleFault");
  expect(fault.cause).toBe(cause);
  expect("cause" in new SampleFault("first", "no cause")).toBe(false);
});

verifies(
  "core:error-brand",
  "CoreError.is recognises an error of a second copy of the package, which instanceof does not",
  async () => {
    vi.resetModules();
    const copy = await import("indusagi/core");
    expect(copy.CoreError).not.toBe(CoreError);
    const foreign = new copy.CoreError("any", "made elsewhere");
    expect(foreign).not.toBeInstanceOf(CoreError);
    expect(CoreError.is(foreign)).toBe(true);
    for (const other of [new Error("plain"), null, undefined, "CoreError", {}])
      expect(CoreError.is(other)).toBe(false);
  },
);
