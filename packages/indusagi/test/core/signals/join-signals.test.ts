import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { joinSignals, onAbort } from "indusagi/core";
import { expect } from "vitest";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

verifies(
  "core:join-signals",
  "the first to abort gives the reason; a single signal is returned as it is",
  () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const joined = joinSignals(a.signal, undefined, b.signal);
    b.abort("b");
    a.abort("a");
    expect(joined.reason).toBe("b");
    expect(joinSignals(a.signal, undefined)).toBe(a.signal);
    expect(joinSignals().aborted).toBe(false);
  },
);

verifies(
  "core:join-signals",
  "the reason is that of the first abort, in any order of aborts, through nested joins, with and without listeners",
  () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2 });
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 4 }), fc.boolean(), (aborts, split, isListenedTo) => {
        const parts = Array.from({ length: 5 }, () => new AbortController());
        const signals = parts.map(({ signal }) => signal);
        const inner = joinSignals(...signals.slice(0, split));
        const outer = joinSignals(inner, ...signals.slice(split));
        const heard: unknown[] = [];
        if (isListenedTo) onAbort(outer, (reason) => heard.push(reason));
        for (const at of aborts) parts[at]?.abort(at);
        expect(outer.reason).toBe(aborts[0]);
        expect(inner.reason).toBe(aborts.find((at) => at < split));
        expect(heard).toEqual(isListenedTo ? [aborts[0]] : []);
      }),
    );
  },
);

verifies(
  "core:join-signals",
  "a joined signal that is no longer used is collected, and its parts stay",
  async () => {
    const session = new AbortController();
    const joined = Array.from(
      { length: 50 },
      () =>
        new WeakRef(joinSignals(session.signal, AbortSignal.timeout(600_000), new AbortController().signal)),
    );
    const left = (): number => {
      collectGarbage();
      return joined.filter((each) => each.deref()).length;
    };
    await expect.poll(left, { timeout: 5000 }).toBe(0);
    const again = joinSignals(session.signal, new AbortController().signal);
    session.abort("closed");
    expect(again.reason).toBe("closed");
  },
);

verifies(
  "core:join-signals",
  "a deadline without another reference still fires, also through two joins",
  async () => {
    const never = new AbortController().signal;
    let fired = 0;
    for (let i = 0; i < 20; i += 1) {
      const inner = joinSignals(never, AbortSignal.timeout(150));
      onAbort(joinSignals(inner, new AbortController().signal), () => (fired += 1));
    }
    for (let i = 0; i < 10; i += 1) {
      collectGarbage();
      await sleep(10);
    }
    await expect.poll(() => fired, { timeout: 5000 }).toBe(20);
  },
);

verifies("core:join-signals", "no source file joins signals in another way", () => {
  const packages = fileURLToPath(new URL("../../../..", import.meta.url));
  const offenders = ["indusagi/src", "induscode/src"].flatMap((folder) =>
    readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith("join-signals.ts"))
      .filter((file) => readFileSync(join(packages, folder, file), "utf8").includes("AbortSignal.any(")),
  );
  expect(offenders).toEqual([]);
});
