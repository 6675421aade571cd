import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { clamp, standardBudget } from "indusagi/capabilities";
import { expect } from "vitest";

const text = fc.string({ unit: "binary", maxLength: 60 });
const kind = fc.constantFrom("head" as const, "tail" as const, "middle" as const);
const maxBytes = fc.integer({ min: 0, max: 80 });
const MARK = "\u0000";

verifies("kernel:clamp", "text that fits is returned unchanged", () => {
  fc.assert(
    fc.property(
      text,
      kind,
      (value, kept) => clamp(value, { kind: kept, maxBytes: Buffer.byteLength(value) }) === value,
    ),
  );
});

verifies(
  "kernel:clamp",
  "the kept text never exceeds the budget, and the notice has the exact size of the rest",
  () => {
    fc.assert(
      fc.property(text, kind, maxBytes, (value, kept, max) => {
        let omitted = 0;
        const notice = (bytes: number): string => {
          omitted = bytes;
          return "";
        };
        const cut = clamp(value, { kind: kept, maxBytes: max, notice });
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(Buffer.byteLength(cut) + omitted).toBe(Buffer.byteLength(value));
      }),
    );
  },
);

verifies("kernel:clamp", "the start, the end or both ends are kept, and no character is split", () => {
  fc.assert(
    fc.property(
      text.filter((value) => !value.includes(MARK)),
      kind,
      maxBytes,
      (value, kept, max) => {
        const parts = clamp(value, { kind: kept, maxBytes: max, notice: () => MARK }).split(MARK);
        if (parts.length === 1) return;
        const [head = "", tail = ""] = parts;
        expect(value.startsWith(head) && value.endsWith(tail)).toBe(true);
        if (kept === "head") expect(tail).toBe("");
        if (kept === "tail") expect(head).toBe("");
        const split = /[\ud800-\udbff]$/;
        expect(split.test(head) || /^[\udc00-\udfff]/.test(tail)).toBe(false);
      },
    ),
  );
});

verifies("kernel:clamp", "the standard budget keeps both ends of 64 KiB, with a notice", () => {
  expect(standardBudget()).toEqual({ kind: "middle", maxBytes: 65_536 });
  const long = `${"a".repeat(40_000)}${"b".repeat(40_000)}`;
  expect(clamp(long, standardBudget())).toBe(
    `${"a".repeat(32_768)}\n[... 14464 bytes omitted ...]\n${"b".repeat(32_768)}`,
  );
});
