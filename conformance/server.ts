// The server the conformance suite calls: a tool box and providers behind `serveHttp`, and nothing else.
// Prints its address on one line, and ends when its standard input does.
import { createProviderHost, serveHttp } from "indusagi/interop";
import { textResult } from "indusagi/runtime";
import { askingTools } from "./server/asking-tools.ts";
import { contentTools } from "./server/content-tools.ts";
import { createFixtureBox, type FixtureBox } from "./server/fixture-box.ts";
import type { FixtureTool } from "./server/fixture-tool.ts";
import { createFixturePrompts } from "./server/prompts.ts";
import { RECONNECTION_MS, reportingTools } from "./server/reporting-tools.ts";
import { fixtureResources } from "./server/resources.ts";
import { fixtureSkills } from "./server/skills.ts";
import { suspendingTools } from "./server/suspending-tools.ts";
import { taskTools } from "./server/task-tools.ts";

const prompts = createFixturePrompts();
const box: FixtureBox = createFixtureBox([
  ...contentTools,
  ...reportingTools,
  ...askingTools,
  ...suspendingTools,
  ...taskTools,
  trigger("test_trigger_tool_change", () => box.toggle(visitor)),
  trigger("test_trigger_prompt_change", () => prompts.toggle()),
]);
const visitor: FixtureTool = {
  name: "test_visiting_tool",
  description: "Comes and goes",
  run: () => textResult("Here today."),
};

/** A tool through which the suite changes what is on offer. */
function trigger(name: string, change: () => void): FixtureTool {
  return {
    name,
    description: "Changes what is on offer",
    run: () => {
      change();
      return textResult("changed");
    },
  };
}

const host = createProviderHost(
  box,
  { name: "indus-conformance", version: "1.0.0" },
  {
    prompts,
    ...fixtureSkills(fixtureResources),
    complete: ({ argument }) => {
      const values = ["paris", "park", "party", "test"].filter((word) => word.startsWith(argument.value));
      return { completion: { values, total: values.length, hasMore: false } };
    },
  },
  { tasks: { pollMs: 200 }, report: (message) => void process.stderr.write(`${message}\n`) },
);
const listener = await serveHttp(host, { port: 0, limits: { pollAfterMs: RECONNECTION_MS / 2 } });
process.stdout.write(`${listener.url}\n`);
process.stdin.once("end", () => void listener.close());
process.stdin.resume();
