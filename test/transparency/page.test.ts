import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import type { Cell } from "../../transparency/cells.ts";
import { JUSTIFICATIONS } from "../../transparency/compare/justified.ts";
import type { StepVerdict } from "../../transparency/compare/verdict.ts";
import { isWholeRun, parseOptions } from "../../transparency/options.ts";
import { transparencyPage } from "../../transparency/page/page.ts";
import { percent } from "../../transparency/page/tally.ts";
import { readDocument } from "../kit/documents.ts";

const verdict = (more: Partial<StepVerdict>): StepVerdict => ({
  step: "call echo",
  feature: "tool",
  kind: "identical",
  reasons: [],
  wrong: [],
  ...more,
});

const cell = (more: Partial<Cell>): Cell => ({
  gateway: "indus",
  door: "/mcp",
  subject: { name: "features stdio legacy", server: "features", era: "legacy", transport: "stdio" },
  clientEra: "modern",
  verdicts: [verdict({})],
  ...more,
});

verifies("transparency:page", "shares, pairs of eras, reasons and differences are shown", () => {
  const page = transparencyPage({
    where: "2026-11-16",
    cells: [
      cell({
        verdicts: [
          verdict({}),
          verdict({ step: "info", feature: "initialize", kind: "justified", reasons: ["It is itself."] }),
          verdict({
            step: "log debug",
            feature: "log",
            kind: "different",
            wrong: [{ path: "messages[0]", direct: "a|`b\u202E", through: undefined }],
          }),
        ],
      }),
      cell({ gateway: "peer 1.0", failure: "no", verdicts: [verdict({ kind: "different" })] }),
    ],
  });
  expect(page).toContain("| indus | 1 | 0 | 3 | 1 | 1 | 1 | 33.3 % | 66.6 % |");
  expect(page).toContain("| peer 1.0 | 1 | 1 | 1 | 0 | 0 | 1 | 0.0 % | 0.0 % |");
  expect(page).toContain(
    "| modern | legacy | yes (1) | - | - | - | - | - | - | **0 of 1** | - | - | - | - | - |",
  );
  expect(page).toContain("| It is itself. | `info` | 1 |");
  expect(page).toContain('- `log debug`, `messages[0]`: `"a\\|\'b "` became `nothing`');
  expect(page).toContain("- peer 1.0, modern client: `no` (features stdio legacy)");
});

verifies("transparency:page", "a share is never rounded up to the whole", () => {
  expect(percent(9_999, 10_000)).toBe("99.9 %");
  expect(percent(10_000, 10_000)).toBe("100 %");
  expect(percent(0, 0)).toBe("-");
});

verifies(
  "transparency:page",
  "the page in docs was written by the harness: it has each reason of the table and no other",
  () => {
    const page = readDocument("docs/transparency.md");
    const reasons = [...page.matchAll(/^\| ([A-Z][^|]+\.) \| `/gm)].map(([, reason]) => reason);
    // The machine of the run may have had no nats-server, and so no cluster.
    const tried = JUSTIFICATIONS.filter(
      ({ gateway }) => gateway === undefined || page.includes(`| ${gateway} |`),
    );
    expect(reasons.toSorted()).toEqual(tried.map(({ reason }) => reason).toSorted());
  },
);

verifies("transparency:page", "another gateway is given by its URL and the server behind it", () => {
  expect(() => parseOptions(["--url", "http://127.0.0.1:1/mcp"])).toThrow("--only");
  expect(() => parseOptions(["--url", "nonsense", "--only", "shelf"])).toThrow("not a URL");
  expect(() => parseOptions(["--at-once", "0"])).toThrow("--at-once");
  const options = parseOptions(["--url", "http://127.0.0.1:1/mcp", "--only", "shelf,stdio"]);
  expect(options).toMatchObject({ only: ["shelf", "stdio"], prefix: "" });
  expect(options !== "servers" && isWholeRun(options)).toBe(false);
});
