import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { calling, type PrintRun, printRun } from "../commands/session/print-run.ts";
import type { ScriptedAnswer } from "../models/wire/script.ts";
import { converse, HANG_MS } from "./converse.ts";
import { scriptedRow, writeConfig } from "./run-indus.ts";

const POSIX = ["linux", "darwin"] as const;
const shelf = new URL("../../../../test/servers/shelf.mjs", import.meta.url).href;

/** A row for the shelf, which never answers if it is started while this file exists. */
function shelfRow(hanging: string): object {
  const program = `if (require("node:fs").existsSync(${JSON.stringify(hanging)})) setInterval(() => {}, 1000); else import(${JSON.stringify(shelf)})`;
  return { command: process.execPath, args: ["-e", program] };
}

const ANSWERS: readonly ScriptedAnswer[] = [
  calling(["write", { path: "new.txt", content: "first\nsecond\n" }]),
  {
    text: "# Done\n\nI wrote **it** with `care`, and this sentence is longer than sixty columns of a screen.\n\n- one\n",
  },
  calling(["bash", { command: "echo one\u001b[2Jtwo && touch made" }], ["read", { path: "new.txt" }]),
  { text: "Ran \u001b[31mit." },
  calling(["exit_plan_mode", { plan: "# The plan\n\n1. Change it." }]),
  { text: "As planned." },
];

