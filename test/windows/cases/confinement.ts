import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { win32 } from "node:path";
import { type Fs, FsError, localFs } from "indusagi/capabilities";
import { answerOf, type CasePlace, indus, mustBe, mustEqual, type WindowsCase } from "../case.ts";

/** The file tools stay in their folder, however a path is spelled. */
export const confinementCases: readonly WindowsCase[] = [
  {
    id: "paths-case",
    title:
      "another case, forward slashes, and a drive letter in lower case mean the same file, also a new one",
    run: async (at) => {
      const fs = confined(at);
      const inside = at.file("root/Sub/File.txt", "text").replace(/^[A-Z]/, (drive) => drive.toLowerCase());
      for (const path of [
        inside,
        inside.toUpperCase(),
        inside.replaceAll("\\", "/"),
        inside.replace(/^\w:/, ""),
      ])
        if (!path.startsWith("\\") || process.cwd().startsWith(inside.slice(0, 2).toUpperCase()))
          mustEqual(await fs.readText(path), "text", path);
      await fs.writeFile(win32.join(at.path("ROOT"), "new.txt"), "new");
      mustEqual(readFileSync(at.path("root", "new.txt"), "utf8"), "new", "the new file");
      await mustRefuse(fs, at.file("outside.txt", "secret"), "outside");
      await mustRefuse(fs, at.path("root", "..", "OUTSIDE.TXT"), "outside");
      await mustRefuse(fs, `${at.path("root")}\\..\\root-evil\\x`, "outside");
    },
  },
  {
    id: "paths-drives",
    title: "another drive, a path relative to a drive, a network share and `\\\\?\\` do not lead out",
    run: async (at) => {
      const fs = confined(at);
      const file = at.file("outside.txt", "secret");
      at.file("root/in.txt", "text");
      await mustRefuse(fs, file, "outside");
      for (const path of ["C:\\windows\\win.ini", "Z:\\etc\\passwd", "\\windows\\win.ini"])
        await mustNotRead(fs, path, "outside");
      for (const path of ["\\\\server\\share\\x", "//server/share/x"]) await mustRefuse(fs, path, "outside");
      for (const start of ["\\\\?\\", "\\\\.\\", "//?/", "\\\\?\\UNC\\server\\share\\"])
        for (const path of [file, at.path("root", "in.txt")])
          await mustRefuse(fs, start + path, "invalid_path");
      await mustNotRead(fs, "\\\\?\\unix\\etc\\passwd", "invalid_path");
      await mustRefuse(fs, "\\\\.\\pipe\\x", "invalid_path");
      await mustRefuse(fs, "C:outside.txt", "invalid_path");
    },
  },
  {
    id: "paths-devices",
    title: "`NUL`, `CON`, `COM1.txt` and the like are refused in every folder, for reading and writing",
    run: async (at) => {
      const fs = confined(at);
      for (const name of ["NUL", "con", "Aux", "prn.txt", "COM1", "lpt9.log", "CONIN$", "com¹", "nul .x"]) {
        await mustRefuse(fs, at.path("root", name), "invalid_path");
        await mustRefuse(fs, at.path("root", name, "below.txt"), "invalid_path");
      }
      for (const name of ["console.txt", "nullable", "com10", "auxiliary.md"])
        await fs.writeFile(at.path("root", name), "text");
      mustEqual(readdirSync(at.path("root")).length, 4, "files");
    },
  },
  {
    id: "paths-streams",
    title:
      "alternate data streams (`a.txt:b`, `a.txt::$DATA`) are refused, so they hide nothing and read nothing",
    run: async (at) => {
      const fs = confined(at);
      const file = at.file("root/a.txt", "text");
      for (const ending of [":b", "::$DATA", ":b:$DATA", ":$I30:$INDEX_ALLOCATION"])
        await mustRefuse(fs, file + ending, "invalid_path");
      mustEqual(readdirSync(at.path("root")), ["a.txt"], "files");
    },
  },
  {
    id: "paths-endings",
    title: "dots and blanks at the end of a name, which other programs ignore, are refused",
    run: async (at) => {
      const fs = confined(at);
      const file = at.file("root/.env", "secret");
      for (const ending of [".", " ", "...", ". ."]) await mustRefuse(fs, file + ending, "invalid_path");
      await mustRefuse(fs, at.path("root", "folder.", "x"), "invalid_path");
      mustEqual(readdirSync(at.path("root")), [".env"], "files");
    },
  },
  {
    id: "paths-short",
    title:
      "a short name (`PROGRA~1`) is the folder that it stands for: inside it works, also for new files; outside it is refused",
    run: async (at) => {
      mkdirSync(at.path("a folder with a long name", "inner folder"), { recursive: true });
      const file = at.file("a folder with a long name/inner folder/f.txt", "text");
      const short = shortName(win32.dirname(file));
      mustBe(short.includes("~"), `there are no short names: ${short}`);
      const inside = localFs({
        read: [at.path("a folder with a long name")],
        write: [at.path("a folder with a long name")],
      });
      mustEqual(await inside.readText(win32.join(short, "f.txt")), "text", "the file by its short name");
      await inside.writeFile(win32.join(short, "new.txt"), "new");
      mustEqual(readFileSync(win32.join(win32.dirname(file), "new.txt"), "utf8"), "new", "the new file");
      mkdirSync(at.path("root"));
      await mustRefuse(confined(at), win32.join(short, "f.txt"), "outside");
      await mustRefuse(confined(at), win32.join(short, "none.txt"), "outside");
    },
    bare: {
      source: `
const { spawnSync } = require("node:child_process");
require("node:fs").mkdirSync("a folder with a long name");
const { stdout } = spawnSync(process.env.ComSpec, ["/d", "/c", 'for %A in ("a folder with a long name") do @echo %~sA'], {
  encoding: "utf8", windowsVerbatimArguments: true });
process.exit(stdout.includes("~") ? 0 : 1);
`,
      cause: "this disk makes no short names",
    },
  },
  {
    id: "paths-links",
    title: "a symbolic link and a junction that lead out of the folder are refused",
    run: async (at) => {
      const fs = confined(at);
      at.file("secret/file.txt", "secret");
      symlinkSync(at.path("secret"), at.path("root", "junction"), "junction");
      await mustRefuse(fs, at.path("root", "junction", "file.txt"), "outside");
      await mustRefuse(fs, at.path("root", "junction", "new.txt"), "outside");
    },
    bare: {
      source: `
const { mkdirSync, symlinkSync, readlinkSync } = require("node:fs");
mkdirSync("target");
symlinkSync(process.cwd() + "\\\\target", "junction", "junction");
readlinkSync("junction");
`,
      cause: "version 8 has neither symbolic links nor junctions",
    },
  },
  {
    id: "paths-command",
    title: "the same through `indus call read`, `write` and `edit`",
    run: async (at) => {
      at.file("in.txt", "text");
      const outside = win32.join(win32.dirname(at.folder), "outside.txt");
      writeFileSync(outside, "secret");
      mustBe((await answerOf(indus(at, "call", "read", "path=IN.TXT"))).includes("text"), "not read");
      for (const path of [outside, "..\\outside.txt", "NUL", "in.txt:s", `\\\\?\\${outside}`, "\\\\h\\s\\f"])
        for (const args of [["read"], ["write", "content=x"], ["edit", "oldText=text", "newText=x"]]) {
          const { code, out, err } = await indus(at, "call", ...args, `path=${path}`);
          mustBe(code !== 0 && !`${out}${err}`.includes("secret"), `${args[0]} ${path}: ${out}${err}`);
        }
      mustEqual(readFileSync(outside, "utf8"), "secret", "the file outside");
      mustEqual(readFileSync(at.path("in.txt"), "utf8"), "text", "the file inside");
      mustBe(!existsSync(at.path("NUL")), "NUL became a file");
    },
  },
];

