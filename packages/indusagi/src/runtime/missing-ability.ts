import { CoreError } from "../core/index.ts";
import type { CallerAbilities, Question } from "./contract/index.ts";

const ABILITY = {
  "elicitation/create": "elicit",
  "sampling/createMessage": "sample",
  "roots/list": "roots",
} as const;

/** Why a client cannot be asked a question; nothing if it can. */
export function missingAbility(can: CallerAbilities, { method }: Question): CoreError<"unable"> | undefined {
  if (can[ABILITY[method]]) return undefined;
  return new CoreError("unable", `the client cannot answer ${method}: it did not declare that capability`);
}
