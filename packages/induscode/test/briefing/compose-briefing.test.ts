import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ToolDescriptor } from "indusagi/llm";
import { BRIEFING_SECTIONS, type BriefingParts, composeBriefing } from "induscode/briefing";
import { expect } from "vitest";

const tool = (name: string, server?: string): ToolDescriptor => ({
  name,
  description: `Does ${name}.  More about it.`,
  parameters: { type: "object" },
  ...(server === undefined ? {} : { origin: { server, tool: name } }),
});

const FULL: BriefingParts = {
  tools: [tool("edit"), tool("todo_set"), tool("task"), tool("exit_plan_mode"), tool("s__echo", "s")],
  agents: [{ name: "explore", description: "reads" }],
  skills: [{ name: "release", description: "how to release" }],
  context: [{ path: "AGENTS.md", text: "Use tabs." }],
  cwd: "/work",
  platform: "linux",
  date: "2026-11-16",
  mode: "default",
  isHeadless: false,
};

const headings = (text: string): readonly string[] =>
  [...text.matchAll(/^# (.*)$/gm)].map(([, title = ""]) => title);

verifies("briefing:sections", "ten sections in order, with the tools of servers", () => {
  expect(BRIEFING_SECTIONS).toHaveLength(10);
  const text = composeBriefing(FULL);
  expect(headings(text)).toEqual([
    "Tools",
    "Guidelines",
    "Tasks",
    "Sub-agents",
    "Plan mode",
    "Servers",
    "Project context",
    "Skills",
    "Session",
  ]);
  expect(text).toMatch(/^You are Indus/);
  expect(text).toContain("- s__echo: Does s__echo.\n");
  expect(text).toContain("- s: 1 tool");
  expect(text).toContain("## AGENTS.md\n\nUse tabs.");
  expect(text).toContain("Date: 2026-11-16");
});

verifies(
  "briefing:sections",
  "what has nothing to say is left out; --system replaces all, --append-system comes last",
  () => {
    const { agents: _, skills: __, context: ___, ...rest } = FULL;
    expect(headings(composeBriefing({ ...rest, tools: [tool("read")] }))).toEqual([
      "Tools",
      "Guidelines",
      "Session",
    ]);
    expect(headings(composeBriefing({ ...rest, tools: [] }))).toEqual(["Guidelines", "Session"]);
    expect(composeBriefing({ ...FULL, system: "Only this.\n", append: "And this." })).toBe(
      "Only this.\n\nAnd this.",
    );
    expect(composeBriefing({ ...FULL, append: "Last." })).toMatch(/Date: 2026-11-16\n\nLast\.$/);
    expect(composeBriefing({ ...FULL, isHeadless: true })).toContain("No user can answer while you work");
  },
);

verifies("briefing:no-tools", "without tools the prompt promises none, in every mode", () => {
  for (const mode of ["default", "acceptEdits", "plan", "bypass"] as const)
    for (const isHeadless of [true, false]) {
      const text = composeBriefing({ ...FULL, tools: [], mode, isHeadless });
      expect(text).toContain("This session has no tools");
      expect(text).toContain("## AGENTS.md\n\nUse tabs.");
      expect(text).not.toMatch(
        /\bcalls?\b|\bedit\b|use the tools|run the tests|read the files|task|plan mode/i,
      );
    }
});

verifies("briefing:stable", "equal parts give equal text, and one line describes each tool", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 6 }), (descriptions) => {
      const tools = descriptions.map((description, index) => ({ ...tool(`t${index}`), description }));
      const text = composeBriefing({ ...FULL, tools });
      expect(composeBriefing(structuredClone({ ...FULL, tools }))).toBe(text);
      for (const { name } of tools)
        expect(text.split("\n").filter((line) => new RegExp(`^- ${name}(:|$)`).test(line))).toHaveLength(1);
    }),
    { numRuns: 50 },
  );
});
