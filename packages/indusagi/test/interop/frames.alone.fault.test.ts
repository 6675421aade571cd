import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import {
  atSize,
  buildProgram,
  isFullSize,
  machinePace,
  recordFigure,
  tempDir,
  verifies,
} from "@indus/testkit";
import fc from "fast-check";
import { createServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { FrameReader } from "../../src/interop/wire/frames/frame-reader.ts";
import { StdioTransport } from "../../src/interop/wire/index.ts";
import { becomesTrue } from "../core/process-tree/tree-shapes.ts";
import { act, evil, evilInProcess, faultOf, opened, timed } from "./kit/evil.ts";
import { peakMemory } from "./kit/peak-memory.ts";
import { isAlive } from "./kit/scripted.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const MIB = 1024 * 1024;

verifies(
  "faults:b3-junk",
  "banners, colours, byte order marks, blank and broken lines are skipped, counted and shown",
  async () => {
    await using endpoint = await opened(evil("chatty", { start: "chatty" }));
    const lines = ["\r\n", "\x1b[2Jcleared\n", "  \n", "null\n", '"text"\n'];
    expect(await act(endpoint, "junk", { lines })).toBe("after the junk");
    expect(endpoint.status().notes).toEqual([
      "8 line(s) on standard output were not messages; the first: Welcome!",
    ]);
    expect(await act(endpoint, "echo", { text: "on" })).toBe("on");
  },
);

for (const start of ["lines", "line"] as const) {
  verifies(
    "faults:b3-junk",
    `a program that first prints more than a megabyte in ${start === "line" ? "one line" : "lines"} is closed`,
    async () => {
      const config = evil("junk", { start, bytes: 1.5 * MIB });
      const transport = new StdioTransport(config);
      await transport.start();
      const pid = Number(transport.pid);
      await new Promise<void>((resolve) => (transport.onclose = resolve));
      expect(transport.refusal).toMatchObject({ kind: "protocol", server: "junk", retrySafe: true });
      expect(transport.refusal?.message).toMatch(
        /prints text instead of MCP messages on standard output; the first line: jjj/,
      );
      expect(isAlive(pid)).toBe(false);
    },
  );
}

verifies("faults:b3-junk", "shown garbage cannot move the cursor", async () => {
  const transport = new StdioTransport(evil("chatty", { start: "chatty" }));
  await transport.start();
  expect(await becomesTrue(() => transport.garbage.lines === 5)).toBe(true);
  expect(transport.garbage.first).toEqual(["Welcome!", "\\x1b[32mready\\x1b[0m", "[1,2]"]);
  await transport.close();
});

verifies(
  "faults:b3-junk",
  "less than a megabyte of garbage before the first message is accepted",
  async () => {
    await using endpoint = await opened(evil("junk", { start: "lines", bytes: 0.9 * MIB }));
    expect(await act(endpoint, "echo", { text: "hello" })).toBe("hello");
    expect(endpoint.status().notes?.join()).toContain("were not messages");
  },
);

verifies(
  "faults:b4-frames",
  "a frame over the limit fails only its call, and uses no more memory than the limit",
  async () => {
    const bytes = atSize({ quick: 4, full: 100 }) * MIB;
    const cap = atSize({ quick: 1, full: 64 }) * MIB;
    await using endpoint = await opened(evil("huge"), isFullSize ? {} : { stdio: { maxFrameBytes: cap } });
    const waiting = act(endpoint, "echo", { text: "neighbour" });
    const memory = peakMemory();
    const { ms, value: fault } = await timed(() => faultOf(act(endpoint, "huge", { bytes })));
    const peak = memory.stop();
    expect(fault).toMatchObject({ kind: "protocol", retrySafe: false });
    expect(fault.message).toContain("over the limit");
    expect(await waiting).toBe("neighbour");
    expect(await act(endpoint, "echo", { text: "still here" })).toBe("still here");
    expect(peak).toBeLessThan(cap + 64 * MIB);
    recordFigure({
      what: "B4 a line over the cap",
      size: `${bytes / MIB} MiB, cap ${cap / MIB} MiB`,
      found: `its call failed after ${ms.toFixed(0)} ms, connection kept, memory +${(peak / MIB).toFixed(0)} MiB`,
    });
  },
  { timeoutMs: 60_000 },
);

verifies(
  "faults:b4-frames",
  "a frame that arrives byte by byte is limited by the call's own time",
  async () => {
    await using endpoint = await opened(evil("slow", { era: "legacy" }), { timeouts: { callMs: 400 } });
    const slow = act(endpoint, "sliced", { text: "x".repeat(1000), size: 1, pauseMs: 20 });
    await expect(faultOf(slow)).resolves.toMatchObject({ kind: "timeout" });
  },
);

verifies("faults:b4-frames", "a frame cut anywhere, even inside a character, is read whole", async () => {
  await using endpoint = await opened(evil("cut"));
  const text = "é漢𝄞\u0301".repeat(8);
  for (const size of [1, 2, 3, 5, 7, 64])
    expect(await act(endpoint, "sliced", { text, size, pauseMs: 0 }), `${size} bytes`).toBe(text);
});

verifies("faults:b4-frames", "ten thousand frames in one piece are all read", async () => {
  await using endpoint = await opened(evil("burst"));
  let heard = 0;
  endpoint.session().onNotification(() => void heard++);
  expect(await act(endpoint, "burst", { count: 10_000 })).toBe("after the burst");
  expect(heard).toBeGreaterThanOrEqual(10_000);
});

verifies("faults:b4-frames", "any slicing, fine, coarse or mixed, gives back the same bytes", () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 900, max: 3000 })), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 3000, maxLength: 9000 }), sizes, (given, slices) => {
      const bytes = Buffer.from(given.map((byte) => (byte === 0x0a ? 0x20 : byte)));
      const frames: Buffer[] = [];
      const reader = new FrameReader({
        maxBytes: MIB,
        onFrame: (frame) => frames.push(frame.head),
        onOversized: () => {},
      });
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + (slices[turn % slices.length] ?? 1);
        reader.push(bytes.subarray(at, end));
        at = end;
      }
      reader.push(Buffer.from("\n"));
      expect(frames.map((frame) => frame.equals(bytes))).toEqual([true]);
    }),
    { numRuns: atSize({ quick: 50, full: 1000 }) },
  );
});

