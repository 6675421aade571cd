import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { createServerEndpoint, type WireEvent } from "indusagi/interop";
import { expect } from "vitest";
import { Redactor } from "../../../src/core/internal.ts";
import { WireWatch } from "../../../src/interop/wire/index.ts";
import { TextLines } from "../../../src/interop/wire/wire-watch.ts";
import { scripted } from "../kit/scripted.ts";

const MAX_CHARS = 12;

function linesOf(chunks: readonly Buffer[]): { readonly line: string; readonly isCut: boolean }[] {
  const lines: { line: string; isCut: boolean }[] = [];
  const reader = new TextLines({
    maxChars: MAX_CHARS,
    onLine: (line, isCut) => void lines.push({ line, isCut }),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

verifies("wire:log-lines", "any slicing of standard error gives the same lines, none over the limit", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r\n", " ") });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 8 }), (written, cuts) => {
      const bytes = Buffer.from(written);
      const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));
      const lines = linesOf(chunks);
      expect(lines).toEqual(linesOf([bytes]));
      const whole = written.split("\n").map((line) => line.slice(0, MAX_CHARS).trimEnd());
      expect(lines.map(({ line }) => line)).toEqual(whole.filter((line) => line !== ""));
    }),
  );
});

function watched(maxPerSecond?: number): { readonly watch: WireWatch; readonly events: WireEvent[] } {
  const events: WireEvent[] = [];
  const redactor = new Redactor(["swordfish-1", "two\nlines-of-a-secret"]);
  return {
    watch: new WireWatch({ redactor, onEvent: (event) => void events.push(event), maxPerSecond }),
    events,
  };
}

verifies("wire:log-events", "messages are described in brief: no arguments, no results, no secrets", () => {
  const { watch, events } = watched();
  const call = { name: "echo swordfish-1", arguments: { text: "private" } };
  watch.message("sent", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  watch.message("received", { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } });
  watch.message("received", { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: {} });
  watch.message("sent", { jsonrpc: "2.0", id: 1, result: { content: "private" } });
  const error = { code: -32000, message: "bad key swordfish-1", data: "private" };
  watch.message("received", { jsonrpc: "2.0", id: 1, error });
  const log = { level: "info", data: "logged in with swordfish-1" };
  watch.message("received", { jsonrpc: "2.0", method: "notifications/message", params: log });
  watch.stderr(Buffer.from("key sword"));
  watch.stderr(Buffer.from("fish-1\nlast"));
  watch.end();
  expect(events).toEqual([
    { kind: "sent", id: 1, method: "tools/call", target: "echo [redacted]" },
    { kind: "received", id: 1, method: "elicitation/create" },
    { kind: "sent", id: 1, method: "elicitation/create", isAnswer: true, ms: expect.any(Number) },
    {
      kind: "received",
      id: 1,
      method: "tools/call",
      isAnswer: true,
      target: "echo [redacted]",
      ms: expect.any(Number),
      error: { code: -32000, message: "bad key [redacted]" },
    },
    { kind: "received", method: "notifications/message", note: "info: logged in with [redacted]" },
    { kind: "stderr", line: "key [redacted]" },
    { kind: "stderr", line: "last" },
  ]);
});

verifies(
  "wire:log-events",
  "a flood is counted, not described; a secret at the cut of a long line is removed",
  () => {
    const { watch, events } = watched(3);
    for (let at = 0; at < 1000; at++) watch.stderr(Buffer.from(`line ${at}\n`));
    watch.end();
    const dropped = events.reduce((sum, event) => sum + (event.kind === "dropped" ? event.count : 0), 0);
    const shown = events.filter(({ kind }) => kind === "stderr").length;
    expect(shown + dropped).toBe(1000);
    expect(shown).toBeLessThan(100);
    const long = watched();
    long.watch.stderr(Buffer.from(`${"x".repeat(1993)}swordfish-1\n`));
    expect(long.events).toEqual([{ kind: "stderr", line: `${"x".repeat(1993)}[redac…` }]);
  },
);

verifies(
  "wire:log-events",
  "the whole life of a connection: handshake, listing, calls, standard error, its end",
  async () => {
    await using dir = await tempDir();
    const events: WireEvent[] = [];
    const config = {
      ...scripted("s", "--stderr", "20"),
      env: { API_TOKEN: "swordfish-swordfish" },
      cwd: dir.path,
    };
    const endpoint = createServerEndpoint(config, undefined, {
      onWire: (server, event) => {
        expect(server).toBe("s");
        events.push(event);
        throw new Error("a listener that throws changes nothing");
      },
    });
    await endpoint.open();
    await endpoint.listTools();
    await endpoint.invoke("fail", {});
    await endpoint.close();
    const methods = events.flatMap((event) => ("method" in event && event.isAnswer ? [event.method] : []));
    expect(methods).toEqual(expect.arrayContaining(["tools/list", "tools/call"]));
    expect(events).toContainEqual(
      expect.objectContaining({ kind: "received", method: "tools/list", note: "22 tools" }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ method: "tools/call", target: "fail", note: "the tool reports an error" }),
    );
    expect(events.filter(({ kind }) => kind === "stderr").length).toBeGreaterThan(0);
  },
);
