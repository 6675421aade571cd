import { resolve } from "node:path";
import { describeError, errorCode, escapeForDisplay, replaceFileSync } from "indusagi/core";
import type { RewindTarget, SessionRewind, SessionTurn } from "../../../conductor/index.ts";
import { showLines, showToolLines } from "../../../screen/index.ts";
import { fitWidth } from "../../../screen/internal.ts";
import { mcpCommand } from "./mcp-commands.ts";
import { clearCommand, newCommand, resumeCommand } from "./session-commands.ts";
import { type SlashCommand, type SlashContext, whileShown } from "./slash-context.ts";

const toolsCommand: SlashCommand = {
  name: "tools",
  operands: "",
  summary: "List the tools that the model can use now.",
  run: async ({ session, stage, complain }) => {
    const tools = session.box.descriptors();
    if (tools.length === 0) complain("this session has no tools");
    else stage.print(showToolLines(tools, stage.look));
    return undefined;
  },
};

const planCommand: SlashCommand = {
  name: "plan",
  operands: "[off]",
  summary: "Plan first: only read-only tools run until you approve the plan. off leaves plan mode.",
  words: ["off"],
  run: async ({ session, complain }, [word]) => {
    if (word !== undefined && word !== "off") complain("/plan takes off or nothing");
    else session.setMode(word === "off" ? "default" : "plan");
    return undefined;
  },
};

const TARGETS: readonly RewindTarget[] = ["files", "conversation", "both"];
const MAX_SHOWN_TURNS = 15;
const MIN_MESSAGE_COLUMNS = 16;

