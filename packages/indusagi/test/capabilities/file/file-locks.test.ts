import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { localFs, unavailableFs } from "indusagi/capabilities";
import { expect } from "vitest";
import { lockFile } from "../../../src/capabilities/file/file-locks.ts";

verifies(
  "edit:serialised",
  "steps for one path never overlap and keep their order; other paths do not wait",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.record({ path: fc.constantFrom("/a", "/b"), fails: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        async (scheduler, steps) => {
          const busy = new Set<string>();
          const order: { [path: string]: number[] } = { "/a": [], "/b": [] };
          const running = steps.map(({ path, fails }, index) =>
            // Two local backends share one queue.
            lockFile(index % 2 === 0 ? localFs() : localFs(), path, async () => {
              expect(busy.has(path)).toBe(false);
              busy.add(path);
              order[path]?.push(index);
              await scheduler.schedule(Promise.resolve());
              busy.delete(path);
              if (fails) throw new Error("failed");
            }).then(
              () => "done",
              () => "failed",
            ),
          );
          const settled = Promise.all(running);
          await scheduler.waitFor(settled);
          expect(await settled).toEqual(steps.map(({ fails }) => (fails ? "failed" : "done")));
          for (const indexes of Object.values(order))
            expect(indexes).toEqual([...indexes].sort((x, y) => x - y));
        },
      ),
      { numRuns: 50 },
    );
  },
);

verifies("edit:serialised", "other backends have their own queues", async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => void (release = resolve));
  const holding = lockFile(localFs(), "/x", () => released);
  const other = { ...unavailableFs, resolve: async (path: string) => path };
  expect(await lockFile(other, "/x", async () => "did not wait")).toBe("did not wait");
  release();
  await holding;
});
