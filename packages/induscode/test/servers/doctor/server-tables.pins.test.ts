import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showServers } from "../../../src/servers/doctor/index.ts";

const ROWS = [
  {
    server: "notes",
    origin: "user",
    trust: "own",
    status: { server: "notes", phase: "ready", toolCount: 12 },
    tokens: 3400,
    ms: 812,
  },
  {
    server: "issue-tracker-of-the-team",
    origin: "project",
    trust: "pending",
    status: {
      server: "issue-tracker-of-the-team",
      phase: "idle",
      state: "untrusted",
      toolCount: 0,
      summary: "it is not approved; indus mcp trust issue-tracker-of-the-team approves it",
    },
  },
  { server: "notes", origin: "project", trust: "refused" },
  {
    server: "units",
    origin: "--run",
    trust: "given",
    status: { server: "units", phase: "ready", toolCount: 2 },
    tokens: 145,
    ms: 90,
  },
] as const;

verifies("mcp-list:table", "the table at 80 columns", () => {
  expect(showServers(ROWS, { times: false, look: { width: 80 } })).toBe(
    `SERVER                     ORIGIN   TRUST    STATE      TOOLS  EST. TOKENS
notes                      user     yours    ready      12     3400
issue-tracker-of-the-team  project  pending  untrusted  -      -
    it is not approved; indus mcp trust issue-tracker-of-the-team approves it
notes                      project  refused  not used   -      -
    another row of this name is used
units                      --run    given    ready      2      145

14 tools, an estimated 3545 tokens (one per 4 bytes)
`,
  );
});

verifies("mcp-list:table", "the table at 60 columns, where a long name is cut", () => {
  const shown = showServers(ROWS, { times: true, look: { width: 60 } });
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(shown).toContain("issue-t…");
  expect(shown).toContain("\n    it is not approved; indus mcp trust\n");
});

verifies("mcp-list:table", "the table without a width has the fault in the same line", () => {
  const shown = showServers(ROWS, { times: true });
  expect(shown).toContain("EST. TOKENS  TIME   NOTE\nnotes ");
  expect(shown).toMatch(/^notes +user +yours +ready +12 +3400 +0\.8 s +-$/m);
  expect(shown).toMatch(/^issue-tracker-of-the-team .*approves it$/m);
});
