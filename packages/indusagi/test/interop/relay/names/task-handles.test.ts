import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { TaskHandles } from "../../../../src/interop/relay/names/task-handles.ts";

const key = (): Uint8Array => new Uint8Array(32).fill(7);
const text = fc.string({ unit: "binary", maxLength: 20 });

verifies(
  "tasks:handles",
  "a handle opens for its own principal, also in another process with the same key",
  () => {
    fc.assert(
      fc.property(text, text, text, (server, id, principal) => {
        const handle = new TaskHandles(key).seal({ server, id }, principal) ?? "";
        expect(handle).toMatch(/^task_[A-Za-z0-9_-]+$/);
        expect(new TaskHandles(key).seal({ server, id }, principal)).toBe(handle);
        expect(new TaskHandles(key).open(handle, principal)).toEqual({ server, id });
        expect(new TaskHandles(key).open(handle, `${principal}x`)).toBeUndefined();
        expect(new TaskHandles().open(handle, principal)).toBeUndefined();
      }),
    );
  },
);

verifies("tasks:handles", "a handle that was changed anywhere does not open", () => {
  const handles = new TaskHandles(key);
  const handle = handles.seal({ server: "a", id: "1" }, "ada") ?? "";
  fc.assert(
    fc.property(
      fc.nat(handle.length - 1),
      fc.constantFrom("A", "Z", "a", "z", "0", "9", "_", "-"),
      (at, char) => {
        fc.pre(handle[at] !== char);
        expect(handles.open(handle.slice(0, at) + char + handle.slice(at + 1), "ada")).toBeUndefined();
      },
    ),
  );
  for (const other of ["", "task_", `${handle}=`, ` ${handle}`])
    expect(handles.open(other, "ada")).toBeUndefined();
  expect(handles.seal({ server: "a", id: "x".repeat(5_000) })).toBeUndefined();
});
