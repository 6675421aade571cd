import { escapeForDisplay, shortenText } from "indusagi/core";
import type { Message } from "indusagi/llm";
import type {
  FormAnswer,
  FormQuestion,
  QuestionUser,
  SamplingQuestion,
  UrlQuestion,
} from "../../../conductor/questions/index.ts";
import type { Stage } from "../view/stage.ts";
import type { Dialogs } from "./dialogs.ts";
import { type FormField, formFields, readField } from "./form-fields.ts";

export interface AskUserOptions {
  readonly dialogs: Dialogs;
  readonly stage: Stage;
  /** The running tools: the question comes from the server of one of them. */
  readonly running: () => readonly string[];
  /** Opens a URL in the browser. False if no browser could be started. */
  readonly openBrowser: (url: URL) => Promise<boolean>;
}

const YES_OR_NO = [
  { key: "y", label: "yes", answer: true },
  { key: "n", label: "no", answer: false },
] as const;

/** Lets the user answer servers' questions on the terminal. */
export function askUser(options: AskUserOptions): QuestionUser {
  const { dialogs } = options;
  /** Until the session ends. */
  let samplingIsApproved = false;
  return {
    fillForm: (question, signal) => dialogs.open(signal, () => fillForm(options, question, signal)),
    visitUrl: (question, signal) => dialogs.open(signal, () => visitUrl(options, question, signal)),
    approveSampling: (question, signal) => {
      if (samplingIsApproved) return Promise.resolve(true);
      return dialogs.open(signal, async () => {
        const answer = await approveSampling(options, question, signal);
        samplingIsApproved = answer === "session";
        return answer === "once" || answer === "session";
      });
    },
  };
}

function who({ running }: AskUserOptions): string {
  const names = running().map((name) => escapeForDisplay(name));
  return names.length === 0 ? "A server" : `A server, while ${names.join(", ")} runs,`;
}

async function fillForm(
  options: AskUserOptions,
  { message, schema }: FormQuestion,
  signal: AbortSignal | undefined,
): Promise<FormAnswer> {
  const { stage, dialogs } = options;
  stage.printFolded(`${who(options)} asks (Esc declines):`);
  stage.printFolded(quoted(message));
  const content: { [name: string]: unknown } = {};
  for (const field of formFields(schema)) {
    const answer = await askField(options, field, signal);
    if (!answer) return { action: "decline" };
    if ("value" in answer) content[field.name] = answer.value;
  }
  const send = await dialogs.choose("Send these answers to the server?", YES_OR_NO, signal);
  if (send === undefined) return { action: "cancel" };
  return send ? { action: "accept", content } : { action: "decline" };
}

/** Asks until the answer is valid. Undefined if the user gives up. */
async function askField(
  { stage, dialogs }: AskUserOptions,
  field: FormField,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: unknown } | { readonly isEmpty: true } | undefined> {
  const { name, schema, isRequired, choices, isList } = field;
  const { title, description, default: preset } = schema;
  if (typeof description === "string") stage.printFolded(quoted(description));
  choices?.forEach((choice, at) => stage.printFolded(`  ${at + 1}  ${brief(choice.title)}`));
  const hints = [
    ...(isRequired ? [] : ["optional"]),
    ...(isList ? ["several separated by commas"] : []),
    ...(schema["type"] === "boolean" ? ["y or n"] : []),
    ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
  ];
  const label = typeof title === "string" ? title : name;
  // On one line, whatever the server sent.
  const question = escapeForDisplay(`${label}${hints.length > 0 ? ` (${hints.join("; ")})` : ""}:`);
  for (;;) {
    const typed = await dialogs.line(question, signal);
    if (typed === undefined) return undefined;
    const read = readField(field, typed);
    if (!("problem" in read)) return read;
    stage.printFolded(quoted(read.problem));
  }
}

async function visitUrl(
  options: AskUserOptions,
  { message, url }: UrlQuestion,
  signal: AbortSignal | undefined,
): Promise<FormAnswer["action"]> {
  const { stage, dialogs, openBrowser } = options;
  stage.printFolded(`${who(options)} asks you to visit ${escapeForDisplay(url.host)}:`);
  if (message !== "") stage.printFolded(quoted(message));
  stage.print(`  ${escapeForDisplay(url.href)}`);
  const agreed = await dialogs.choose("Open this address in your browser?", YES_OR_NO, signal);
  if (agreed === undefined) return "cancel";
  if (!agreed) return "decline";
  if (!(await openBrowser(url))) stage.printFolded("No browser could be started; open the address yourself.");
  return "accept";
}

const MAX_SHOWN_CHARS = 500;
/** A longer text would push the question off the screen. */
const MAX_QUOTED_CHARS = 4_000;

async function approveSampling(
  options: AskUserOptions,
  { model, request }: SamplingQuestion,
  signal: AbortSignal | undefined,
): Promise<"once" | "session" | "no" | undefined> {
  const { stage, dialogs } = options;
  stage.printFolded(`${who(options)} wants an answer from ${escapeForDisplay(model)}:`);
  if (request.system !== undefined) stage.printFolded(`  system: ${brief(request.system)}`);
  for (const message of request.messages) stage.printFolded(`  ${message.role}: ${brief(textOf(message))}`);
  for (;;) {
    const answer = await dialogs.choose("Ask the model for the server?", SAMPLING_CHOICES, signal);
    if (answer !== "session") return answer;
    // Its own step: one stray key must not allow more than this request.
    const isSure = await dialogs.choose("Answer all servers in this session?", YES_OR_NO, signal);
    if (isSure !== false) return isSure && answer;
  }
}

const SAMPLING_CHOICES = [
  { key: "y", label: "yes, once", answer: "once" },
  { key: "a", label: "yes, for the rest of this session", answer: "session" },
  { key: "n", label: "no", answer: "no" },
] as const;

function textOf({ content }: Message): string {
  return content.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`)).join(" ");
}

/** On one line. */
function brief(text: string): string {
  return escapeForDisplay(shortenText(text.replaceAll(/\s+/g, " ").trim(), MAX_SHOWN_CHARS));
}

/** Indents each line, so a server's text does not look like ours. */
function quoted(text: string): string {
  const safe = escapeForDisplay(shortenText(text, MAX_QUOTED_CHARS), { keepNewlines: true });
  return safe.replaceAll(/^/gm, "  ");
}
