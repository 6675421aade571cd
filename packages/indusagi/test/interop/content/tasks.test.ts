import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  flatTask,
  legacyTask,
  relatedTask,
  taskKindIn,
  withoutRelatedTask,
  withRelatedTask,
} from "../../../src/interop/content/index.ts";

const legacy = fc.record(
  {
    taskId: fc.string(),
    status: fc.constantFrom("working", "input_required", "completed", "failed", "cancelled"),
    ttl: fc.oneof(fc.nat(), fc.constant(null)),
    createdAt: fc.string(),
    lastUpdatedAt: fc.string(),
    pollInterval: fc.nat(),
    statusMessage: fc.string(),
  },
  { requiredKeys: ["taskId", "status", "ttl", "createdAt", "lastUpdatedAt"] },
);

verifies("tasks:translated", "a state of the legacy era survives the way to the extension and back", () => {
  fc.assert(
    fc.property(legacy, (task) => {
      expect(legacyTask(flatTask(task))).toEqual(task);
    }),
  );
  expect(flatTask({ taskId: "t", status: "working", ttl: 10.2, pollInterval: 0.5 })).toEqual({
    taskId: "t",
    status: "working",
    ttlMs: 11,
    pollIntervalMs: 1,
  });
});

verifies("tasks:translated", "in the legacy era a tool that reports a failure has failed its task", () => {
  const task = { taskId: "t", status: "completed", ttlMs: null };
  expect(legacyTask({ ...task, result: { content: [], isError: true } })).toEqual({
    taskId: "t",
    status: "failed",
    ttl: null,
  });
  expect(legacyTask({ ...task, result: { content: [] } })).toMatchObject({ status: "completed" });
});

verifies("tasks:translated", "the mark of a task is set and removed without touching other marks", () => {
  const marks = fc.option(fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }), { nil: undefined });
  fc.assert(
    fc.property(marks, fc.string(), (meta, id) => {
      const message = { value: 1, ...(meta && { _meta: meta }) };
      const marked = withRelatedTask(message, id);
      expect(relatedTask(marked)).toBe(id);
      expect(withoutRelatedTask(marked)).toEqual(message);
    }),
  );
});

verifies("tasks:legacy", "a server has tasks if it declares the extension, or tasks of calls", () => {
  const kinds = [
    { extensions: { "io.modelcontextprotocol/tasks": {} } },
    { tasks: { requests: { tools: { call: {} } } } },
    { tasks: { list: {}, requests: {} } },
    { tasks: null },
    undefined,
  ].map(taskKindIn);
  expect(kinds).toEqual(["extension", "legacy", undefined, undefined, undefined]);
});
