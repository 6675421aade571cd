import { verifies } from "@indus/testkit";
import xterm from "@xterm/headless";
import { expect } from "vitest";
import { liveArea } from "../../../src/screen/terminal/index.ts";

/** An area on a real terminal, without a process. */
function areaOn(columns: number, rows: number) {
  const screen = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100,
    convertEol: true,
    allowProposedApi: true,
  });
  let written = Promise.resolve();
  const area = liveArea({
    out: (text) => void (written = new Promise((resolve) => screen.write(String(text), resolve))),
    get outLook() {
      return { width: screen.cols, height: screen.rows };
    },
  });
  const lines = async (): Promise<string[]> => {
    await written;
    const { active } = screen.buffer;
    const all = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? "",
    );
    return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
  };
  return { area, lines, screen };
}

verifies("boot:live-area", "the area is replaced in place, and lines printed above it stay", async () => {
  const { area, lines, screen } = areaOn(20, 10);
  area.show("> typed\nstatus", { line: 0, column: 7 });
  area.print("first");
  area.print("a line that is longer than the screen\n");
  area.show("> typed more\nstatus", { line: 0, column: 12 });
  expect(await lines()).toEqual([
    "first",
    "a line that is longe",
    "r than the screen",
    "> typed more",
    "status",
  ]);
  expect([screen.buffer.active.cursorX, screen.buffer.active.cursorY]).toEqual([12, 3]);
  area.show("short");
  expect(await lines()).toEqual(["first", "a line that is longe", "r than the screen", "short"]);
  area.show("");
  area.print("end");
  expect(await lines()).toEqual(["first", "a line that is longe", "r than the screen", "end"]);
});

verifies(
  "boot:live-area",
  "wide characters and lines at the end of the screen are replaced completely",
  async () => {
    const { area, lines } = areaOn(20, 6);
    for (let at = 0; at < 8; at++) {
      area.show(`日本語日本語日本語日本語 ${at}\nmore`, { line: 1, column: 4 });
      area.print(`line ${at}`);
    }
    area.show("");
    expect(await lines()).toEqual(Array.from({ length: 8 }, (_, at) => `line ${at}`));
  },
);

verifies(
  "boot:live-area",
  "after a change of the width the old area is replaced as the terminal broke it",
  async () => {
    const { area, lines, screen } = areaOn(40, 12);
    area.print("above");
    area.show("a line of thirty-five characters ok\nsecond", { line: 1, column: 6 });
    await lines();
    screen.resize(20, 12);
    area.show("new");
    expect(await lines()).toEqual(["above", "new"]);
  },
);
