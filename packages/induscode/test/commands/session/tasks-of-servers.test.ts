import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { tasksRow } from "../run-line.ts";
import { calling, printRun } from "./print-run.ts";

verifies("print:tasks", "-p and a sub-agent get the result of a tool that runs as a task", async () => {
  await using test = await printRun([
    calling(["up__report", {}]),
    calling(["task", { objective: "Write it again", agent: "general" }]),
    calling(["up__report", {}]),
    { text: "The helper has it." },
    { text: "Both are written." },
  ]);
  const file = await writeConfig(test.at("servers.json"), { up: tasksRow() });
  const words = ["-p", "--json", "--mcp", file, "--allow", "up__*", "--allow", "task", "Write it."];
  const { code, out } = await test.indus(words);
  expect(code, out).toBe(0);
  const results = test.server.requests.map((request) => JSON.stringify(request).includes("the report"));
  // Before the first call, after it, and in the helper's own conversation before and after its call.
  expect(results).toEqual([false, true, false, true, true]);
  expect(out).toContain("step 2 of 3");
});