function confined(at: CasePlace): Fs {
  mkdirSync(at.path("root"), { recursive: true });
  return localFs({ read: [at.path("root")], write: [at.path("root")] });
}

/** Neither reading, writing, looking nor removing is possible. Only for paths in the folder of the case. */
async function mustRefuse(fs: Fs, path: string, kind: string): Promise<void> {
  await mustNotRead(fs, path, kind);
  await eachRefused(path, kind, [
    () => fs.writeFile(path, "written"),
    () => fs.mkdir(path, { recursive: true }),
    () => fs.rm(path, { recursive: true }),
  ]);
}

function mustNotRead(fs: Fs, path: string, kind: string): Promise<void> {
  return eachRefused(path, kind, [() => fs.readText(path), () => fs.stat(path), () => fs.readDir(path)]);
}

async function eachRefused(
  path: string,
  kind: string,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const step of steps) {
    const thrown: unknown = await step().then(
      () => "nothing",
      (failure: unknown) => failure,
    );
    mustBe(thrown instanceof FsError && thrown.kind === kind, `${path}: ${String(thrown)}, not ${kind}`);
  }
}

function shortName(path: string): string {
  const { stdout } = spawnSync(
    process.env["ComSpec"] ?? "",
    ["/d", "/c", `for %A in ("${path}") do @echo %~sA`],
    {
      encoding: "utf8",
      windowsVerbatimArguments: true,
    },
  );
  return stdout.trim();
}
