import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scriptedRow, writeConfig } from "../../bin/run-indus.ts";
import { openTestSession } from "../../conductor/open/open-test-session.ts";
import { calling, MODELS, printRun } from "./print-run.ts";

for (const model of MODELS) {
  verifies(
    "session:scenario",
    `${model}: edit, call, refusal in plan mode, rewind`,
    async () => {
      await using test = await printRun(
        [
          calling(["read", { path: "greeting.txt" }], ["s__echo", { text: "from the server" }]),
          calling(["edit", { path: "greeting.txt", oldText: "hello", newText: "goodbye" }]),
          calling(["bash", { command: "touch made-by-bash" }]),
          { text: "It is edited.", usage: { input: 100, output: 5, cached: 80 } },
          calling(["edit", { path: "greeting.txt", oldText: "goodbye", newText: "never" }]),
          { text: "I may not." },
        ],
        { "greeting.txt": "hello\r\nworld" },
      );
      const servers = await writeConfig(test.at("servers.json"), { s: scriptedRow() });
      const first = await test.indus([
        "-p",
        "--allow",
        "edit",
        "--model",
        model,
        "--mcp",
        servers,
        "Make it say goodbye.",
      ]);
      expect(first).toMatchObject({ code: 0, out: "It is edited.\n" });
      expect(test.read("greeting.txt")).toBe("goodbye\r\nworld");
      expect(first.err).toContain("--allow 'bash(touch made-by-bash)'");
      const sent = JSON.stringify(test.server.requests);
      expect(sent).toContain("from the server");
      expect(sent).toContain("there is no user to ask in this session");

      const second = await test.indus(["-p", "--continue", "--mode", "plan", "--allow", "edit", "Again."]);
      expect(second).toMatchObject({ code: 0, out: "I may not.\n" });
      expect(JSON.stringify(test.server.requests.at(-1))).toContain("was refused by plan mode");
      expect(test.server.requests).toHaveLength(6);
      expect(test.read("greeting.txt")).toBe("goodbye\r\nworld");

      await using run = await test.run();
      const { session } = await openTestSession(run, { line: { continue: true } });
      expect(session.turns().map(({ text }) => text)).toEqual(["Make it say goodbye.", "Again."]);
      expect(session.mode).toBe("plan");
      expect(session.model).toBe(model);
      expect(await session.rewind(1)).toMatchObject({
        done: true,
        restored: [test.at("project", "greeting.txt")],
      });
      expect(test.read("greeting.txt")).toBe("hello\r\nworld");
      expect(session.transcript()).toEqual([]);
    },
    { timeoutMs: 60_000 },
  );
}
