import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { ServerReport } from "../../fleet/compare/report.ts";
import { figure, plainFigure } from "../../fleet/figures/measured.ts";
import { isWholeRun, parseFleetOptions } from "../../fleet/options.ts";
import { fleetPage } from "../../fleet/page.ts";

const EQUAL = { definitions: { kind: "equal" }, call: { kind: "equal" } } as const;
const good: ServerReport = {
  name: "hello",
  package: "some-hello",
  version: "1.0.0",
  tools: 3,
  directMs: 420,
  mountedMs: 900,
  mountedTools: 3,
  memoryMb: 30.4,
  mounted: EQUAL,
  served: EQUAL,
};
const bad: ServerReport = {
  ...good,
  name: "odd",
  mounted: { ...EQUAL, call: { kind: "different", why: '.result: "a`b"\n became "c"' } },
  served: { ...EQUAL, definitions: { kind: "unsteady" } },
};
const absent: ServerReport = {
  name: "absent",
  package: "some-absent",
  version: "1.0.0",
  failure: "Connection closed",
  mounted: { definitions: { kind: "none" }, call: { kind: "none" } },
  served: { definitions: { kind: "none" }, call: { kind: "none" } },
};

const page = fleetPage({
  where: "2026-11-16, Node v20.20.2, linux, 2 cores",
  servers: [good, bad, absent],
  figures: [
    figure({ summary: "memory", value: 131, limit: 130, unit: "MB" }),
    figure({ summary: "start", value: 300, limit: 300, unit: "ms" }),
    figure({ summary: "lag", value: undefined, limit: 250, unit: "ms" }),
    plainFigure("total", "24.00 s"),
  ],
  leftOut: [{ package: "some-login", why: "asks for a login" }],
});

verifies(
  "fleet-run:page",
  "the page counts what is mounted, equal, unsteady and different, and says why",
  () => {
    expect(page).toContain("3 servers, 2 of which start here with the official client, with 6 tools");
    expect(page).toContain("Mounted: 2 of 2.");
    expect(page).toContain("Definitions, served: 1 equal, 1 unsteady, 0 different.");
    expect(page).toContain("Calls, mounted: 1 equal, 0 unsteady, 1 different.");
    expect(page).toContain("| hello | some-hello 1.0.0 | 3 | 0.4 s | 0.9 s | 30 MB | equal | equal |");
    expect(page).toContain("| equal (served: unsteady) | different (served: equal) |");
    expect(page).toContain('- odd, call, mounted: `.result: "a\'b" became "c"`');
    expect(page).toContain("- absent does not start with the official client: `Connection closed`");
    expect(page).toContain("- some-login: asks for a login");
  },
);

verifies("fleet-run:page", "a figure above its limit, and one that was not measured, is a miss", () => {
  expect(page).toContain("| memory | 131 MB | ≤ 130 MB | **missed** |");
  expect(page).toContain("| start | 300 ms | ≤ 300 ms | met |");
  expect(page).toContain("| lag | not measured | ≤ 250 ms | **missed** |");
  expect(page).toContain("| total | 24.00 s | - |  |");
});

verifies("fleet-run:page", "the page is written only by a run of everything", () => {
  expect(isWholeRun(parseFleetOptions([]))).toBe(true);
  expect(isWholeRun(parseFleetOptions(["--skip-install", "--resume"]))).toBe(true);
  for (const args of [["--only", "hello"], ["--no-figures"], ["--no-compare"]])
    expect(isWholeRun(parseFleetOptions(args))).toBe(false);
  expect(() => parseFleetOptions(["--seed", "x"])).toThrow("--seed: x is not a whole number");
  expect(() => parseFleetOptions(["--nope"])).toThrow("--nope");
});
