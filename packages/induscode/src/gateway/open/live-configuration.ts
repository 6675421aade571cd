import { describeError, Listeners } from "indusagi/core";
import type { ReloadReport } from "indusagi/interop";
import { isMountedPattern } from "../../launch/internal.ts";
import type { RowProblem } from "../../servers/find/index.ts";
import type { OpenServers, PatternUse } from "../../servers/open/index.ts";
import type { GatewayTokens } from "../index.ts";
import { type GatewayProfile, type LiveProfiles, profileProblems } from "../routes/profiles.ts";
import type { GatewayConfiguration, GatewayOptions } from "./gateway-options.ts";

interface ApplyOptions {
  readonly servers: OpenServers;
  readonly profiles: LiveProfiles;
  readonly rowProblems: RowProblems;
  readonly report: (message: string) => void;
  readonly reportProfiles: ProfileReporter;
}

/** Changes the rows and profiles of a serving gateway. Never rejects. */
export async function applyConfiguration(
  { servers: rows, profiles: configured = [], rowProblems: problems = [] }: GatewayConfiguration,
  { servers, profiles, rowProblems, report, reportProfiles }: ApplyOptions,
): Promise<void> {
  profiles.replace(configured);
  rowProblems.replace(problems);
  await reportProfiles(configured, rows);
  try {
    const line = describeChange(await servers.reload(rows));
    if (line !== undefined) report(line);
  } catch (thrown) {
    report(`the changed configuration cannot be used: ${describeError(thrown)}`);
  }
}

function describeChange({ added, changed, removed }: ReloadReport): string | undefined {
  const parts = Object.entries({ added, changed, removed }).filter(([, ids]) => ids.length > 0);
  if (parts.length === 0) return undefined;
  return `the configuration changed: ${parts.map(([what, ids]) => `${what} ${ids.join(", ")}`).join("; ")}`;
}

/** The unusable rows of a gateway. They change with its configuration. */
export class RowProblems {
  readonly #changes = new Listeners();
  #problems: readonly RowProblem[];

  constructor(problems: readonly RowProblem[]) {
    this.#problems = problems;
  }

  of(server: string): string | undefined {
    return this.#problems.find((each) => each.server === server)?.problem;
  }

  all(): readonly RowProblem[] {
    return this.#problems;
  }

  replace(problems: readonly RowProblem[]): void {
    this.#problems = problems;
    this.#changes.emit();
  }

  /** Calls the listener when they may have changed, for as long as the gateway serves. */
  onChange(listener: () => void): void {
    this.#changes.add(listener);
  }
}

/** Reports problems of profiles, given the configured rows. */
type ProfileReporter = (
  profiles: NonNullable<GatewayOptions["profiles"]>,
  rows: GatewayOptions["servers"],
) => Promise<void>;

/** Reports each problem once, until it is fixed. */
export function profileReporter(report: (message: string) => void): ProfileReporter {
  let reported: ReadonlySet<string> = new Set();
  return async (profiles, rows) => {
    const ids = rows.map(({ id }) => id);
    const found = await Promise.all(profiles.map((profile) => profileProblems(profile, ids)));
    const problems = new Set(found.flat());
    for (const problem of problems) if (!reported.has(problem)) report(problem);
    reported = problems;
  };
}

/** The tool patterns of tokens. An unusable file is reported when a token is checked. */
export function tokenUses(tokens: Pick<GatewayTokens, "list"> | undefined): readonly PatternUse[] {
  try {
    return (tokens?.list() ?? []).flatMap(({ name, tools = [] }) =>
      tools.map((word) => ({ where: `token ${name}:`, word, isGrant: true })),
    );
  } catch {
    return [];
  }
}

/** The profiles' patterns for tools of servers. Their other words are matched more loosely, see `profileProblems`. */
export function profileUses(profiles: readonly GatewayProfile[]): readonly PatternUse[] {
  return profiles.flatMap(({ name, tools = [] }) =>
    tools
      .filter(isMountedPattern)
      .map((word) => ({ where: `profile "${name}":`, word: word.trim(), isGrant: true })),
  );
}