verifies("faults:b4-frames", "each byte is copied at most twice, in any slicing", () => {
  const sizes = [MIB / 4, MIB * atSize({ quick: 2.5, full: 40 })];
  for (const slice of [16, 1024, 65_536]) {
    const copies = sizes.map((size) => bytesCopiedBy(() => readInSlices(size, slice)) / size);
    expect(copies[0]).toBeGreaterThanOrEqual(1); // The longer frame is not joined.
    for (const each of copies) {
      expect(each).toBeLessThanOrEqual(2);
    }
    recordFigure({
      what: `B4 reading one frame in slices of ${slice} bytes`,
      size: `${sizes.map((size) => size / MIB).join(" and ")} MiB`,
      found: `each byte copied ${copies.map((each) => each.toFixed(2)).join(" and ")} times`,
    });
  }
});

verifies(
  "faults:b4-frames",
  "collecting a long frame needs at most 1.3 times its size",
  async () => {
    const bytes = atSize({ quick: 32, full: 64 }) * MIB;
    using program = await buildProgram(new URL("kit/collect-program.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program.path, String(bytes)]);
    const { read, grew } = JSON.parse(stdout) as { readonly read: number; readonly grew: number };
    expect(read).toBe(bytes);
    expect(grew).toBeLessThanOrEqual(1.3 * bytes);
    recordFigure({
      what: "B4 collecting a long frame",
      size: `${bytes / MIB} MiB`,
      found: `memory +${(grew / MIB).toFixed(0)} MiB, ${(grew / bytes).toFixed(2)} times its size`,
    });
  },
  { timeoutMs: 60_000 },
);

for (const era of ["legacy", "modern"] as const) {
  verifies("faults:b5-answers", `${era}: of all messages only the right answer counts`, async () => {
    await using endpoint = await opened(evil("s"), {}, evilInProcess({ era }));
    const neighbour = act(endpoint, "ask", { waitMs: 100, method: "ping" });
    const abort = new AbortController();
    const given = endpoint.invoke("act", { do: "silent" }, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    const cancelled = (1 << 30) + 1; // Our second request on this connection.
    expect(await act(endpoint, "strays", { cancelled })).toBe("right");
    expect(await act(endpoint, "twice")).toBe("first");
    expect(await neighbour).not.toContain("wrong");
    expect(await act(endpoint, "echo", { text: "on" })).toBe("on");
    expect(endpoint.status().notes?.join()).toMatch(/[5-7] answer\(s\) matched no pending request/);
  });
}

verifies(
  "faults:b11-stderr",
  "megabytes of standard error in any form block no call, and only their end is kept",
  async () => {
    const bytes = atSize({ quick: 8, full: 100 }) * MIB;
    const forms = { lines: "noise\n", "no line ends": "e", binary: "\0\x01\xff\xfe\u{1f600}" };
    for (const [form, text] of Object.entries(forms)) {
      await using endpoint = await opened(evil("noisy", { era: "legacy" }), {
        stdio: { stderrBytes: 65_536 },
      });
      const memory = peakMemory();
      const { ms } = await timed(() => act(endpoint, "stderr", { bytes, text }));
      expect(await act(endpoint, "echo", { text: "on" }), form).toBe("on");
      const fault = await faultOf(act(endpoint, "exit", { code: 5 }));
      expect(fault.details.exit).toEqual({ code: 5 });
      expect(Buffer.byteLength(fault.details.stderr ?? ""), form).toBeLessThan(3 * 65_536);
      const peak = memory.stop();
      if (isFullSize) expect(peak, form).toBeLessThan(64 * MIB);
      recordFigure({
        what: `B11 standard error, ${form}`,
        size: `${bytes / MIB} MiB`,
        found: `call answered after ${ms.toFixed(0)} ms, memory +${(peak / MIB).toFixed(0)} MiB`,
      });
    }
  },
  { timeoutMs: 120_000 },
);

verifies(
  "faults:b3-junk",
  "opening a program that prints only garbage fails at once, and starts it once",
  async () => {
    await using dir = await tempDir();
    const wrapper = dir.at("start.sh");
    const starts = dir.at("starts");
    await writeFile(wrapper, `#!/bin/sh\necho started >> ${starts}\nexec "$@"\n`, { mode: 0o755 });
    const { command, args = [] } = evil("junk", { start: "lines", bytes: 2 * MIB });
    const endpoint = createServerEndpoint({
      kind: "stdio",
      id: "junk",
      command: wrapper,
      args: [command, ...args],
    });
    const pace = await machinePace();
    const { ms, value: fault } = await timed(() => faultOf(endpoint.open()));
    expect(fault).toMatchObject({ kind: "protocol", server: "junk", retrySafe: true });
    await pace.check([ms], { hangMs: 15_000, medianMs: 3000 });
    expect((await readFile(starts, "utf8")).trim().split("\n")).toHaveLength(1);
  },
  { only: ["linux", "darwin"] },
);

function readInSlices(bytes: number, slice: number): void {
  let frames = 0;
  const reader = new FrameReader({
    maxBytes: bytes * 2,
    onFrame: () => void frames++,
    onOversized: () => {},
  });
  const piece = Buffer.alloc(slice, 0x78);
  for (let sent = 0; sent < bytes; sent += slice) reader.push(piece);
  reader.push(Buffer.from("\n"));
  expect(frames).toBe(1);
}

/** Counts copies instead of time: copying time depends on the memory. */
function bytesCopiedBy(step: () => void): number {
  let bytes = 0;
  const { concat } = Buffer;
  const copy = Reflect.get(Buffer.prototype, "copy");
  Buffer.concat = (pieces, length) => {
    const joined = concat(pieces, length);
    bytes += joined.length;
    return joined;
  };
  Buffer.prototype.copy = function (...args: Parameters<Buffer["copy"]>) {
    const copied = copy.apply(this, args);
    bytes += copied;
    return copied;
  };
  try {
    step();
    return bytes;
  } finally {
    Buffer.concat = concat;
    Buffer.prototype.copy = copy;
  }
}
