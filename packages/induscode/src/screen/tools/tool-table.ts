import { escapeForDisplay } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import type { Look } from "../colour.ts";
import { showTable } from "../table.ts";

const MAX_SENTENCE_CHARS = 100;

/** One of our own tools. */
export interface ShownOwnTool {
  readonly descriptor: ToolDescriptor;
  /** No call of it changes anything. */
  readonly readOnly: boolean;
  /** A session offers it without being asked. */
  readonly isOffered: boolean;
}

/** Our own tools as a table. */
export function showOwnTools(tools: readonly ShownOwnTool[], look: Look = {}): string {
  const rows = tools.map(({ descriptor, readOnly, isOffered }) => [
    descriptor.name,
    readOnly ? "nothing" : "yes",
    isOffered ? "offered" : "on request",
    argumentNames(descriptor),
    shortPurpose(descriptor.description),
  ]);
  return showTable([["TOOL", "CHANGES", "IN A SESSION", "ARGUMENTS", "WHAT IT DOES"], ...rows], look);
}

/** Tools of servers as a table. Their text comes from the servers, so it is escaped. */
export function showServerTools(tools: readonly ToolDescriptor[], look: Look = {}): string {
  const rows = tools.map(({ name, description, origin }) => [
    name,
    escapeForDisplay(origin?.server ?? "-"),
    escapeForDisplay(shortPurpose(description)) || "-",
  ]);
  return showTable([["TOOL", "SERVER", "WHAT IT DOES"], ...rows], look);
}

/** A server's tool as a row of the catalog. */
export interface ShownCard {
  readonly id: string;
  /** Without control characters. */
  readonly summary: string;
  readonly descriptor: Pick<ToolDescriptor, "origin">;
}

/** The tools servers offered when last listed, as a table. */
export function showMountedCards(cards: readonly ShownCard[], look: Look = {}): string {
  const rows = cards.map(({ id, summary, descriptor }) => [
    id,
    escapeForDisplay(descriptor.origin?.server ?? "-"),
    escapeForDisplay(shortPurpose(summary)) || "-",
  ]);
  return showTable([["TOOL", "SERVER", "WHAT IT DOES"], ...rows], look);
}

/** Optional arguments end in `?`. */
function argumentNames({ parameters }: ToolDescriptor): string {
  const names = Object.keys(parameters["properties"] ?? {});
  const required = (parameters["required"] ?? []) as readonly string[];
  return names.map((name) => (required.includes(name) ? name : `${name}?`)).join(" ") || "-";
}

/** The first sentence of a description, short enough for a table row. */
export function shortPurpose(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  const sentence = /^.*?[.:](?=\s|$)/.exec(line)?.[0].replace(/[.:]$/, "") ?? line;
  return sentence.length > MAX_SENTENCE_CHARS ? `${sentence.slice(0, MAX_SENTENCE_CHARS - 1)}…` : sentence;
}
