import type { JSX } from "preact";
import type { ServerSummary } from "../../src/console/contract.ts";
import { Said } from "../text.tsx";

/** A server's state as a word with a mark: the colour says nothing that the word does not. */
export function State({ server }: { readonly server: ServerSummary }): JSX.Element {
  return (
    <span class={`state ${levelOf(server)}`}>
      <Mark level={levelOf(server)} />
      <Said>{server.state}</Said>
    </span>
  );
}

type Level = "good" | "busy" | "bad" | "asks" | "off";

function levelOf({ isUsable, isDown, needsUser, isStarting, standing }: ServerSummary): Level {
  if (isUsable) return "good";
  if (needsUser) return "asks";
  if (isDown) return "bad";
  return isStarting || standing === "restarting" ? "busy" : "off";
}

function Mark({ level }: { readonly level: Level }): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 10 10" aria-hidden="true">
      {level === "good" && <circle cx="5" cy="5" r="4" />}
      {level === "bad" && <path d="M2 2l6 6M8 2l-6 6" class="stroke" />}
      {level === "busy" && <circle cx="5" cy="5" r="3.4" class="stroke dashed" />}
      {level === "asks" && <path d="M5 1l4 8H1z" />}
      {level === "off" && <circle cx="5" cy="5" r="3.4" class="stroke" />}
    </svg>
  );
}

export function Outcome({ outcome }: { readonly outcome: string }): JSX.Element {
  return <span class={`outcome outcome-${outcome}`}>{outcome}</span>;
}
