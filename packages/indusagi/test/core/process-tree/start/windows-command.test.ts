import { createRequire } from "node:module";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { batchCommandLine, programPaths } from "../../../../src/core/process-tree/start/windows-command.ts";

const { argument: crossSpawnQuoted } = createRequire(import.meta.url)("cross-spawn/lib/util/escape.js") as {
  readonly argument: (arg: string, twice: boolean) => string;
};

const FILE = "C:\\Program Files\\nodejs\\npx.cmd";
const ENV = { OS: "Windows_NT", PATH: "C:\\Windows", CD: "C:\\project" };

const arg = fc.string({ unit: fc.constantFrom(..."ab %\"\\&|<>^()!'=,;*?é-".split(""), "OS", "%OS%", '"&') });

verifies(
  "tree:windows-arguments",
  "a batch file gets the arguments and passes them on, whatever they contain",
  () => {
    fc.assert(
      fc.property(fc.array(arg, { maxLength: 5 }), (args) => {
        const [line, ...others] = commandsOf(expanded(batchCommandLine(FILE, args)));
        expect(others).toEqual([]);
        // In the batch file the line `node cli.js %*` is read a second time. What `%*` stands for is not expanded again.
        const rest = line?.slice(`"${FILE}"`.length) ?? "";
        const [inside, ...more] = commandsOf(`"node.exe" "cli.js"${rest}`);
        expect(more).toEqual([]);
        expect(argumentsOf(inside ?? "")).toEqual(["node.exe", "cli.js", ...args]);
      }),
    );
  },
);

verifies(
  "tree:windows-arguments",
  "read once, our line has the arguments of cross-spawn's; read twice, only ours has them",
  () => {
    const readOnce = (quoted: string): string[] => commandsOf(expanded(`"x" ${quoted}`));
    const ours = (text: string): string => batchCommandLine("x", [text]).slice('"x" '.length);
    fc.assert(
      fc.property(arg, (text) => {
        const [theirs, mine] = [readOnce(crossSpawnQuoted(text, false)), readOnce(ours(text))];
        expect(mine.map(argumentsOf)).toEqual(theirs.map(argumentsOf));
      }),
    );
    // Outside node_modules/.bin a quote in an argument lets the rest of it start a command (CVE-2024-27980).
    const text = '{"a":"b&calc"}';
    expect(commandsOf(readOnce(crossSpawnQuoted(text, false))[0] ?? "")).toHaveLength(2);
    expect(commandsOf(readOnce(ours(text))[0] ?? "")).toHaveLength(1);
  },
);

verifies(
  "tree:windows-arguments",
  "plain words stay without quotes; a line break and a long line are refused",
  () => {
    expect(batchCommandLine(FILE, ["-y", "@scope/name@1.2.3", "C:\\a\\b", "a b", ""])).toBe(
      `"${FILE}" -y @scope/name@1.2.3 C:\\a\\b "a b" ""`,
    );
    expect(batchCommandLine(FILE, ['a"b', "a\\", "100%"])).toBe(`"${FILE}" "a""b" "a\\\\" "100%%cd:~,%"`);
    for (const bad of ["a\nb", "\r"])
      expect(() => batchCommandLine(FILE, ["x", bad])).toThrow(/"npx.cmd": argument 2 contains a line break/);
    expect(() => batchCommandLine(FILE, ["x".repeat(8_000)])).toThrow(
      /8034 characters, a batch file can receive 7991/,
    );
  },
);

verifies(
  "tree:windows-program",
  "a program is looked for in the folders of PATH with the endings of PATHEXT, never in the working directory",
  () => {
    const search = {
      cwd: "C:\\project",
      path: 'C:\\bin;.;"C:\\Program Files\\x";;tools',
      pathExt: ".EXE;.CMD;;x",
    };
    expect(programPaths("npx", search)).toEqual([
      "C:\\bin\\npx.EXE",
      "C:\\bin\\npx.CMD",
      "C:\\bin\\npx",
      "C:\\Program Files\\x\\npx.EXE",
      "C:\\Program Files\\x\\npx.CMD",
      "C:\\Program Files\\x\\npx",
    ]);
    expect(programPaths("a.b", { ...search, path: "C:\\bin" })).toEqual([
      "C:\\bin\\a.b",
      "C:\\bin\\a.b.EXE",
      "C:\\bin\\a.b.CMD",
    ]);
    for (const [command, first] of [
      [".\\run", "C:\\project\\run.EXE"],
      ["tools/run", "C:\\project\\tools\\run.EXE"],
      ["D:\\x\\run.cmd", "D:\\x\\run.cmd"],
    ] as const)
      expect(programPaths(command, search)[0]).toBe(first);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", ".") }), (command) => {
        for (const path of programPaths(command, search)) expect(path.toLowerCase()).not.toContain("project");
      }),
    );
  },
);

/** How `cmd.exe` expands variables of a command line: `%NAME%` and `%NAME:~start,length%`; other `%` stay. */
function expanded(line: string): string {
  return line.replaceAll(/%([^%:]+)(:~(\d*),(\d*))?%/g, (whole, name: string, part?: string) => {
    const value = (ENV as { readonly [name: string]: string })[name.toUpperCase()];
    if (value === undefined) return whole;
    return part === undefined ? value : "";
  });
}

/** How `cmd.exe` splits a line: `^` and the operators count outside quotes only. */
function commandsOf(line: string): string[] {
  const commands = [""];
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    let char = line[at] ?? "";
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === "^") char = line[++at] ?? "";
    else if (!isQuoted && "&|<>".includes(char)) {
      commands.push("");
      continue;
    }
    commands.push((commands.pop() ?? "") + char);
  }
  return commands;
}

/** How the C library of Windows splits a command line. */
function argumentsOf(line: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; ) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    at += slashes;
    const isQuote = line[at] === '"';
    const kept = "\\".repeat(isQuote ? Math.floor(slashes / 2) : slashes);
    if (slashes > 0) current = (current ?? "") + kept;
    if (isQuote && slashes % 2 === 1) current = `${current ?? ""}"`;
    else if (isQuote && isQuoted && line[at + 1] === '"') {
      current = `${current ?? ""}"`;
      at += 1;
    } else if (isQuote) {
      isQuoted = !isQuoted;
      current ??= "";
    } else if (line[at] === " " && !isQuoted) {
      if (current !== undefined) found.push(current);
      current = undefined;
    } else if (at < line.length) current = (current ?? "") + line[at];
    at += 1;
  }
  return current === undefined ? found : [...found, current];
}
