import { verifies } from "@indus/testkit";
import type { ThinkingLevel } from "indusagi/llm";
import { expect } from "vitest";
import { PROVIDERS } from "../../../src/models/providers/provider-table.ts";

/** What the package of a provider gets, as one line. */
function options(name: string, level: ThinkingLevel): string {
  const [id, model = ""] = name.split("/");
  return JSON.stringify(PROVIDERS.find((one) => one.id === id)?.thinking(level, model));
}

verifies("models:thinking", "each generation gets the words and the numbers that it takes", () => {
  for (const [model, off, minimal, xhigh] of [
    ["anthropic/claude-3-5-haiku-latest", "{}", "{}", "{}"],
    ["anthropic/claude-3-7-sonnet-latest", "{}", budget(1_024), budget(32_000)],
    ["anthropic/claude-sonnet-4-20250514", "{}", budget(1_024), budget(32_000)],
    ["anthropic/claude-sonnet-4-5", "{}", budget(1_024), budget(32_000)],
    ["anthropic/claude-opus-4-6", "{}", adaptive("low"), adaptive("high")],
    ["anthropic/claude-opus-4-7", "{}", adaptive("low"), adaptive("xhigh")],
    ["anthropic/claude-sonnet-5", "{}", adaptive("low"), adaptive("xhigh")],
    ["openai/gpt-4.1", "{}", "{}", "{}"],
    ["openai/gpt-5-chat-latest", "{}", "{}", "{}"],
    ["openai/o3", effort("low"), effort("low"), effort("high")],
    ["openai/gpt-5-mini", effort("minimal"), effort("minimal"), effort("high")],
    ["openai/gpt-5.1", effort("none"), effort("low"), effort("high")],
    ["openai/gpt-5.2", effort("none"), effort("low"), effort("xhigh")],
    ["openai-compatible/llama3.2", "{}", effort("low"), effort("high")],
    ["google/gemini-2.0-flash", "{}", "{}", "{}"],
    ["google/gemini-2.5-pro", tokens(128), tokens(1_024), tokens(32_000)],
    ["google/gemini-2.5-flash", tokens(0), tokens(1_024), tokens(24_576)],
    ["google/gemini-3-pro", word("minimal"), word("minimal"), word("high")],
  ] as const)
    expect([options(model, "off"), options(model, "minimal"), options(model, "xhigh")], model).toEqual([
      off,
      minimal,
      xhigh,
    ]);
});

function budget(budgetTokens: number): string {
  return JSON.stringify({ thinking: { type: "enabled", budgetTokens } });
}

function adaptive(level: string): string {
  return JSON.stringify({ thinking: { type: "adaptive" }, effort: level });
}

function effort(reasoningEffort: string): string {
  return JSON.stringify({ reasoningEffort });
}

function tokens(thinkingBudget: number): string {
  return JSON.stringify({ thinkingConfig: { thinkingBudget } });
}

function word(thinkingLevel: string): string {
  return JSON.stringify({ thinkingConfig: { thinkingLevel } });
}
