import type { ToolBox } from "indusagi/runtime";
import type { LiveBridge } from "../../deck/attach/index.ts";
import { type BoxReplay, createBoxReplay } from "./box-replay.ts";
import type { CloseStack } from "./close-stack.ts";
import type { RunLedger } from "./run-ledger.ts";

export interface FollowRunOptions {
  readonly ledger: RunLedger;
  readonly report: (message: string) => void;
  readonly stack: CloseStack;
  /** Hashing and writing start after this or at the end of the run, whichever comes first. */
  readonly after: Promise<unknown> | undefined;
}

/** Records the changes of a box in the run's ledger until the run is closed. */
export function followRun(box: ToolBox, options: FollowRunOptions): Promise<LiveBridge> {
  const replay = createBoxReplay(box);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const following = Promise.race([options.after, ended]).then(() => followNow(replay, box, options));
  // Deferred now, so it closes before the servers: their tools were live until the end.
  options.stack.defer(async () => {
    end();
    await (await following.catch(() => undefined))?.close();
  });
  return following;
}

async function followNow(
  replay: BoxReplay,
  box: ToolBox,
  { ledger, report }: FollowRunOptions,
): Promise<LiveBridge> {
  const log = await ledger.log();
  const { followBridgeBox, prepareTools } = await import("../../deck/attach/index.ts");
  await prepareTools([...replay.box.descriptors(), ...box.descriptors()]);
  const bridge = followBridgeBox(replay.box, { ...(log && { log }), report, clock: replay.clock });
  replay.catchUp();
  return bridge;
}
