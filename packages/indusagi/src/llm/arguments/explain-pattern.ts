import type { MatchPattern } from "../../core/internal.ts";
import { isRecord } from "../../core/internal.ts";
import type { Members } from "../members.ts";
import {
  explainMismatch,
  firstProblem,
  memberPath,
  shortened,
  subjectOf,
  unknownMember,
} from "./explain-mismatch.ts";
import { resolvePointer } from "./schema-parts.ts";

/** The most schemas applied in one check. References can make a small schema apply itself forever. */
const MAX_STEPS = 20_000;

interface Check {
  readonly root: Members;
  readonly matches: MatchPattern;
  stepsLeft: number;
}

/**
 * Names the first text or member name that does not match a `pattern`, `patternProperties` or `propertyNames`. Returns
 * nothing when all match or when in doubt: it ignores what `matches` does not evaluate, and the patterns inside `not`,
 * `if` and `contains`.
 */
export function explainPatternMismatch(
  schema: unknown,
  value: unknown,
  matches: MatchPattern,
): string | undefined {
  return isRecord(schema)
    ? explain({ root: schema, matches, stepsLeft: MAX_STEPS }, schema, value, "")
    : undefined;
}

function explain(check: Check, schema: unknown, value: unknown, path: string): string | undefined {
  if (!isRecord(schema) || check.stepsLeft-- <= 0) return undefined;
  // References below an `$id` have a different base.
  if (schema !== check.root && schema["$id"] !== undefined) return undefined;
  const within = (inner: unknown): string | undefined => explain(check, inner, value, path);
  // Some drafts ignore everything next to a reference.
  if (schema["$ref"] !== undefined) return within(target(check, schema["$ref"]));
  const { pattern, allOf, anyOf, oneOf } = schema;
  if (typeof value === "string" && typeof pattern === "string" && check.matches(pattern, value) === false)
    return `${subjectOf(path)} must match the pattern ${shortened(pattern)}`;
  return (
    firstProblem(listOf(allOf), within) ??
    explainBranches(listOf(anyOf), value, within) ??
    explainBranches(listOf(oneOf), value, within) ??
    explainInside(check, schema, value, path)
  );
}

function target(check: Check, ref: unknown): unknown {
  const found = typeof ref === "string" ? resolvePointer(check.root, ref) : undefined;
  return typeof found === "object" ? found.value : undefined;
}

/** A value does not match if it matches none of the branches. */
function explainBranches(
  branches: readonly unknown[],
  value: unknown,
  within: (branch: unknown) => string | undefined,
): string | undefined {
  let mismatch: string | undefined;
  for (const branch of branches) {
    const found = within(branch);
    if (found === undefined && branch !== false && explainMismatch(branch, value) === undefined)
      return undefined;
    mismatch ??= found;
  }
  return mismatch;
}

function explainInside(check: Check, schema: Members, value: unknown, path: string): string | undefined {
  if (Array.isArray(value)) {
    const { items } = schema;
    const first = listOf(schema["prefixItems"] ?? items);
    return firstProblem(value.entries(), ([at, item]) =>
      explain(check, at < first.length ? first[at] : items, item, `${path}[${at}]`),
    );
  }
  if (!isRecord(value)) return undefined;
  return firstProblem(Object.keys(value), (name) => {
    const member = memberPath(path, name);
    return (
      explain(check, schema["propertyNames"], name, member) ??
      firstProblem(memberSchemas(check, schema, name), (inner) =>
        inner === false ? unknownMember(schema, member) : explain(check, inner, value[name], member),
      )
    );
  });
}

/** The schemas that certainly apply to a member. */
function memberSchemas({ matches }: Check, schema: Members, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  const answers = patterns.map((pattern) => matches(pattern, name));
  const isDescribed = isRecord(properties) && Object.hasOwn(properties, name);
  const applied = [
    ...(isDescribed ? [properties[name]] : []),
    ...patterns.filter((_, at) => answers[at]).map((pattern) => (patternProperties as Members)[pattern]),
  ];
  const isAdditional = !isDescribed && answers.every((answer) => answer === false);
  return isAdditional ? [additionalProperties] : applied;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
