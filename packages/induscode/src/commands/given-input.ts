import { type Run, readInput } from "../boot/internal.ts";
import { type GivenArgument, parseArgumentObject } from "../launch/arguments/index.ts";
import type { ToolRequest } from "../launch/internal.ts";

/** The arguments of a call, with those from standard input. Undefined if they cannot be used, which is reported. */
export async function givenInput(
  run: Run,
  { given, fromInput }: Pick<ToolRequest, "given" | "fromInput">,
): Promise<readonly GivenArgument[] | undefined> {
  if (!fromInput) return given;
  const parsed = parseArgumentObject(await readInput(run.signal));
  if (!("problem" in parsed)) return [...parsed.given, ...given];
  run.report("--args - takes one JSON object from standard input, and this is not one");
  return undefined;
}
