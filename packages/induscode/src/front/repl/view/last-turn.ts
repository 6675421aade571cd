import type { Session } from "../../../conductor/index.ts";
import { shownPrompt } from "../input/prompt-reader.ts";
import type { Stage } from "./stage.ts";
import type { TurnView } from "./turn-view.ts";

/** Shows the last turn of a continued session. Nothing for a new session. */
export function showLastTurn(
  session: Pick<Session, "transcript" | "turns">,
  stage: Stage,
  view: TurnView,
): void {
  const entries = session.transcript();
  const start = entries.findLastIndex(({ kind }) => kind === "user");
  const first = entries[start];
  if (first?.kind !== "user") return;
  const count = session.turns().length;
  stage.printFolded(count > 1 ? `The session has ${count} turns; the last one was:` : "The session so far:");
  const said = first.content.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`));
  stage.print(`\n${shownPrompt(said.join("\n"), stage.width)}\n\n`);
  for (const [at, entry] of entries.slice(start + 1).entries())
    view.show({ kind: "entry", position: start + 1 + at, entry });
}
