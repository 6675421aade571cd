import { nearNames } from "./near-names.ts";

/** What is said to somebody who named a tool that is not there. `lister`: the command that shows those that are. */
export function noSuchTool(name: string, known: readonly string[], lister: string): string {
  const near = nearNames(name, known);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `${lister} shows what there is`;
  return `there is no tool named ${JSON.stringify(name)}; ${hint}`;
}
