import { verifies } from "@indus/testkit";
import { callListener, Listeners } from "indusagi/core";
import { expect } from "vitest";

verifies("core:listeners", "a listener that throws does not affect the others or the caller", async () => {
  const calls: string[] = [];
  const listeners = new Listeners<string>();
  listeners.add((event) => calls.push(`first ${event}`));
  listeners.add(() => {
    throw new Error("broken");
  });
  // Unhandled, this rejection would fail the test run.
  listeners.add(() => Promise.reject(new Error("broken later")));
  listeners.add((event) => calls.push(`last ${event}`));

  listeners.emit("change");
  await new Promise(setImmediate);

  expect(calls).toEqual(["first change", "last change"]);
  expect(() => callListener(undefined, "change")).not.toThrow();
});

verifies("core:listeners", "a function added twice is called twice and removed once", () => {
  let calls = 0;
  const listener = (): number => (calls += 1);
  const listeners = new Listeners();
  const remove = listeners.add(listener);
  listeners.add(listener);

  listeners.emit();
  expect(calls).toBe(2);
  remove();
  remove();
  listeners.emit();
  expect(calls).toBe(3);
  listeners.clear();
  listeners.emit();
  expect(calls).toBe(3);
});

verifies(
  "core:listeners",
  "a listener removed during an event is still called for that event, an added one is not",
  () => {
    const calls: string[] = [];
    const listeners = new Listeners();
    let remove = (): void => {};
    listeners.add(() => {
      calls.push("first");
      remove();
      listeners.add(() => calls.push("new"));
    });
    remove = listeners.add(() => calls.push("second"));
    listeners.emit();
    expect(calls).toEqual(["first", "second"]);
  },
);
