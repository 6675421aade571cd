import { verifies } from "@indus/testkit";
import type { ToolDescriptor } from "indusagi/llm";
import { expect } from "vitest";
import { measureContext, recallOf, shortQueryOf } from "../../context/measure.ts";
import { type MeasuredWorkflows, recordingBox } from "../../context/measure-workflows.ts";
import { confidence, contextPage, targetsOf } from "../../context/page.ts";
import { WORKFLOWS, workflowIn } from "../../context/workflows.ts";
import { boxOf, thousandTools, tool } from "../../packages/indusagi/test/runtime/economy/catalogue.ts";
import { readDocument } from "../kit/documents.ts";

verifies("economy:page", "recall counts the rank of the first right tool", () => {
  const tools = thousandTools().slice(0, 12);
  const names = tools.map(({ origin }) => `${origin?.server}/${origin?.tool}`);
  const index = { search: () => tools.slice(0, 10) };
  const ranks = [0, 0, 4, 5, 9, 10, 11].map((rank) => ({
    task: `rank ${rank}`,
    tools: ["x/y", names[rank] ?? ""],
  }));
  const { missed, ...shares } = recallOf(index, ranks);
  expect(shares).toEqual({ tasks: 7, at1: 2 / 7, at5: 3 / 7, at10: 5 / 7, named: 5 / 7 });
  expect(missed.map(({ task }) => task)).toEqual(["rank 10", "rank 11"]);
});

verifies("economy:page", "a query is cut to three words without the name of the service", () => {
  const query = "GitHub list my open pull requests";
  expect(shortQueryOf({ task: "x", query, tools: ["github/list_pull_requests"] })).toBe("list my open");
  expect(shortQueryOf({ task: "Show pods", tools: ["kubernetes/kubectl_get"] })).toBe("Show pods");
});

verifies("economy:page", "a share has the interval of Wilson", () => {
  const [low, high] = confidence(0.5, 100);
  expect(low).toBeCloseTo(0.4038, 4);
  expect(high).toBeCloseTo(0.5962, 4);
  const [none, some] = confidence(0, 10);
  expect(none).toBeCloseTo(0);
  expect(some).toBeCloseTo(0.2775, 4);
});

const EFFORT = { turns: 3, tokens: 1_000, ms: 12.4 };
const workflows: MeasuredWorkflows = {
  tools: 53,
  workflows: ["One thing", "Another"].map((task) => ({
    task,
    calls: 2,
    bytes: 2_048,
    efforts: { all: { ...EFFORT, tokens: 20_000 }, search: { ...EFFORT, turns: 4 }, code: EFFORT },
  })),
};

function withoutServer({ origin: _origin, ...tool }: ToolDescriptor): ToolDescriptor {
  return tool;
}

verifies("economy:page", "the page shows every mode, every set and what was missed", async () => {
  const set = {
    en: [
      { task: "Draw a pie of our spending by department", tools: ["acme/none"] },
      { task: "Share the photo with acme", query: "acme share photo", tools: ["acme/share_photo"] },
    ],
    de: [{ task: "Teile das Foto", tools: ["acme/share_photo"] }],
  };
  const apart = [{ task: "Get rid of the acme playlist", tools: ["acme/delete_playlist"] }];
  // Only the tools of servers are asked for by name.
  const tools = thousandTools().map((tool) => (tool.origin?.server === "acme" ? tool : withoutServer(tool)));
  const measured = await measureContext(tools, set, apart);
  const page = contextPage(measured, workflows, "today");
  // The last target is a time.
  const met = Array.from({ length: 10 }, () => true);
  expect(targetsOf({ ...measured, searchMs: 4 }).map(({ isMet }) => isMet)).toEqual([...met, false]);
  const few = await measureContext(tools.slice(0, 20), {}, [{ task: "Sing", tools: ["acme/none"] }]);
  expect(targetsOf({ ...few, searchMs: 3 }).map(({ isMet }) => isMet)).toEqual([
    ...met.slice(3).map(() => false),
    ...met.slice(7),
    true,
  ]);
  expect(page).toMatch(
    /\| 1,000 \| all \| 1,000 \| \d\d+,\d{3} \|\n\| 1,000 \| search \| \d+ \| (1,)?\d{3} \|/,
  );
  expect(page).toContain("| recall@5 of the sentences kept apart | 100 % (21 to 100 %) | ≥ 68 % | met |");
  expect(page).toContain("| One thing | 2 | 2 | 3 / 4 / 3 | 20,000 / 1,000 / 1,000 | 12 / 12 / 12 |");
  expect(page).toContain("| all | 4 | 4 | 6 / 8 / 6 | 40,000 / 2,000 / 2,000 | 25 / 25 / 25 |");
  expect(page).toContain("| German | 1 |");
  expect(page).toContain("| the name of a tool in a list | 100 | 100 % | 100 % | 100 % | 100 % |");
  expect(page).toContain("- Draw a pie of our spending by department (`acme/none`)");
});

verifies("code:measured", "calls that a program makes at once are one turn", async () => {
  const recorded = recordingBox(boxOf([tool("files", "read"), tool("files", "write")]).box);
  const run = (name: string): Promise<unknown> => recorded.box.runner.run({ id: "1", name, input: {} });
  await run("files__read");
  recorded.start();
  await Promise.all([run("files__read"), run("files__read")]);
  await run("files__write");
  expect(recorded.calls.map(({ name, turn }) => [name, turn])).toEqual([
    ["files__read", 0],
    ["files__read", 0],
    ["files__write", 1],
  ]);
  expect(recorded.results).toEqual(["files__read {}", "files__read {}", "files__write {}"]);
});

verifies("code:measured", "there are twelve workflows, and the page says who wrote their programs", () => {
  expect(WORKFLOWS).toHaveLength(12);
  for (const each of WORKFLOWS) expect(JSON.stringify(workflowIn("/data", each))).not.toMatch(/\bDIR\b/);
  const page = readDocument("docs/context.md");
  expect(page).toContain("**the programs were written by us**");
  const rows = page.match(/^\| .+ \| [2-8] \| [\d,]+ \|( [\d,]+ \/ [\d,]+ \/ [\d,]+ \|){3}$/gm);
  expect(rows).toHaveLength(WORKFLOWS.length);
});

verifies("economy:page", "the page in the repository comes from a run on at least 1,000 tools", () => {
  const page = readDocument("docs/context.md");
  const [, tools = "0"] = /on the ([\d,]+) tools of the \d+ public servers/.exec(page) ?? [];
  expect(Number(tools.replaceAll(",", ""))).toBeGreaterThanOrEqual(1_000);
  expect(page.match(/^\| English, [^|]+\| \d+ \|( \d+ % \|){4}$/gm)).toHaveLength(2);
});
