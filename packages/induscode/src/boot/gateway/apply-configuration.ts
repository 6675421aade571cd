import { describeError } from "indusagi/core";
import type { ReloadReport } from "indusagi/interop";
import type { OpenServers } from "../servers/open-servers.ts";
import type { GatewayConfiguration, GatewayOptions } from "./gateway-options.ts";
import type { LiveProfiles } from "./routes/live-profiles.ts";
import { profileProblems } from "./routes/profiles.ts";
import type { RowProblems } from "./row-problems.ts";

export interface ApplyOptions {
  readonly servers: Pick<OpenServers, "reload" | "configs">;
  readonly profiles: LiveProfiles;
  readonly rowProblems: RowProblems;
  readonly report: (message: string) => void;
  readonly reportProfiles: ProfileReporter;
}

/** Reports what is wrong with profiles, given the rows beside them. */
export type ProfileReporter = (
  profiles: NonNullable<GatewayOptions["profiles"]>,
  rows: GatewayOptions["servers"],
) => Promise<void>;

/** Changes the rows and profiles of a gateway that serves. Never rejects. */
export async function applyConfiguration(
  { servers: rows, profiles: configured = [], rowProblems: problems = [] }: GatewayConfiguration,
  { servers, profiles, rowProblems, report, reportProfiles }: ApplyOptions,
): Promise<void> {
  profiles.replace(configured);
  rowProblems.replace(problems);
  await reportProfiles(configured, rows);
  try {
    const line = showChange(await servers.reload(rows));
    if (line !== undefined) report(line);
  } catch (thrown) {
    report(`the changed configuration cannot be used: ${describeError(thrown)}`);
  }
}

/** A problem that lasts is reported once. */
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

function showChange({ added, changed, removed }: ReloadReport): string | undefined {
  const parts = Object.entries({ added, changed, removed }).filter(([, ids]) => ids.length > 0);
  if (parts.length === 0) return undefined;
  return `the configuration changed: ${parts.map(([what, ids]) => `${what} ${ids.join(", ")}`).join("; ")}`;
}
