import type { SessionFlags } from "../../launch/internal.ts";

/**
 * What is wrong with the `--allow` and `--deny` rules. Undefined if they can be parsed. Checked before a session is opened: a
 * malformed rule must not start servers.
 */
export async function ruleProblem({
  allow,
  deny,
}: Pick<SessionFlags, "allow" | "deny">): Promise<string | undefined> {
  if (allow.length + deny.length === 0) return undefined;
  const { parseRule } = await import("../../policy/index.ts");
  const parsed = [
    ...allow.map((text) => parseRule(text, "allow")),
    ...deny.map((text) => parseRule(text, "deny")),
  ];
  return parsed.flatMap(({ problem }) => problem ?? []).join("; ") || undefined;
}
