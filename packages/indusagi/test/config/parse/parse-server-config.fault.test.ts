import { atSize, recordFigure, verifies } from "@indus/testkit";
import fc from "fast-check";
import { type ConfigDiagnostic, parseServerConfig } from "indusagi/config";
import { expect } from "vitest";
import { REAL_FILES } from "./real-files.ts";

function expectInside(text: string, diagnostics: readonly ConfigDiagnostic[]): void {
  const lines = text.split(/\r\n|\n|\r/);
  for (const { line, column, message } of diagnostics) {
    expect(line, message).toBeGreaterThanOrEqual(1);
    expect(line, message).toBeLessThanOrEqual(lines.length);
    expect(column, message).toBeGreaterThanOrEqual(1);
    // The error may be inside a CRLF; a position past the end is the end.
    expect(column, message).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 2);
    expect(message).not.toMatch(/[\n\r\0]/);
  }
}

verifies("config:never-throws", "any text at all", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expectInside(text, parseServerConfig(text, { env: {} }).diagnostics);
    }),
    { numRuns: atSize({ quick: 150, full: 5000 }) },
  );
});

verifies("config:never-throws", "any JSON instead of rows, and every text that JSON.parse accepts", () => {
  const names = fc.constantFrom(
    ..."type command args env envFile cwd url headers timeout timeouts enabled disabled includeTools share name".split(
      " ",
    ),
  );
  const row = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }));
  const rows = fc.oneof(fc.array(row), fc.dictionary(fc.string(), row), fc.jsonValue());
  const root = fc.dictionary(fc.constantFrom("servers", "mcpServers", "inputs", "mcp", "envFile"), rows);
  fc.assert(
    fc.property(fc.oneof(root, fc.jsonValue()), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const { diagnostics, usable } = parseServerConfig(text, { env: {} });
      expectInside(text, diagnostics);
      expect(usable).toBe(typeof value === "object" && value !== null && !Array.isArray(value));
    }),
    { numRuns: atSize({ quick: 150, full: 5000 }) },
  );
});

verifies("config:half-written", "every prefix of every real file yields no rows and a diagnostic", () => {
  for (const { client, text } of REAL_FILES) {
    for (let end = 0; end < text.length; end++) {
      const prefix = text.slice(0, end);
      const { servers, usable, diagnostics } = parseServerConfig(prefix, { env: {} });
      expect(servers, `${client} up to ${end}`).toEqual([]);
      expect(usable).toBe(false);
      expect(diagnostics).toHaveLength(1);
      expectInside(prefix, diagnostics);
    }
  }
  const prefixes = REAL_FILES.reduce((total, { text }) => total + text.length, 0);
  recordFigure({ what: "B20 half-written config", size: `${prefixes} prefixes`, found: "0 rows used" });
});
