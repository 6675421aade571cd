import { mkdirSync, readFileSync, statSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openLog } from "../../../src/screen/terminal/index.ts";

const screen = () => {
  const texts = { out: "", err: "" };
  return {
    texts,
    out: (text: string | Uint8Array) => void (texts.out += String(text)),
    err: (text: string) => void (texts.err += text),
    errIsScreen: true,
    errLook: { hasColours: true, width: 60 },
  };
};

verifies("operations:log", "as JSON each line and each event is one object on standard error", async () => {
  const plain = screen();
  const { terminal } = await openLog(plain, { format: "json" });
  terminal.out("http://127.0.0.1:1/mcp\n");
  terminal.err("indus: first\nsecond");
  terminal.err(" part\n\n");
  terminal.log?.({ level: "warning", event: "call", tool: "a\u001b[31m\u2028", arguments: { n: "number" } });
  expect(plain.texts.out).toBe("http://127.0.0.1:1/mcp\n");
  // Nothing in it reaches a terminal as a control character.
  expect(plain.texts.err).toMatch(/^[\x20-\x7e\n]*$/);
  const entries = plain.texts.err
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(entries).toEqual([
    { at, level: "info", event: "message", message: "first" },
    { at, level: "info", event: "message", message: "second part" },
    { at, level: "warning", event: "call", tool: "a\u001b[31m\u2028", arguments: { n: "number" } },
  ]);
  expect([terminal.errIsScreen, terminal.errLook, terminal.isKept, terminal.ask]).toEqual([
    undefined,
    { hasColours: false },
    true,
    undefined,
  ]);
});

verifies("operations:log", "a file gets the log instead; it is private and appended to", async () => {
  await using dir = await tempDir();
  const file = dir.at("serve.log");
  for (const format of ["text", "json"] as const) {
    const plain = screen();
    const log = await openLog(plain, { format, file });
    log.terminal.err("indus: a line\n");
    await log[Symbol.asyncDispose]();
    expect(plain.texts).toEqual({ out: "", err: "" });
  }
  const [text = "", json = ""] = readFileSync(file, "utf8").split("\n");
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z indus: a line$/);
  expect(JSON.parse(json)).toMatchObject({ event: "message", message: "a line" });
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  mkdirSync(dir.at("folder"));
  for (const wrong of [dir.at("folder"), dir.at("nowhere", "x")])
    await expect(openLog(screen(), { format: "json", file: wrong })).rejects.toThrow(
      `--log-file: ${wrong} cannot be written: E`,
    );
});