verifiesTogether(
  "repl:turn",
  "a conversation at 60 columns: streamed Markdown, approvals with the diff and the command, plan and rewind",
  async () => {
    await using test = await printRun(ANSWERS);
    using user = converse(test, [], { NO_COLOR: "1" });
    const { indus } = user;
    await user.says("Write a\\\rfile.\r");
    await user.sees("Run this call?");
    expect(indus.screen()).toMatch(/> Write a\n {2}file\./);
    expect(indus.screen()).toMatch(/new file .*\n(.*\n)*.*\+first\n.*\+second/);
    expect(existsSync(`${test.project}/new.txt`)).toBe(false);
    indus.press("y");
    await user.sees("• one");
    expect(test.read("new.txt")).toBe("first\nsecond\n");
    expect(indus.screen()).toMatch(/✓ write\(.*new\.txt/);
    expect(indus.screen()).toContain(
      "Done\n\nI wrote it with care, and this sentence is longer than\nsixty columns of a screen.",
    );

    // The exact command is shown, and neither it nor an answer can move the cursor.
    await user.says("Run it.\r");
    await user.sees("Run this call?");
    expect(indus.screen()).toContain("echo one\\x1b[2Jtwo && touch made");
    indus.press("n");
    await user.sees("Ran \\x1b[31mit.");
    expect(indus.screen()).toMatch(/✗ bash\(/);
    expect(indus.screen()).toMatch(/✓ read\(new\.txt\)/);
    expect(existsSync(`${test.project}/made`)).toBe(false);

    await user.says("/plan\r");
    await user.sees("mode: plan");
    await user.says("Plan it.\r");
    await user.sees("Carry out this plan?");
    expect(indus.screen()).toContain("The plan\n");
    indus.press("e");
    await user.sees("As planned.");
    await user.sees("acceptEdits ·");

    await user.says("/rewind 1 files\r");
    await user.sees("back to before turn 1");
    expect(existsSync(`${test.project}/new.txt`)).toBe(false);
    await user.says("\u0004");
    expect(await indus.ended).toBe(0);
    expect(indus.broken()).toEqual([]);
    expect(indus.isRestored()).toBe(true);
    expect(indus.written()).not.toMatch(/\u001b\[\d+m/);
  },
  { timeoutMs: 4 * HANG_MS, only: POSIX },
);

verifiesTogether(
  "repl:interrupt",
  "Ctrl-C stops a turn and a command that runs, and twice it leaves; what was typed meanwhile stays",
  async () => {
    await using test = await printRun([
      { text: "This answer hangs in the middle of it", hangAfter: 0.7 },
      calling(["bash", { command: "sleep 60" }]),
    ]);
    using user = converse(test, ["-i", "--allow", "bash(sleep *)", "Begin."]);
    const { indus } = user;
    await user.sees("This answer");
    indus.press("typed ahead\r");
    await user.sees("> typed ahead\nqueued until this has finished");
    indus.press("\u0003");
    await user.sees("stopped");
    await user.sees("Ctrl-C again leaves");
    indus.press(", sent\r");
    await user.sees("> typed ahead, sent");
    await user.sees(/bash\(sleep 60\) {2}\d+ s/);
    indus.press("\u0003");
    await user.sees("Ctrl-C again leaves");
    indus.press("\u0003");
    expect(await indus.ended).toBe(130);
    expect(indus.isRestored()).toBe(true);
    expect(indus.screen()).not.toContain("Ctrl-C again leaves");
    expect(JSON.stringify(test.server.requests[1])).toContain("typed ahead, sent");
  },
  { timeoutMs: 4 * HANG_MS, only: POSIX },
);

verifiesTogether(
  "repl:commands",
  "the commands about servers, tools, model and context; prompts, resources and questions of servers; the history",
  async () => {
    await using test = await printRun([
      { text: "Hello, Ada." },
      calling(["s__ask", {}], ["s__sample", {}]),
      { text: "Hi from the model." },
      { text: "All answered." },
    ]);
    const file = await writeConfig(test.at("servers.json"), {
      s: scriptedRow("--era", "legacy"),
      shelf: shelfRow(test.at("hanging")),
    });
    const words = ["-i", "--mcp", file, "--allow", "s__*", "--tools", "s__ask,s__sample,shelf__measure"];
    using user = converse(test, words);
    const { indus } = user;
    const commands: readonly (readonly [typed: string, shown: string | RegExp])[] = [
      ["/mcp", /s +ready[\s\S]*shelf +ready/],
      ["/mcp disconnect shelf", "shelf is disconnected"],
      ["/mcp tools shelf", "shelf is disconnected; /mcp connect shelf"],
      ["/mcp tools shlf", 'there is no server "shlf"; the servers are s, shelf'],
      ["/mcp connect shelf", /shelf +ready/],
      ["/mcp tools shelf", /shelf__measure +Measures/],
      ["/mcp connect s", /nothing to connect[\s\S]*s +ready/],
      ["/mcp rec\t s", /> \/mcp reconnect {1,2}s\n[\s\S]*s +ready/],
      ["/mcp nonsense", "/mcp has no"],
      ["/tools", /^bash +/m],
      ["/model", "model: openai-compatible/some-model"],
      ["/model nonsense", "nonsense"],
      ["/context", /context: about [\d,]+ of 200,000 tokens/],
      ["/compact off", "not shortened automatically"],
      ["/compact", "nothing to shorten"],
      ["/export ../servers.json", /servers\.json\s+already\s+exists;\s+name\s+a\s+new\s+file/],
      ["/rewind", "there is no turn to undo"],
      ["/tols", "there is no command /tols; did you mean"],
      ["/help", "/mcp [status"],
      ["/shelf__greet", '"who" is missing'],
    ];
    for (const [typed, shown] of commands) {
      await user.says(`${typed}\r`);
      await user.sees(shown);
    }
    // A prompt with its arguments and a resource are in the request.
    await user.says("/shelf__gr\tAda cold\r");
    await user.sees("Hello, Ada.");
    expect(JSON.stringify(test.server.requests[0])).toContain("A cold hello to Ada.");

    writeFileSync(`${test.project}/note.txt`, "from the file");
    await user.says("See @shelf:shelf://intro and @no\t\u007f.\r");
    await user.sees("Your name?");
    indus.press("Ada\r");
    await user.sees("Send these answers to the server?");
    indus.press("y");
    await user.sees("Ask the model for the server?");
    expect(indus.screen()).toContain("user: Say hi");
    indus.press("y");
    await user.sees("All answered.");
    expect(JSON.stringify(test.server.requests[1])).toContain("* one");
    expect(JSON.stringify(test.server.requests[1])).toContain("from the file");
    const last = JSON.stringify(test.server.requests[3]);
    expect(last).toContain("Ada");
    expect(last).toContain("Hi from the model.");

    // Ctrl-C ends the wait for a server that does not answer.
    writeFileSync(test.at("hanging"), "");
    await user.says("/mcp reconnect shelf\r");
    await user.sees("> /mcp reconnect shelf");
    indus.press("\u0003");
    await user.sees("stopped");
    await user.sees("Ctrl-C again leaves");
    indus.press("\u001b[A\u001b[A");
    await user.sees("> See @shelf:shelf://intro and @note.txt.");
    indus.press("\u0003");
    await user.sees("Ctrl-C again leaves");
    indus.press("/exit\r");
    expect(await indus.ended).toBe(0);
    expect(indus.broken()).toEqual([]);
    expect(readFileSync(historyFile(test), "utf8")).toContain('"/shelf__greet Ada cold"');
  },
  { timeoutMs: 6 * HANG_MS, only: POSIX },
);

function historyFile(test: PrintRun): string {
  const folder = join(test.at("state"), "indusvx");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return join(folder, files.find((name) => name.endsWith("prompts.jsonl")) ?? "");
}
