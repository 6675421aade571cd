import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { paintDiffs } from "../../src/screen/index.ts";

verifies("command:diff", "only lines of a diff are coloured", () => {
  const text =
    "- a list\n--- a rule\n+ more\n\n```diff\n--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n```\n- end";
  const [bold, red, green] = ["\u001b[1m", "\u001b[31m", "\u001b[32m"];
  expect(paintDiffs(text)).toBe(
    `- a list\n--- a rule\n+ more\n\n\`\`\`diff\n${bold}--- a\u001b[22m\n${bold}+++ b\u001b[22m\n` +
      `\u001b[36m@@ -1,2 +1,2 @@\u001b[39m\n x\n${red}-y\u001b[39m\n${green}+z\u001b[39m\n\`\`\`\n- end`,
  );
});
