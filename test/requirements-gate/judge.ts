/** A test as the run left it. */
export interface RunTest {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped" | "pending";
}

export interface RunFacts {
  /** The ids of all requirements. */
  readonly requirements: readonly string[];
  readonly tests: readonly RunTest[];
  readonly platform: NodeJS.Platform;
  /** False for a run of some files or some names: then a requirement without a test is no problem. */
  readonly isWhole: boolean;
}

export interface Judgement {
  /** Each fails the run. */
  readonly problems: readonly string[];
  /** Requirements that this platform cannot check. */
  readonly notes: readonly string[];
}

/**
 * Compares requirements with the tests of a run. A requirement needs a test that passed; that its tests exist in the
 * source proves nothing. Linux runs everything, so there a requirement whose tests were all skipped is a problem. Only those
 * that need a browser may be skipped everywhere: `npm run test:browser` runs them all.
 */
export function judgeRequirements({ requirements, tests, platform, isWhole }: RunFacts): Judgement {
  const states = statesById(tests);
  const known = new Set(requirements);
  const unknown = [...states.keys()].filter((id) => !known.has(id));
  const unchecked = requirements.filter((id) => !states.get(id)?.has("passed"));
  const skipped = unchecked.filter((id) => isOnlySkipped(states.get(id)));
  const missing = unchecked.filter((id) => !skipped.includes(id));
  const isAllowed = (id: string): boolean => platform !== "linux" || id.startsWith("browser:");
  const explain = (id: string): string => `${id}: all its tests are skipped on ${platform}`;
  return {
    problems: [
      ...unknown.map((id) => `${id}: a test cites it, but test/requirements has no such id`),
      ...(isWhole ? missing.map((id) => `${id}: ${explainMissing(states.get(id))}`) : []),
      ...(isWhole ? skipped.filter((id) => !isAllowed(id)).map(explain) : []),
    ],
    notes: isWhole ? skipped.filter(isAllowed).map(explain) : [],
  };
}

type States = Map<string, Set<RunTest["state"]>>;

/** Reads the id that `verifies` puts in front of a test's name: `[fleet:isolation] one server …`. */
function statesById(tests: readonly RunTest[]): States {
  const states: States = new Map();
  for (const { name, state } of tests) {
    const id = /^\[([a-z0-9-]+:[a-z0-9-]+)\] /.exec(name)?.[1];
    if (id !== undefined) states.set(id, (states.get(id) ?? new Set()).add(state));
  }
  return states;
}

function isOnlySkipped(states: ReadonlySet<RunTest["state"]> | undefined): boolean {
  return states?.size === 1 && states.has("skipped");
}

function explainMissing(states: ReadonlySet<RunTest["state"]> | undefined): string {
  return states === undefined ? "no test cites it" : "no test that cites it passed";
}
