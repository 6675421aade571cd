import { verifies } from "@indus/testkit";
import { createManualClock } from "indusagi/core";
import { createTableBox, type TableTool } from "indusagi/runtime";
import { followBridgeBox } from "induscode/deck";
import { expect } from "vitest";
import { createBoxReplay } from "../../../src/boot/run/box-replay.ts";
import { echoRunner, sampleDescriptor } from "../../deck/ledger/sample-tools.ts";

const tool = (name: string, listing: object = {}): TableTool => ({
  descriptor: sampleDescriptor("s", name, listing),
  run: echoRunner.run,
});

verifies(
  "ledger:late",
  "a ledger that is opened later has every change, also of a tool that is gone, at its time",
  async () => {
    const clock = createManualClock(1_000);
    const [kept, gone] = [tool("kept"), tool("gone")];
    const table = createTableBox([kept, gone]);
    const replay = createBoxReplay(table.box, clock);
    await clock.advance(10);
    table.replace([kept, tool("added")]);
    await clock.advance(10);
    table.replace([kept, tool("added", { description: "Another text." })]);
    await clock.advance(10);
    await using live = followBridgeBox(replay.box, { clock: replay.clock });
    const shown = (): string[] =>
      live.ledger.log.map(({ op, at, capability }) =>
        `${Date.parse(at)} ${op} ${capability?.name ?? ""}`.trim(),
      );
    expect(shown()).toEqual(["1000 enroll s__kept", "1000 enroll s__gone"]);
    replay.catchUp();
    const past = [
      "1000 enroll s__kept",
      "1000 enroll s__gone",
      "1010 retire",
      "1010 enroll s__added",
      "1020 enroll s__added",
    ];
    expect(shown()).toEqual(past);
    const [offered, listed] = [replay.box.descriptors(), table.box.descriptors()];
    expect(offered.map((tool, at) => tool === listed[at])).toEqual([true, true]);
    table.replace([kept]); // From now on it follows the box itself.
    expect(shown()).toEqual([...past, "1030 retire"]);
    expect((await replay.box.runner.run({ id: "1", name: "s__kept", input: {} })).isError).toBe(false);
  },
);
