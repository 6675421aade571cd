import { escapeForDisplay } from "indusagi/core";
import type { RewindTarget, SessionRewind, SessionTurn } from "../../../conductor/index.ts";
import { fitWidth } from "../../../screen/internal.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

const TARGETS: readonly RewindTarget[] = ["files", "conversation", "both"];
const MAX_SHOWN_TURNS = 15;

const MIN_MESSAGE_COLUMNS = 16;

/** `/rewind`: goes back to the state before a turn. */
export const rewindCommand: SlashCommand = {
  name: "rewind",
  operands: "[TURN] [files | conversation | both] [force]",
  summary: "Undo a turn and those after it: files, conversation, or both.",
  words: TARGETS,
  run: async (context, words) => {
    const { session, complain } = context;
    const turns = session.turns();
    const target = TARGETS.find((each) => words.includes(each)) ?? "both";
    const force = words.includes("force");
    const rest = words.filter((word) => word !== "force" && word !== target);
    if (turns.length === 0) complain("there is no turn to undo");
    else if (rest.length > 1) complain(`/rewind takes ${rewindCommand.operands}`);
    else {
      const turn = await chosenTurn(context, turns, rest[0]);
      if (turn !== undefined) show(context, await session.rewind(turn, { target, force }), turn);
    }
    return undefined;
  },
};

async function chosenTurn(
  { stage, dialogs, complain, signal }: SlashContext,
  turns: readonly SessionTurn[],
  word: string | undefined,
): Promise<number | undefined> {
  if (word === undefined)
    for (const { turn, text, paths, hasSnapshot } of turns.slice(-MAX_SHOWN_TURNS)) {
      const files = paths.length > 0 ? [`${paths.length} ${paths.length === 1 ? "file" : "files"}`] : [];
      const notes = [...files, ...(hasSnapshot ? [] : ["what commands changed stays"])];
      const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
      const number = `  ${turn}  `;
      const first = escapeForDisplay(text.replaceAll(/\s+/g, " ").trim());
      // At least some words of the message, even on a narrow screen.
      const room = Math.max(MIN_MESSAGE_COLUMNS, stage.width - 1 - number.length - note.length);
      stage.printFolded(`${number}${fitWidth(first, room)}${note}`);
    }
  const typed =
    word ??
    (await dialogs.open(signal, () => dialogs.line("Back to before which turn? (Esc: none)", signal)));
  if (typed === undefined || typed.trim() === "") return undefined;
  const number = Number(typed);
  if (turns.some(({ turn }) => turn === number)) return number;
  complain(`there is no turn ${typed}; the turns are ${turns[0]?.turn} to ${turns.at(-1)?.turn}`);
  return undefined;
}

function show(
  { stage }: SlashContext,
  { done, restored, removed, conflicts, skipped, warning }: SessionRewind,
  turn: number,
): void {
  const line = (verb: string, path: string, reason?: string): void =>
    stage.printFolded(
      `  ${verb} ${escapeForDisplay(path)}${reason === undefined ? "" : `: ${escapeForDisplay(reason)}`}`,
    );
  stage.printFolded(
    done
      ? `back to before turn ${turn}`
      : "nothing was changed because of these conflicts; /rewind with force overwrites them",
  );
  for (const path of restored) line("restored", path);
  for (const path of removed) line("removed", path);
  for (const { path, reason } of conflicts) line("conflict", path, reason);
  for (const { path, reason } of skipped) line("skipped", path, reason);
  if (warning !== undefined) stage.printFolded(escapeForDisplay(warning));
}
