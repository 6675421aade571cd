import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { verifies } from "@indus/testkit";
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
