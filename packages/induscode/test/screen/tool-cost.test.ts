import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showToolCost } from "../../src/screen/index.ts";

verifies("economy:cost", "one line for each way of listing", () => {
  const all = {
    mode: "all",
    tools: 1_586,
    tokens: 480_977,
    listed: 1_586,
    listedTokens: 480_977,
    searchTokens: 1_443,
  };
  const few = { ...all, tools: 1, tokens: 90, listed: 1, listedTokens: 90 };
  const searched = { ...all, mode: "search", listed: 12, listedTokens: 1_443 };
  expect(
    [all, few, { ...few, mode: "auto" }, searched, { ...searched, mode: "auto" }].map(showToolCost),
  ).toEqual([
    "lists 1,586 tools: about 480,977 tokens in each request (estimate); 1,443 with --tools search",
    "lists 1 tool: about 90 tokens in each request (estimate)",
    "lists 1 tool: about 90 tokens in each request (estimate); a client with a lower limit gets a search (--tools auto)",
    "lists 12 tools instead of 1,586: about 1,443 tokens in each request instead of 480,977 (estimate; --tools search)",
    "lists 12 tools instead of 1,586: about 1,443 tokens in each request instead of 480,977 (estimate; --tools auto)",
  ]);
});
