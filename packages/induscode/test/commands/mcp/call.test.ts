import { readFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine, shelfRow, tasksRow } from "../run-line.ts";

verifies(
  "mcp-call:answers",
  "images are stored, Markdown is rendered, and the text of structured content is enough",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
    const call = (words: readonly string[], isScreen = false): ReturnType<typeof runLine> =>
      runLine(dir, ["mcp", "call", ...words, "--mcp", file], { outIsScreen: isScreen });
    const [picture, page, piped, measured] = await Promise.all([
      call(["shelf__picture", "--save-to", dir.at("pictures")]),
      call(["shelf__report"], true),
      call(["shelf__report"]),
      call(["shelf__measure", "unit=m"]),
    ]);
    const path = dir.at("pictures/1.png");
    expect(picture.out).toBe(`image/png, 70 bytes: ${path}\n`);
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
    expect(page.out).toBe("Report\n\nAll is well.\n");
    expect(piped.out).toBe("# Report\n\nAll is **well**.\n");
    expect(measured.out).toBe("It is long.\n");
  },
);

verifies(
  "mcp-call:progress",
  "one live line on a screen, removed before the answer; none in a pipe",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
    const words = ["mcp", "call", "shelf__count", "to=3", "--mcp", file];
    const [screen, pipe] = await Promise.all([
      runLine(dir, words, { errIsScreen: true, errLook: { width: 24 } }),
      runLine(dir, words),
    ]);
    expect(screen).toMatchObject({ code: 0, out: "counted to 3\n" });
    expect(screen.err).toContain("\r\u001b[Kshelf__count: 2/3 coun…");
    expect(screen.err.endsWith("\r\u001b[K")).toBe(true);
    expect(pipe.err).toBe("");
  },
);

verifies(
  "mcp-call:failures",
  "a death in a call, a server that does not start, missing arguments and an unknown tool are one line each",
  async () => {
    await using dir = await tempDir();
    const gone = { command: "no-such-program" };
    const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow(), gone });
    const call = (...words: string[]): ReturnType<typeof runLine> =>
      runLine(dir, ["mcp", "call", ...words, "--mcp", file]);
    const [died, missing, unknown, down] = await Promise.all([
      call("shelf__die"),
      call("shelf__measure"),
      call("shelf__masure"),
      call("gone__tool"),
    ]);
    expect(died).toMatchObject({ code: 1, out: "" });
    expect(died.err).toMatch(/^indus: server "shelf" ended the connection \(exit code 7\).*\n$/);
    expect(missing).toMatchObject({
      code: 2,
      err: `indus: shelf__measure: "unit" is missing; it takes: shelf__measure(unit: "m" | "it's")\n`,
    });
    expect(unknown).toMatchObject({
      code: 2,
      err: 'indus: there is no tool named "shelf__masure"; did you mean shelf__measure? (not connected: gone)\n',
    });
    expect(down).toMatchObject({ code: 1, out: "" });
    expect(down.err).toMatch(/^indus: server "gone" could not be opened: .*there is no such command; .*\n$/);
  },
);

verifies(
  "mcp-call:typed-names",
  "a tool is found as people type it, before and after its server is known; a wrong name is a usage error",
  async () => {
    await using dir = await tempDir();
    const row = { ...shelfRow(), toolOverrides: { report: { name: "summary" } } };
    const one = await writeConfig(dir.at("one.json"), { shelf: row });
    const two = await writeConfig(dir.at("two.json"), { shelf: row, "other.shelf": shelfRow("second") });
    const call = (file: string, ...words: string[]): ReturnType<typeof runLine> =>
      runLine(dir, ["mcp", "call", ...words, "--mcp", file]);
    const forms = [
      ["measure", "unit=m"],
      ["shelf.measure", "unit=m"],
      ["shelf", "measure", "unit=m"],
      ["shelf", "measure", '{"unit":"m"}'],
      ["shelf__measure", '{"unit":"x=y"}', "unit=m"],
    ];
    for (const round of ["nothing is known", "all is known"])
      for (const words of forms)
        expect(await call(one, ...words), `${round}: ${words.join(" ")}`).toMatchObject({
          code: 0,
          out: "It is long.\n",
          err: "",
        });
    expect(await call(one, "summary")).toMatchObject({ code: 0 });
    expect(await call(two, "other.shelf.measure", "unit=m")).toMatchObject({ code: 0, out: "It is long.\n" });
    // In a folder of its own nothing is known at first.
    await using fresh = await tempDir();
    const several = 'several servers have a tool named "measure": shelf__measure, other_shelf__measure_';
    for (const place of [dir, fresh, fresh]) {
      const unsure = await runLine(place, ["mcp", "call", "measure", "unit=m", "--mcp", two]);
      expect(unsure).toMatchObject({ code: 2, out: "", err: expect.stringContaining(several) });
    }
    const wrong = [
      [["shelf__masure"], "did you mean shelf__measure?"],
      [["shelf", "masure"], "did you mean shelf__measure?"],
      [["shelv", "measure"], 'there is no server named "shelv"; did you mean shelf?'],
      [["measure", "m"], '"m" is not of the form name=value'],
      [["shelf__measure", "m"], '"m" is not of the form name=value'],
      [["shelf__measure", '{"unit":'], "is not a JSON object; quote it for your shell"],
    ] as const;
    for (const [words, message] of wrong)
      expect(await call(one, ...words)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      });
  },
);

verifies("mcp-call:progress", "a task of a server is followed, with what it says and the time", async () => {
  await using dir = await tempDir();
  const file = await writeConfig(dir.at("servers.json"), { up: tasksRow() });
  const words = ["mcp", "call", "up", "report", "--mcp", file];
  const screen = await runLine(dir, words, { errIsScreen: true, errLook: { width: 80 } });
  expect(screen).toMatchObject({ code: 0, out: "the report\n" });
  expect(screen.err).toMatch(/up__report: \d+ s running as a task/);
  expect(screen.err).toMatch(/up__report: \d+ s step 2 of 3/);
  const asking = await runLine(dir, ["mcp", "call", "up", "ask", "--mcp", file]);
  expect(asking).toMatchObject({ code: 1, out: "", err: expect.stringContaining("needs a user") });
});
