import { execFileSync } from "node:child_process";
import { verifies } from "@indus/testkit";
import { writtenRows } from "indusagi/config";
import { expect } from "vitest";
import { scratchHome } from "../in-home.ts";

const OURS = ".config/indusvx/mcp.json";
const PROJECT = "site/.indusvx/mcp.json";

function rowIn(text: string, name: string): object | undefined {
  return writtenRows(text).find((each) => each.name === name)?.row;
}

verifies("command:env", "variables are set and removed; the rest of the file stays", async () => {
  await using scratch = await scratchHome();
  const { indus, read } = scratch;
  scratch.write(OURS, '{\n  // mine\n  "servers": { "a": { "command": "x", "env": { "OLD": "1" } } }\n}\n');
  const set = await indus("mcp", "env", "a", "KEY=s3cret-value", "TOKEN", "EMPTY=", "--unset", "OLD");
  expect([set.code, set.err]).toEqual([0, ""]);
  expect(set.out).toMatch(
    /^server "a" has KEY, TOKEN, EMPTY in its env and has no OLD in it, in .*mcp\.json/,
  );
  expect(set.out).not.toContain("s3cret");
  expect(rowIn(read(OURS), "a")).toEqual({
    command: "x",
    env: { KEY: "s3cret-value", TOKEN: "${TOKEN}", EMPTY: "" },
  });
  expect(read(OURS)).toContain("// mine");
  expect((await indus("mcp", "env", "a", "TOKEN")).err).toContain("nothing to change");
  await indus("mcp", "env", "a", "--unset", "KEY", "--unset", "TOKEN", "--unset", "EMPTY");
  expect(rowIn(read(OURS), "a")).toEqual({ command: "x" });
  scratch.write(OURS, { servers: { o: { type: "local", command: ["x"], environment: { A: "1" } } } });
  await indus("mcp", "env", "o", "B=2");
  expect(rowIn(read(OURS), "o")).toMatchObject({ environment: { A: "1", B: "2" } });
});

verifies("command:env", "what cannot be done is one line, without values, and changes nothing", async () => {
  await using scratch = await scratchHome();
  const { indus, read } = scratch;
  scratch.write(OURS, {
    servers: { a: { command: "x", env: { A: "1" } }, web: { url: "https://x.example" } },
  });
  const before = read(OURS);
  for (const [words, code, line] of [
    [["a"], 2, "mcp env needs a server, and NAME=VALUE, NAME or --unset NAME"],
    [["a", "=s3cret"], 2, "mcp env takes NAME=VALUE, or NAME to refer to your variable"],
    [["a", "A=s3cret", "--unset", "A"], 2, 'mcp env cannot both set and remove "A"'],
    [["a", "--unset", "B"], 1, 'does not set "B"; it sets A'],
    [["web", "A=s3cret"], 1, 'is not started by a command, so it has no environment; its "headers" are in '],
    [["aa", "A=s3cret"], 1, 'there is no server named "aa"; did you mean a?'],
  ] as const) {
    const ran = await indus("mcp", "env", ...words);
    expect(ran, words.join(" ")).toMatchObject({ code, out: "", err: expect.stringContaining(line) });
    expect(ran.err).not.toContain("s3cret");
  }
  expect(read(OURS)).toBe(before);
});

verifies("command:env", "an approved row of a project stays approved", async () => {
  await using scratch = await scratchHome();
  const { indus } = scratch;
  await indus("mcp", "add", "--no-start", "mine", "--scope", "project", "--", "x");
  scratch.write(
    PROJECT,
    scratch.read(PROJECT).replace('"servers": {', '"servers": { "theirs": { "command": "x" },'),
  );
  for (const name of ["mine", "theirs"]) expect((await indus("mcp", "env", name, "A=1")).code).toBe(0);
  expect((await indus("mcp", "get", "mine")).out).toMatch(/^trust +approved$/m);
  expect((await indus("mcp", "get", "theirs")).out).toMatch(/^trust +not approved/m);
});

verifies(
  "command:env",
  "the command in the remedy for a missing variable works when a shell runs it",
  async () => {
    await using scratch = await scratchHome();
    const { indus, read } = scratch;
    const program = 'console.error("Error: DEMO_API_KEY is not set"); process.exit(1)';
    const { err } = await indus("mcp", "add", "it's", "--", process.execPath, "-e", program);
    const [, line = ""] = /or run: indus (mcp env .*=VALUE)$/m.exec(err) ?? [];
    const words = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`])
      .toString()
      .split("\0")
      .slice(0, -1);
    expect(await indus(...words)).toMatchObject({ code: 0 });
    expect(rowIn(read(OURS), "it's")).toMatchObject({ env: { DEMO_API_KEY: "VALUE" } });
  },
  { only: ["linux", "darwin"] },
);
