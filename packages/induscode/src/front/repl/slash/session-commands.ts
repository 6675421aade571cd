import { escapeForDisplay, isoTime } from "indusagi/core";
import type { SavedSession } from "../../../conductor/internal.ts";
import { fitWidth } from "../../../screen/internal.ts";
import { type SlashCommand, type SlashContext, whileShown } from "./slash-context.ts";

/** `/resume`: continues an earlier session of this folder. */
export const resumeCommand: SlashCommand = {
  name: "resume",
  operands: "[NUMBER | ID]",
  summary: "Continue an earlier session of this folder: from a list, or by its number or id.",
  run: async (context, [word, surplus]) => {
    const { session, complain } = context;
    if (surplus !== undefined)
      complain(`/resume takes one number or id, not also ${JSON.stringify(surplus)}`);
    else {
      const id = await chosenSession(context, word);
      if (id !== undefined && session.id.startsWith(id)) complain("this is the session that is open");
      else if (id !== undefined)
        await change(context, { resume: id }, `the session before is saved (${session.id})`);
    }
    return undefined;
  },
};

/** `/new`: starts over. */
export const newCommand: SlashCommand = {
  name: "new",
  operands: "",
  summary: "Start a new session. This one stays saved; servers, model, mode and kept rules stay as they are.",
  run: async (context) => startOver(context),
};

/** `/clear`: what users of other programs type for it. */
export const clearCommand: SlashCommand = {
  name: "clear",
  operands: "",
  summary: "Clear the conversation and the screen: /new on an empty screen. Nothing is deleted.",
  run: async (context) => {
    // First the command itself, which would appear on the empty screen.
    context.stage.flush();
    context.stage.clear();
    return startOver(context);
  },
};

async function startOver(context: SlashContext): Promise<undefined> {
  const { session } = context;
  const isSaved = session.turns().length > 0;
  await change(context, "new", isSaved ? `new session; /resume ${session.id} goes back` : "new session");
  return undefined;
}

function change(
  context: SlashContext,
  which: Parameters<SlashContext["open"]>[0],
  note: string,
): Promise<void> {
  return whileShown(context.stage, "· opening the session", context.open(which, note));
}

const MAX_SHOWN = 15;
/** At least some words of a session, even on a narrow screen. */
const MIN_TITLE_COLUMNS = 16;

/** The id, or its beginning. If there is nothing to choose, complains and returns undefined. */
async function chosenSession(context: SlashContext, word: string | undefined): Promise<string | undefined> {
  const { session, keeping, dialogs, complain, signal } = context;
  // An id has 26 characters, so a short number is one of the list.
  const isNumber = (text: string): boolean => /^\d{1,4}$/.test(text);
  if (word !== undefined && !isNumber(word)) return word.toUpperCase();
  const saved = await keeping.sessions();
  const others = saved.filter(({ id, turns }) => turns > 0 && id !== session.id).slice(0, MAX_SHOWN);
  if (others.length === 0) {
    complain("this folder has no other session");
    return undefined;
  }
  if (word === undefined) showSessions(context, others);
  const typed =
    word ?? (await dialogs.open(signal, () => dialogs.line("Which one? (number or id, Esc: none)", signal)));
  const wanted = typed?.trim() ?? "";
  if (wanted === "") return undefined;
  if (!isNumber(wanted)) return wanted.toUpperCase();
  const found = others[Number(wanted) - 1];
  if (!found)
    complain(`there is no session ${wanted} in the list of ${others.length}; indus sessions lists all`);
  return found?.id;
}

function showSessions({ stage, session }: SlashContext, sessions: readonly SavedSession[]): void {
  stage.printFolded(`Sessions of ${escapeForDisplay(session.cwd)}, latest first (times in UTC):`);
  for (const [index, { lastAt, turns, title }] of sessions.entries()) {
    const time = isoTime(lastAt).slice(0, 16).replace("T", " ");
    const head = `${String(index + 1).padStart(3)}  ${time}  `;
    const note = ` (${turns} ${turns === 1 ? "turn" : "turns"})`;
    const room = Math.max(MIN_TITLE_COLUMNS, stage.width - 1 - head.length - note.length);
    stage.printFolded(`${head}${fitWidth(escapeForDisplay(title), room)}${note}`);
  }
}
