import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, type TableTool, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { patientBox } from "../../src/gateway/index.ts";

const tool = (name: string): TableTool => ({
  descriptor: { name, description: "", parameters: {} },
  run: async ({ id }) => answeredOutcome(id, textResult(name)),
});
const call = (name: string): { readonly id: string; readonly name: string; readonly input: object } => ({
  id: "1",
  name,
  input: {},
});
const NEVER = new Promise<void>(() => {});

verifies("catalogue:early-call", "a call of a tool that is not there yet waits for it", async () => {
  const table = createTableBox([tool("a")]);
  const box = patientBox(table.box, { until: NEVER, waitMs: 60_000 });
  expect(await box.runner.run(call("a"))).toMatchObject({ output: "a" });
  const waiting = box.runner.run(call("b"));
  table.replace([tool("a"), tool("c")]);
  table.replace([tool("a"), tool("b")]);
  expect(await waiting).toMatchObject({ output: "b", isError: false });
});

verifies(
  "catalogue:early-call",
  "it ends when no more tools are expected, after the time, or by an abort",
  async () => {
    const table = createTableBox();
    let settle = (): void => {};
    const until = new Promise<void>((resolve) => (settle = resolve));
    const box = patientBox(table.box, { until, waitMs: 60_000 });
    const abort = new AbortController();
    const aborted = box.runner.run(call("gone"), abort.signal);
    abort.abort();
    expect(await aborted).toMatchObject({ isError: true });
    const waiting = box.runner.run(call("gone"));
    settle();
    expect(await waiting).toMatchObject({ isError: true });
    const short = patientBox(table.box, { until: NEVER, waitMs: 10 });
    expect(await short.runner.run(call("gone"))).toMatchObject({ isError: true });
  },
);

verifies(
  "catalogue:early-call",
  "a call of a hidden tool is refused when its server has listed its tools, before the others have",
  async () => {
    let isListed = false;
    let tell = (): void => {};
    const refusal = { message: "hidden", fault: { kind: "tool_error", retrySafe: true } } as const;
    const table = createTableBox([], { refusalOf: () => (isListed ? refusal : undefined) });
    const onListed = (listener: () => void): (() => void) => {
      tell = listener;
      return () => {};
    };
    const box = patientBox(table.box, { until: NEVER, waitMs: 60_000, onListed });
    const waiting = box.runner.run(call("hidden"));
    isListed = true;
    tell();
    expect(await waiting).toMatchObject({ isError: true, output: "hidden" });
  },
);
