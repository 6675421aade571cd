import { homedir } from "node:os";
import { join } from "node:path";
import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { toolPath } from "indusagi/capabilities";
import { expect } from "vitest";
import { byteSize } from "../../../../src/capabilities/file/byte-size.ts";
import { pathVariants } from "../../../../src/capabilities/file/paths/open-for-reading.ts";
import { shownPath } from "../../../../src/capabilities/file/paths/tool-path.ts";

verifies(
  "read:path-spellings",
  "other spellings differ from the path and from each other, and look the same",
  () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (path) => {
        const variants = pathVariants(path);
        expect(new Set([path, ...variants]).size).toBe(variants.length + 1);
        const plain = (text: string): string =>
          text.normalize("NFC").replace(/^@/, "").replaceAll("\u202f", " ").replaceAll("\u2019", "'");
        for (const variant of variants) expect(plain(variant)).toBe(plain(path));
      }),
    );
    expect(pathVariants("@")).toEqual([]);
    expect(pathVariants("")).toEqual([]);
  },
);

const part = fc.stringMatching(/^[a-z0-9_ -]{1,5}$/);

verifies("read:path-spellings", "a shown path resolves to the same file", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 4 }), (cwd, path) => {
      const ctx = { cwd: `/${cwd.join("/")}` };
      const absolute = `/${path.join("/")}`;
      expect(toolPath(ctx, shownPath(ctx, absolute))).toBe(absolute);
      expect(toolPath(ctx, path.join("/"))).toBe(join(ctx.cwd, ...path));
    }),
  );
  expect(toolPath({ cwd: "/x" }, "~/a")).toBe(join(homedir(), "a"));
  expect(toolPath({ cwd: "/x" }, "~")).toBe(homedir());
  expect(toolPath({ cwd: "/x" }, "~user/a")).toBe("/x/~user/a");
});

verifies(
  "ls:listing",
  "sizes are readable: few digits, the right unit, never smaller for a larger file",
  () => {
    const units = ["bytes", "KB", "MB", "GB", "TB"];
    const value = (shown: string): number => {
      const [number = "", unit = ""] = shown.split(" ");
      return Number(number) * 1000 ** Math.max(0, units.indexOf(unit));
    };
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 50 }), fc.nat({ max: 2 ** 50 }), (a, b) => {
        expect(byteSize(a)).toMatch(/^\d{1,4}(\.\d)? (byte|bytes|KB|MB|GB|TB)$/);
        expect(Math.abs(value(byteSize(a)) - a)).toBeLessThanOrEqual(a * 0.051);
        if (a <= b) expect(value(byteSize(a))).toBeLessThanOrEqual(value(byteSize(b)));
      }),
    );
    expect([0, 1, 999, 1000, 1_400_000].map(byteSize)).toEqual([
      "0 bytes",
      "1 byte",
      "999 bytes",
      "1.0 KB",
      "1.4 MB",
    ]);
  },
);
