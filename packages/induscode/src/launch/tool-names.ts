import type { ValueRule } from "./flag-spec.ts";

/** The names of our own tools. A test compares them with the deck, which this room cannot import. */
const CARD_IDS: readonly string[] = [
  "read",
  "ls",
  "grep",
  "find",
  "websearch",
  "webfetch",
  "todo_read",
  "write",
  "edit",
  "bash",
  "process",
  "todo_set",
  "todo",
  "bg-process",
  "task",
  "saas-action",
  "memory",
  "enter_plan_mode",
  "exit_plan_mode",
];

/** The first of them, which `indus call` runs too. */
export const NATIVE_IDS: readonly string[] = CARD_IDS.slice(0, CARD_IDS.indexOf("todo"));

/** Offered only if `--tools` names them: duplicates of `process`, `todo_read` and `todo_set`, and one that needs connectors. */
export const ON_REQUEST: readonly string[] = ["bg-process", "todo", "saas-action"];

/** A name as `--tools` compares it: `web_fetch`, `webfetch` and `Web-Fetch` are the same. */
export function canonToolName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** The listed name of one of our own tools, for a word that `TOOL_NAMES` accepts. Patterns stay as they are. */
export function cardNamed(word: string): string {
  return CARD_IDS.find((id) => canonToolName(id) === canonToolName(word)) ?? word;
}

/** Whether a word of `--tools` selects tools of servers. */
export function isMountedPattern(word: string): boolean {
  return word.includes("__");
}

/** Whether a word can name tools at all: no offered name has brackets, blanks or control characters. */
export function isToolPattern(word: string): boolean {
  return /^[^()\s\p{Cc}]{1,1000}$/u.test(word);
}

/** The word of `--tools` that offers the tools of servers to programs of the model. No tool has this name. */
export const CODE_MODE = "code";

/** Tools of servers are not known yet, so every pattern for them is accepted. */
export const TOOL_NAMES: ValueRule = {
  describe: `${CARD_IDS.join(", ")}, and patterns such as notes__*`,
  known: CARD_IDS,
  isValid: (word) =>
    (isMountedPattern(word) && isToolPattern(word)) ||
    CARD_IDS.some((id) => canonToolName(id) === canonToolName(word)),
};

/** In a session one word may also say how the model uses tools. */
export const SESSION_TOOL_NAMES: ValueRule = {
  describe: `${CODE_MODE}, ${TOOL_NAMES.describe}`,
  known: [CODE_MODE, ...CARD_IDS],
  isValid: (word) => word === CODE_MODE || TOOL_NAMES.isValid(word),
};
