import { describeError, escapeForDisplay } from "indusagi/core";
import { showLines, showToolLines } from "../../screen/index.ts";
import { compactCommand, contextCommand, exportCommand } from "./context-commands.ts";
import { mcpCommand } from "./mcp-commands.ts";
import { rewindCommand } from "./rewind-command.ts";
import type { SlashCommand } from "./slash-context.ts";

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
  summary: "Plan first: only read-only tools run until you approve the plan. off ends it.",
  words: ["off"],
  run: async ({ session, complain }, [word]) => {
    if (word !== undefined && word !== "off") complain("/plan takes off or nothing");
    else session.setMode(word === "off" ? "default" : "plan");
    return undefined;
  },
};

const modelCommand: SlashCommand = {
  name: "model",
  operands: "[PROVIDER/NAME]",
  summary: "Show or change the model.",
  run: async ({ session, stage, complain }, [name]) => {
    if (name === undefined) stage.printFolded(`model: ${escapeForDisplay(session.model)}`);
    else
      try {
        session.setModel(name);
      } catch (thrown) {
        complain(describeError(thrown));
      }
    return undefined;
  },
};

const helpCommand: SlashCommand = {
  name: "help",
  operands: "",
  summary: "Show the commands and keys.",
  run: async ({ stage }) => {
    const rows = SLASH_COMMANDS.map(({ name, operands, summary }) => ({
      key: `/${name}${operands === "" ? "" : ` ${operands}`}`,
      about: summary,
    }));
    // The operands of some are long: two lines each fit a narrow screen.
    const isNarrow = stage.width < MIN_TABLE_COLUMNS;
    for (const { key, about } of isNarrow ? [...rows, ...KEYS] : rows)
      stage.printFolded(`${key}\n    ${about}`);
    if (!isNarrow) stage.print(showLines(KEYS, stage.look));
    return undefined;
  },
};

/** In a narrower table the words about the keys would be cut. */
const MIN_TABLE_COLUMNS = 62;

const KEYS = [
  { key: "Alt-Enter, \\ Enter", about: "another line" },
  { key: "Up, Down", about: "earlier prompts" },
  { key: "Tab", about: "complete a command, or the path after @" },
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
  modelCommand,
  contextCommand,
  compactCommand,
  exportCommand,
  helpCommand,
  exitCommand,
];
