import { verifies } from "@indus/testkit";
import { createServerEndpoint } from "indusagi/interop";
import { afterEach, expect, vi } from "vitest";
import { act, evil, evilInProcess, faultOf, opened, timed } from "./kit/evil.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;
/** Long enough that a busy machine answers the other call in time. */
const CALL_MS = 1000;

for (const [name, jumpMs] of Object.entries({ forward: HOUR_MS, back: -HOUR_MS, "a little back": -500 })) {
  verifies("faults:b19-clock", `a clock that jumps ${name} neither ends a call nor prolongs it`, async () => {
    await using endpoint = await opened(evil("s"), { timeouts: { callMs: CALL_MS } }, evilInProcess());
    vi.useFakeTimers({ toFake: ["Date"] });
    const answered = act(endpoint, "ask", { waitMs: 150, method: "made/up" });
    const silent = timed(() => faultOf(act(endpoint, "silent")));
    vi.setSystemTime(Date.now() + jumpMs);
    expect(await answered).toBe("[]");
    const { ms, value: fault } = await silent;
    expect(fault.kind).toBe("timeout");
    expect(ms).toBeGreaterThan(CALL_MS * 0.9);
    expect(ms).toBeLessThan(15_000);
  });

  verifies("faults:b19-clock", `a clock that jumps ${name} moves no deadline of connecting`, async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const endpoint = createServerEndpoint(evil("s"), evilInProcess({ start: "mute" }), {
      timeouts: { connectMs: 300 },
      probeMs: 50,
    });
    const opening = timed(() => faultOf(endpoint.open()));
    vi.setSystemTime(Date.now() + jumpMs);
    const { ms, value: fault } = await opening;
    expect(fault.kind).toBe("timeout");
    expect(ms).toBeGreaterThan(280);
    expect(ms).toBeLessThan(15_000);
  });
}
