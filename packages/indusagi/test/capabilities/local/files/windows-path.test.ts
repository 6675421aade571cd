import { win32 } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { windowsPathProblem } from "../../../../src/capabilities/local/files/windows-path.ts";

const ROOTS = ["C:\\project"];
const kindOf = (path: string, roots: readonly string[] | "any" = ROOTS): string | undefined =>
  windowsPathProblem(path, roots)?.kind;

const DEVICES = ["con", "NUL", "Aux", "prn", "COM1", "lpt9", "com¹", "CONIN$", "conout$", "CLOCK$"];
/** A name that Windows takes as it is written. */
const plainName = fc
  .string({ unit: fc.constantFrom(..."aZ9 .-_é~()".split("")), minLength: 1, maxLength: 12 })
  .map((name) => `x${name}y`);

verifies(
  "fs:windows-names",
  "a path of plain names is usable, in a folder, on a drive and on the root's own share",
  () => {
    fc.assert(
      fc.property(fc.array(plainName), (names) => {
        for (const start of ["C:\\", "C:/", "z:\\", "\\"])
          expect(kindOf(start + names.join("\\"))).toBeUndefined();
        const share = ["\\\\Server\\Share", ...names].join("\\");
        expect(kindOf(share, ["\\\\server\\share\\project"])).toBeUndefined();
        expect(kindOf(share, "any")).toBeUndefined();
      }),
    );
  },
);

verifies(
  "fs:windows-names",
  "devices, streams and endings that Windows ignores are refused anywhere in a path",
  () => {
    const bad = fc.oneof(
      fc
        .tuple(fc.constantFrom(...DEVICES), fc.constantFrom("", ".txt", " .txt", ".tar.gz"))
        .map((both) => both.join("")),
      fc.tuple(plainName, fc.constantFrom(":s", "::$DATA", ":", ":s:$DATA")).map((both) => both.join("")),
      fc.tuple(plainName, fc.constantFrom(".", " ", "..", ". .")).map((both) => both.join("")),
      fc
        .tuple(plainName, fc.constantFrom("*", "?", "<", ">", "|", '"', "\n", "\u0001"))
        .map((both) => both.join("")),
    );
    fc.assert(
      fc.property(fc.array(plainName), bad, fc.array(plainName), (before, name, after) => {
        const path = win32.resolve("C:\\project", [...before, name, ...after].join("\\"));
        expect(kindOf(path), path).toBe("invalid_path");
        expect(kindOf(path, "any")).toBe("invalid_path");
      }),
    );
  },
);

verifies(
  "fs:windows-names",
  "paths to devices are refused, and a network share before anything looks at it",
  () => {
    for (const start of ["\\\\?\\", "\\\\.\\", "//?/", "//./", "\\/?\\", "\\??\\"])
      for (const rest of [
        "C:\\project\\a.txt",
        "UNC\\server\\share\\a",
        "GLOBALROOT\\Device\\x",
        "pipe\\x",
        "unix\\etc",
      ])
        expect(kindOf(start + rest)).toBe("invalid_path");
    for (const share of [
      "\\\\server\\share",
      "//server/share/a",
      "\\\\10.0.0.1@80\\share\\a",
      "\\\\server\\share2\\a",
    ]) {
      expect(kindOf(share)).toBe("outside");
      expect(kindOf(share, ["\\\\server\\share3", "C:\\"])).toBe("outside");
    }
  },
);

verifies("fs:windows-names", "names that only look like devices are names", () => {
  for (const name of ["console", "nullable.ts", "com", "com10", "lpt", "aux-1", "x.con", "CON-1.txt", ".nul"])
    expect(kindOf(`C:\\project\\${name}`), name).toBeUndefined();
});
