import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { neutral } from "../../transparency/compare/neutral.ts";
import { verdictsOf } from "../../transparency/compare/verdict.ts";
import { OWN_NAMES } from "../../transparency/doors/gateway.ts";
import { INDUS } from "../../transparency/doors/indus.ts";
import { SUBJECTS } from "../../transparency/doors/subject.ts";
import { observe } from "../../transparency/observe.ts";

/** What takes long by itself. `npm run transparency` tries all of it, on every server, transport and door. */
const SLOW = /^(cancel|call large|call many|complete|prompt)/;

verifies(
  "transparency:doors",
  "a modern client of a legacy server receives through `indus serve` what a legacy client receives from it alone",
  async () => {
    await using dir = await tempDir();
    const subject = SUBJECTS.find(({ name }) => name === "features stdio legacy");
    const door = INDUS.doors.find(({ name }) => name === "stdio");
    if (!subject || !door) throw new Error("the server or the door of this test is gone");
    const plan = { steps: subject.plan.steps.filter(({ id }) => !SLOW.test(id)) };
    const mark = "test-transparency.";
    await using alone = await subject.start(mark);
    await using behind = await door.open(alone.target, { mark, folder: dir.path });
    const [direct, through] = await Promise.all([
      observe(alone.target, { era: "legacy", plan, names: OWN_NAMES }),
      observe(behind.target, { era: "modern", plan, names: door.names }),
    ]);
    const place = {
      gateway: INDUS.name,
      server: subject.server,
      isOwn: door.isOwn,
      clientEra: "modern",
      serverEra: "legacy",
    } as const;
    const verdicts = verdictsOf({ plan, direct: [direct, direct], through, place });
    expect(verdicts.filter(({ kind }) => kind === "different")).toEqual([]);
    expect(verdicts.filter(({ kind }) => kind === "identical").length).toBeGreaterThan(15);
  },
  { timeoutMs: 90_000 },
);

/** What the two eras cannot have in common: lists of capabilities and of definitions, and what only one of them has. */
const OF_ONE_ERA =
  /^(server info|capabilities|tools\/list|call declared|plain call job_|hint of (?!skills)|read ext:)/;

verifies(
  "transparency:extensions",
  "of a server alone, clients of both eras see the same tasks, apps, skills and traces",
  async () => {
    const seen = await Promise.all(
      (["legacy", "modern"] as const).map(async (era) => {
        const subject = SUBJECTS.find(({ name }) => name === `extensions stdio ${era}`);
        if (!subject) throw new Error("the server of this test is gone");
        await using alone = await subject.start("test-transparency.");
        return observe(alone.target, { era, plan: subject.plan, names: OWN_NAMES });
      }),
    );
    const [legacy, modern] = seen.map((observed) => {
      if ("failure" in observed) throw new Error(observed.failure);
      return Object.fromEntries(
        [...observed.steps]
          .filter(([step]) => !OF_ONE_ERA.test(step))
          .map(([step, each]) => [step, neutral(each)]),
      );
    });
    expect(Object.keys(legacy ?? {}).length).toBeGreaterThan(30);
    expect(legacy).toEqual(modern);
    // None of them is the same because nothing was seen.
    expect(JSON.stringify(legacy)).not.toMatch(/noTask|"failure"|"thrown"|"isToldOfEnd":false/);
    expect(JSON.stringify(legacy)).not.toMatch(/"is(Digest|Size|KnownAtOnce|PlainId|Accepted)":false/);
  },
  { timeoutMs: 90_000 },
);
