import type { SessionFlags } from "../../launch/internal.ts";

/**
 * What is wrong with the rules of `--allow` and `--deny`. Undefined if they can be parsed. It is asked before a session is
 * opened, so that a wrong rule starts no server.
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
