import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { showClientSetup } from "../../src/screen/index.ts";

verifies("listing:gemini", "with and without a token", () => {
  const setup = { url: "http://127.0.0.1:7717/mcp", launch: { command: "x", args: [] }, ending: "" };
  for (const tokenEnv of [undefined, "INDUS_TOKEN"])
    expect(showClientSetup({ ...setup, tokenEnv })).toMatch(
      /^ {2}gemini mcp add -s user --transport http indus http:\/\/127\.0\.0\.1:7717\/mcp( --header .*)?$/m,
    );
});