const rewindCommand: SlashCommand = {
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
      if (turn !== undefined) showRewind(context, await session.rewind(turn, { target, force }), turn);
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

function showRewind(
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

const modelCommand: SlashCommand = {
  name: "model",
  operands: "[PROVIDER/NAME]",
  summary: "Show or change the model, and keep it for new sessions if you like.",
  run: async (context, [name]) => {
    const { session, stage, complain } = context;
    if (name === undefined) stage.printFolded(`model: ${escapeForDisplay(session.model)}`);
    else
      try {
        session.setModel(name);
        await offerToKeep(context, name);
      } catch (thrown) {
        complain(describeError(thrown));
      }
    return undefined;
  },
};

async function offerToKeep({ keeping, dialogs, stage, signal }: SlashContext, model: string): Promise<void> {
  if ((await keeping.defaultModel()) === model) return;
  const isKept = await dialogs.open(signal, () =>
    dialogs.choose(
      "Use it for new sessions too?",
      [
        { key: "y", label: "yes, keep it in your settings", answer: true },
        { key: "n", label: "no, only in this session", answer: false },
      ],
      signal,
    ),
  );
  if (isKept) stage.printFolded(escapeForDisplay(await keeping.keepModel(model)));
}

const contextCommand: SlashCommand = {
  name: "context",
  operands: "",
  summary: "Show how much of the model's context is used, and the tokens so far.",
  run: async ({ session, stage }) => {
    const { tokens, windowTokens, toolTokens, systemTokens } = await session.context();
    const share = (part: number): string => `${Math.round((100 * part) / Math.max(1, windowTokens))} %`;
    const conversation = Math.max(0, tokens - toolTokens - systemTokens);
    stage.printFolded(
      `context: about ${shownCount(tokens)} of ${shownCount(windowTokens)} tokens (${share(tokens)})`,
    );
    stage.printFolded(`  system prompt ${shownCount(systemTokens)}, tools ${shownCount(toolTokens)}`);
    stage.printFolded(`  conversation ${shownCount(conversation)}`);
    const { inputTokens = 0, outputTokens = 0, cacheHitShare } = session.usage();
    const cached = cacheHitShare === undefined ? "" : `, ${Math.round(100 * cacheHitShare)} % from the cache`;
    stage.printFolded(
      `so far: ${shownCount(inputTokens)} tokens in${cached}, ${shownCount(outputTokens)} out`,
    );
    stage.printFolded(
      `automatic compaction: ${session.autoCompact ? "on" : "off"} (/compact on, /compact off)`,
    );
    return undefined;
  },
};

const compactCommand: SlashCommand = {
  name: "compact",
  operands: "[on | off]",
  summary: "Shorten the conversation now, or turn automatic shortening on or off.",
  words: ["on", "off"],
  run: async ({ session, stage, signal, complain }, [word]) => {
    if (word === "on" || word === "off") {
      session.setAutoCompact(word === "on");
      stage.printFolded(
        `the conversation is ${word === "on" ? "" : "not "}shortened automatically when it gets long`,
      );
    } else if (word !== undefined) complain("/compact takes on, off or nothing");
    else {
      stage.printFolded("The transcript keeps everything; /export FILE writes it to a file.");
      const entry = await whileShown(stage, "· shortening the conversation", session.compact(signal));
      if (!entry) stage.printFolded("there is nothing to shorten");
      else stage.printFolded(`shortened; now about ${shownCount((await session.context()).tokens)} tokens`);
    }
    return undefined;
  },
};

const exportCommand: SlashCommand = {
  name: "export",
  operands: "FILE",
  summary: "Write the whole conversation to a new Markdown file.",
  run: async ({ session, stage, complain }, words) => {
    const [file] = words;
    if (file === undefined) {
      complain("/export needs the name of a file");
      return undefined;
    }
    const path = resolve(session.cwd, file);
    try {
      replaceFileSync({ path, content: Buffer.from(session.exportMarkdown()), mode: 0o600, onlyNew: true });
      stage.printFolded(`written: ${escapeForDisplay(path)}`);
    } catch (thrown) {
      const isThere = errorCode(thrown) === "EEXIST";
      complain(
        isThere
          ? `${path} already exists; name a new file`
          : `${path} could not be written: ${describeError(thrown)}`,
      );
    }
    return undefined;
  },
};

/** `1,204`. */
function shownCount(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

const helpCommand: SlashCommand = {
  name: "help",
  operands: "",
  summary: "Show the commands and keys.",
  run: async ({ stage }) => {
    const rows = SLASH_COMMANDS.map(({ name, operands, summary }) => ({
      key: `/${name}${operands === "" ? "" : ` ${operands}`}`,
      about: summary,
    }));
    // Some operands are long: two lines each fit a narrow screen.
    const isNarrow = stage.width < MIN_TABLE_COLUMNS;
    for (const { key, about } of isNarrow ? [...rows, ...KEYS] : rows)
      stage.printFolded(`${key}\n    ${about}`);
    if (!isNarrow) stage.print(showLines(KEYS, stage.look));
    return undefined;
  },
};

/** A narrower table would cut the descriptions of the keys. */
const MIN_TABLE_COLUMNS = 62;

const KEYS = [
  { key: "Alt-Enter, \\ Enter", about: "another line" },
  { key: "Up, Down", about: "earlier prompts" },
  { key: "/, @", about: "a menu: Up, Down, Tab or Enter take, Esc closes it" },
  { key: "Esc", about: "stop the turn" },
  { key: "Shift-Tab", about: "next mode: default, acceptEdits, plan" },
  { key: "Ctrl-O", about: "the whole output of the last call, then the one before" },
  { key: "Ctrl-C", about: "stop the turn; twice: leave" },
  { key: "Ctrl-D", about: "leave" },
  { key: "/server__prompt", about: "a prompt of a server, with its arguments" },
  { key: "@path, @server:uri", about: "add a file, or a resource of a server" },
];

const exitCommand: SlashCommand = {
  name: "exit",
  operands: "",
  summary: "Leave the session.",
  run: async () => "leave",
};

/** The commands of the interactive mode, in the order of the help. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  mcpCommand,
  toolsCommand,
  planCommand,
  rewindCommand,
  newCommand,
  clearCommand,
  resumeCommand,
  modelCommand,
  contextCommand,
  compactCommand,
  exportCommand,
  helpCommand,
  exitCommand,
];
