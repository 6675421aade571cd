import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { paintDiffs, showDiff } from "../../src/screen/index.ts";

verifies("command:diff", "only lines of a diff are coloured", () => {
  const text =
    "- a list\n--- a rule\n+ more\n\n```diff\n--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n```\n- end";
  const [bold, red, green] = ["\u001b[1m", "\u001b[31m", "\u001b[32m"];
  expect(paintDiffs(text)).toBe(
    `- a list\n--- a rule\n+ more\n\n\`\`\`diff\n${bold}--- a\u001b[22m\n${bold}+++ b\u001b[22m\n` +
      `\u001b[36m@@ -1,2 +1,2 @@\u001b[39m\n x\n${red}-y\u001b[39m\n${green}+z\u001b[39m\n\`\`\`\n- end`,
  );
});

verifies("screen:diff", "each line of a diff has its number in its file, and a colour", () => {
  const diff =
    "--- a/x\n+++ b/x\n@@ -8,3 +8,3 @@\n same\n--- looks like a header\n+new\n end\n@@ -99 +99,2 @@\n last\n+more\n\\ No newline at end of file\n";
  expect(showDiff(diff, {})).toEqual([
    "  8  same",
    "  9 --- looks like a header",
    "  9 +new",
    " 10  end",
    "⋮",
    " 99  last",
    "100 +more",
    "\\ No newline at end of file",
  ]);
  const [, , added = ""] = showDiff(diff, { hasColours: true });
  expect(added).toBe("\u001b[2m  9\u001b[22m \u001b[32m+new\u001b[39m");
  // A long line is broken below itself, so nothing of a change is hidden.
  expect(showDiff("@@ -0,0 +1 @@\n+語語語語語語語語語語", { width: 15 })).toEqual([
    "1 +語語語語語語",
    "   語語語語",
  ]);
  // Text that is no diff stays.
  expect(showDiff("(too large)\n+x", {})).toEqual(["(too large)", "+x"]);
});
