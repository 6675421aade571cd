import type { CallerAbilities } from "../../../runtime/index.ts";

/** What a client's declared capabilities let a tool ask of it. */
export function abilitiesOf(capabilities: unknown): CallerAbilities {
  const { elicitation, sampling, roots } = recordOf(capabilities);
  return {
    ...(elicitation === undefined ? {} : { elicit: elicitationOf(recordOf(elicitation)) }),
    ...(sampling === undefined ? {} : { sample: samplingOf(recordOf(sampling)) }),
    ...(roots === undefined ? {} : { roots: true }),
  };
}

/** A bare `elicitation: {}` has always meant forms. */
function elicitationOf({ form, url }: Record<string, unknown>): NonNullable<CallerAbilities["elicit"]> {
  return {
    ...(form !== undefined || url === undefined ? { form: true } : {}),
    ...(url === undefined ? {} : { url: true }),
  };
}

function samplingOf({ tools, context }: Record<string, unknown>): NonNullable<CallerAbilities["sample"]> {
  return {
    ...(tools === undefined ? {} : { tools: true }),
    ...(context === undefined ? {} : { context: true }),
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
