import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import {
  createRemarkCounter,
  createRipgrepReader,
  type RipgrepLine,
} from "../../../../src/capabilities/search/ripgrep/ripgrep-output.ts";

verifies("grep:strange-names", "ripgrep's output is parsed the same for any chunk boundaries", () => {
  const bytes = fc.string({ unit: fc.constantFrom("a", ":", "\xff", "\r", "1"), maxLength: 6 });
  const line = fc.record({
    path: bytes.map((name) => `./${name}\n${name}`),
    line: fc.nat(),
    text: bytes.map((tail) => `${tail}x`),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.integer({ min: 1, max: 20 }), (lines, size) => {
      const output = Buffer.from(
        lines.map((hit) => `${hit.path}\0${hit.line}:${hit.text}\r\n`).join(""),
        "latin1",
      );
      const read: RipgrepLine[] = [];
      const push = createRipgrepReader(2000, (hit) => read.push(hit) > 0);
      for (let at = 0; at < output.length; at += size) push(output.subarray(at, at + size));
      expect(read).toEqual(lines);
    }),
  );
});

verifies("grep:leaves-out", "ripgrep's messages are counted, also for names with line feeds", () => {
  const counter = createRemarkCounter();
  const remarks =
    "rg: DEBUG|globset|x: built glob set\nrg: DEBUG|ignore::walk|crates/ignore/src/walk.rs:1: ignoring ./a\nb: 3000000 bytes\n" +
    "rg: DEBUG|ignore::walk|crates/ignore/src/walk.rs:2: ignoring ./x.log: Ignore(IgnoreMatch(Gitignore))\n" +
    "rg: ./locked: Permission denied (os error 13)\nrg: DEBUG|ignore::walk|w.rs:1: ignoring ./c: 2097153 bytes\n";
  for (const char of remarks) counter.push(char);
  expect(counter.end()).toEqual({ tooLarge: 2, unreadable: 1 });
});
