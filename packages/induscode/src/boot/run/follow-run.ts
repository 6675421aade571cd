import type { ToolBox } from "indusagi/runtime";
import type { LiveBridge } from "../../deck/attach/index.ts";
import type { CloseStack } from "./close-stack.ts";
import { followLate, type LateBox } from "./follow-late.ts";
import type { RunLedger } from "./run-ledger.ts";

export interface FollowRunOptions {
  readonly ledger: RunLedger;
  readonly report: (message: string) => void;
  readonly stack: CloseStack;
  /** Hashing and writing begin after this or at the end of the run, whichever is first. */
  readonly after: Promise<unknown> | undefined;
}

/** Records what happens to the tools of a box in the log of the run's ledger, until the run is closed. */
export function followRun(box: ToolBox, options: FollowRunOptions): Promise<LiveBridge> {
  const late = followLate(box);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const following = Promise.race([options.after, ended]).then(() => followNow(late, box, options));
  // Deferred now, so that it is closed before the servers: their tools were live until the end.
  options.stack.defer(async () => {
    end();
    await (await following.catch(() => undefined))?.close();
  });
  return following;
}

async function followNow(
  late: LateBox,
  box: ToolBox,
  { ledger, report }: FollowRunOptions,
): Promise<LiveBridge> {
  const log = await ledger.log();
  const { followBridgeBox, prepareTools } = await import("../../deck/attach/index.ts");
  await prepareTools([...late.box.descriptors(), ...box.descriptors()]);
  const bridge = followBridgeBox(late.box, { ...(log && { log }), report, clock: late.clock });
  late.catchUp();
  return bridge;
}
