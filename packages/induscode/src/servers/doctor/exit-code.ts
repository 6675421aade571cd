import type { Examination, Verdict } from "./examine-server.ts";
import type { Finding } from "./finding.ts";

/** 0: all well. 1: a server failed. 3: a configuration file has errors. 4: not approved. 5: login needed. 2 is wrong usage. */
export type DoctorCode = 0 | 1 | 3 | 4 | 5;

/**
 * The exit code. If several apply: errors in files first, because they hide servers; then what the user cannot solve by one
 * command; then logins, then approvals.
 */
export function doctorCode(findings: {
  readonly machine: readonly Finding[];
  readonly config: readonly Finding[];
  readonly servers: readonly Pick<Examination, "verdict">[];
}): DoctorCode {
  const has = (verdict: Verdict): boolean => findings.servers.some((server) => server.verdict === verdict);
  if (findings.config.some(isProblem)) return 3;
  if (has("failed") || findings.machine.some(isProblem)) return 1;
  if (has("login")) return 5;
  return has("untrusted") ? 4 : 0;
}

function isProblem({ health }: Finding): boolean {
  return health === "problem";
}
