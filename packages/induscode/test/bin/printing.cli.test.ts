import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { calling, printRun } from "../commands/session/print-run.ts";
import {
  eventually,
  muteRow,
  scriptedRow,
  startedPids,
  startIndus,
  untilGone,
  writeConfig,
} from "./run-indus.ts";

verifies("print:text", "the program reads a pipe, answers and exits", async () => {
  await using test = await printRun([{ text: "Seen." }]);
  using indus = startIndus(["-p", "Look:"], { cwd: test.project, env: test.env });
  indus.child.stdin.end("from the pipe");
  expect({ code: await indus.ended, out: indus.out(), err: indus.err() }).toEqual({
    code: 0,
    out: "Seen.\n",
    err: "",
  });
  expect(JSON.stringify(test.server.requests)).toContain("from the pipe");
});

verifies(
  "print:interrupt",
  "while servers start, while the model streams, and while a tool runs",
  async () => {
    await using test = await printRun([
      { text: "This answer hangs in the middle of it", isEndless: true },
      calling(["bash", { command: "sleep 60" }]),
    ]);
    const starts = test.at("starts");
    const mute = await writeConfig(test.at("mute.json"), { m: muteRow(starts) });
    const echo = await writeConfig(test.at("echo.json"), { s: scriptedRow("--starts", starts) });
    const moments: readonly (readonly [words: readonly string[], isThere: (out: string) => boolean])[] = [
      [["--mcp", mute], () => true],
      [["--mcp", echo], (out) => out.includes("text_delta")],
      [["--allow", "bash(sleep *)"], (out) => out.includes("tool_start")],
    ];
    for (const [words, isThere] of moments) {
      using indus = startIndus(["-p", "--json", ...words, "Go."], { cwd: test.project, env: test.env });
      indus.child.stdin.end();
      if (words.includes(mute)) await startedPids(starts, 1);
      else await eventually(() => isThere(indus.out()) || undefined);
      indus.child.kill("SIGINT");
      expect(await indus.ended, words.join(" ")).toBe(130);
    }
    await untilGone(await startedPids(starts, 2));
    const sessions = join(test.at("state"), "indusvx");
    const files = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("transcript.jsonl"),
    );
    const texts = files.map((name) => readFileSync(join(sessions, name), "utf8"));
    expect(texts.some((text) => text.includes("This answer"))).toBe(true);
    expect(texts.some((text) => text.includes("sleep 60"))).toBe(true);
  },
);

verifies(
  "session:transcript",
  "what a killed program had received is there when its session is continued",
  async () => {
    await using test = await printRun([
      { text: "This answer is never finished because of a crash", hangAfter: 0.8 },
      { text: "Going on." },
    ]);
    using indus = startIndus(["-p", "--json", "Tell me."], { cwd: test.project, env: test.env });
    indus.child.stdin.end();
    await eventually(() => indus.out().includes("text_delta") || undefined);
    indus.child.kill("SIGKILL");
    await indus.ended;
    const said = [...indus.out().matchAll(/"kind":"text_delta","text":"([^"]*)"/g)]
      .map(([, text]) => text)
      .join("");
    expect(said).not.toBe("");
    expect(await test.indus(["-p", "--continue", "Go on."])).toMatchObject({ code: 0, out: "Going on.\n" });
    const request = JSON.stringify(test.server.requests.at(-1));
    expect(request).toContain("Tell me.");
    expect(request).toContain(said);
  },
);
