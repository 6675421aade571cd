import { escapeForDisplay, isRecord, shortenText, showName } from "indusagi/core";
import { type JsonSchema, type ToolDescriptor, toolSignature } from "indusagi/llm";
import { type Look, paint } from "../colour.ts";
import { showJson } from "../json.ts";
import { showLines } from "../table.ts";
import { labelled, wrapText } from "../wrapped.ts";
import { breakShellLine } from "./shell-line.ts";
import { shortPurpose } from "./tool-table.ts";

/** A tool and how to call it. */
export interface OutlinedTool {
  readonly tool: ToolDescriptor;
  /** The name that its row gives it, without the server. Default: its name on the server. */
  readonly newName?: string | undefined;
  /** A complete command line. Absent if no valid arguments were found. */
  readonly example?: string | undefined;
}

export interface OutlineOptions {
  readonly look?: Look;
  /** Also show the schemas in full. */
  readonly schema: boolean;
}

/** One line per tool: its name and what it does, cut at the width. */
export function showToolLines(tools: readonly ToolDescriptor[], look?: Look): string {
  return showLines(
    tools.map(({ name, description }) => ({ key: name, about: shortPurpose(description) })),
    look,
  );
}

/** Each tool as a typed signature, with its purpose, its arguments and an example call. */
export function showToolOutlines(tools: readonly OutlinedTool[], options: OutlineOptions): string {
  return tools.map((outlined) => showOutline(outlined, options)).join("\n");
}

function showOutline(
  { tool, newName, example }: OutlinedTool,
  { look = {}, schema }: OutlineOptions,
): string {
  const { description, parameters, origin } = tool;
  const name = showName(newName ?? origin?.tool ?? tool.name);
  const signature = wrapArguments(
    withoutFloods(escapeForDisplay(toolSignature({ name, parameters }))),
    look.width,
  );
  const about = escapeForDisplay(description.trim(), { keepNewlines: true });
  const lines = [
    look.hasColours ? paint("bold", signature) : signature,
    ...(about === "" ? [] : [indented(wrapLines(about, look.width))]),
    ...describedArguments(parameters, look.width).map(indented),
    indented(
      example === undefined || FLOOD.test(example)
        ? wrapLines(NO_EXAMPLE, look.width)
        : breakShellLine(example, look.width && look.width - INDENT_CHARS),
    ),
    ...(schema ? [indented(showJson(fullSchema(tool)).trimEnd())] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** A longer name does not move the descriptions of the others. */
const MAX_COLUMN_CHARS = 20;
const MAX_ABOUT_CHARS = 500;

/** The arguments that have a description, below each other. */
function describedArguments({ properties }: JsonSchema, width = Number.POSITIVE_INFINITY): string[] {
  const described = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) => {
    const about = isRecord(schema) ? schema["description"] : undefined;
    const line = typeof about === "string" ? escapeForDisplay(about.replaceAll(/\s+/g, " ").trim()) : "";
    return line === "" ? [] : [{ name: escapeForDisplay(showName(name)), about: line }];
  });
  const short = described.map(({ name }) => name.length).filter((length) => length <= MAX_COLUMN_CHARS);
  const column = Math.max(0, ...short);
  return described.map(({ name, about }) => {
    const label = `  ${name.padEnd(column)}  `;
    return labelled(label, shortenText(about, MAX_ABOUT_CHARS), width - INDENT_CHARS).trimEnd();
  });
}

/** Longer than any name. */
const FLOOD = /\S{257,}/;

function withoutFloods(text: string): string {
  return text.replaceAll(new RegExp(FLOOD, "g"), (word) => shortenText(word, 128));
}

const NO_EXAMPLE = "no example: choose arguments that fit the schema (see --schema)";
const INDENT_CHARS = 2;

/** Wraps each line of a text to the width left by the indent. */
function wrapLines(text: string, width: number = Number.POSITIVE_INFINITY): string {
  return text
    .split("\n")
    .flatMap((line) => wrapText(line, width - INDENT_CHARS))
    .join("\n");
}

/** The schemas as the server sent them. */
export function fullSchema({ parameters, outputSchema, definition }: ToolDescriptor): {
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
} {
  const output = definition?.["outputSchema"] ?? outputSchema;
  return {
    inputSchema: definition?.["inputSchema"] ?? parameters,
    ...(output === undefined ? {} : { outputSchema: output }),
  };
}

/** Breaks a signature after commas to fit the terminal. */
function wrapArguments(signature: string, width = Infinity): string {
  const lines: string[] = [];
  let line = "";
  for (const part of signature.split(/(?<=, )/)) {
    if (line !== "" && line.length + part.trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = `    ${part}`;
    } else line += part;
  }
  return [...lines, line].join("\n");
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
