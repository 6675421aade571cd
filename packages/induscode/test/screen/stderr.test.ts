import { verifies } from "@indus/testkit";
import { type EndpointStatus, ProtocolFault } from "indusagi/interop";
import { expect } from "vitest";
import { stderrTeller } from "../../src/screen/index.ts";

function failed(server: string, stderr: string): EndpointStatus {
  const fault = new ProtocolFault("spawn_failed", "x", { server, stderr });
  return { server, phase: "faulted", toolCount: 0, fault };
}

verifies("diagnose:repeated", "the same output of a server is shown once and then counted", () => {
  const tell = stderrTeller();
  const dump = (pid: number): string => `[${pid}] 10:00:0${pid} fatal\n  at 0x${pid}f`;
  expect(tell(failed("a", dump(1)))).toBe("a, standard error:\n  | [1] 10:00:01 fatal\n  |   at 0x1f\n");
  expect(tell(failed("a", dump(2)))).toBe("a, standard error: the same as before (2 times)\n");
  // Another server's output is its own.
  expect(tell(failed("b", dump(3)))).toContain("| [3]");
  expect(tell(failed("a", dump(4)))).toBe("a, standard error: the same as before (3 times)\n");
  // News is shown, and so is what returns after it.
  expect(tell(failed("a", "out of memory"))).toContain("| out of memory");
  expect(tell(failed("a", dump(5)))).toContain("| [5]");
});

verifies(
  "diagnose:repeated",
  "a server that wrote nothing, or is ready, prints nothing and is not counted",
  () => {
    const tell = stderrTeller();
    expect(tell(failed("a", "boom"))).toContain("| boom");
    expect(tell({ server: "a", phase: "ready", toolCount: 1 })).toBe("");
    expect(tell(failed("a", ""))).toBe("");
    expect(tell(failed("a", "boom"))).toContain("(2 times)");
  },
);
