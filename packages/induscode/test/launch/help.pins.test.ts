import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { COMMANDS } from "../../src/commands/index.ts";
import { flagForm } from "../../src/launch/flag-spec.ts";
import { helpText } from "../../src/launch/internal.ts";

/** The verbs with what they take, one command per line: the second table. */
function table(): string {
  const rows = COMMANDS.map(({ name, operands = "", flags }) =>
    [name, operands, ...flags.map(flagForm)].filter((word) => word !== "").join("  "),
  );
  return `${rows.join("\n")}\n`;
}

// To change them on purpose: npx vitest run packages/induscode/test/launch/help.pins.test.ts --update

verifies("command:pins", "the verbs and their flags are these", async () => {
  await expect(table()).toMatchFileSnapshot("./commands.pins.txt");
});

verifies("command:pins", "the help at 80 columns is this text", async () => {
  await expect(helpText(COMMANDS)).toMatchFileSnapshot("./help.pins.txt");
});

verifies("command:pins", "the menu of mcp at 80 columns is this text", async () => {
  await expect(helpText(COMMANDS, "mcp")).toMatchFileSnapshot("./help-mcp.pins.txt");
});
