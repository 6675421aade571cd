import { join, resolve } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { isInside } from "indusagi/core";
import { expect } from "vitest";

const name = fc.stringMatching(/^[a-z._ -]{1,6}$/).filter((part) => part !== "." && part !== "..");
const path = fc.array(name, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`);

verifies("fs:roots", "a path below a root is inside, whatever its name", () => {
  fc.assert(
    fc.property(path, path, (root, below) => {
      expect(isInside(join(root, below), [root])).toBe(true);
      expect(isInside(root, [root])).toBe(true);
      expect(isInside(root, "any")).toBe(true);
      expect(isInside(root, [])).toBe(false);
    }),
  );
});

verifies("fs:roots", "a path inside begins with the parts of the root", () => {
  fc.assert(
    fc.property(path, path, (root, other) => {
      const parts = (text: string): string[] => text.split("/").filter((part) => part !== "");
      const expected = parts(root).every((part, index) => parts(other)[index] === part);
      expect(isInside(resolve(other), [root])).toBe(expected);
    }),
  );
});

verifies(
  "fs:roots",
  "a path that only begins with the letters of the root is outside, and inside is transitive",
  () => {
    fc.assert(
      fc.property(
        path.filter((root) => root !== "/"),
        name,
        path,
        (root, tail, below) => {
          expect(isInside(`${root}${tail}`, [root])).toBe(false);
          expect(isInside(join(root, tail, below), [join(root, tail)])).toBe(true);
          expect(isInside(join(root, tail, below), [root])).toBe(true);
          expect(isInside(root, [join(root, tail)])).toBe(false);
        },
      ),
    );
  },
);
