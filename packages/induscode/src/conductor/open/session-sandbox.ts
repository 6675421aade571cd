import { realpathSync } from "node:fs";
import { workTreeOf } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { selectTools } from "../../boot/tools/internal.ts";
import { type Capability, COMMAND_TOOLS } from "../../deck/contract/index.ts";
import type { SessionFlags, ToolSelection } from "../../launch/internal.ts";
import type { Sandbox } from "../../policy/sandbox/index.ts";

/** What the sandbox changes in a session. */
export interface SessionSandbox {
  /** The cards as the session offers them. */
  readonly wrap: (card: Capability) => Capability;
  /** Lets a call run outside the sandbox. Absent: there is none. */
  readonly onPermitted?: ((call: ToolCall) => void) | undefined;
  /** Why commands run without a sandbox, or not at all. Shown to the user. */
  readonly problem?: string | undefined;
}

const NONE: SessionSandbox = { wrap: (card) => card };

/** Opens the sandbox for a session's commands, as `--sandbox` says. Closes with the run. */
export async function openSessionSandbox(
  run: Pick<Run, "cwd" | "env" | "signal" | "defer">,
  setting: SessionFlags["sandbox"],
  { tools, noTools }: ToolSelection,
): Promise<SessionSandbox> {
  const filter = selectTools(tools);
  if (setting === "off" || noTools || ![...COMMAND_TOOLS].some(filter.keepsCard)) return NONE;
  const isStrict = setting === "on";
  const isUsable = isStrict || workTreeOf(realpathSync(run.cwd)) !== undefined;
  const opening = isUsable ? openFor(run) : Promise.resolve({ problem: NO_WORK_TREE });
  // Deferred before the tools are opened, to close after them: their jobs use it.
  run.defer(async () => {
    const late = await opening.catch(() => undefined);
    if (late && "close" in late) late.close();
  });
  const opened = await opening;
  if ("wrap" in opened) {
    const { sandboxedCards } = await import("../../policy/sandbox/index.ts");
    const { wrap, permit } = sandboxedCards(opened, { isStrict });
    const { writeProblem } = opened;
    const effect = isStrict
      ? "commands that may write are refused"
      : "there is no sandbox for commands that may write";
    return {
      wrap,
      onPermitted: permit,
      problem: writeProblem === undefined ? undefined : `${effect}: ${writeProblem}`,
    };
  }
  const { problem } = opened;
  if (!isStrict) return { ...NONE, problem: `there is no sandbox for commands: ${problem}` };
  const { refusedCards } = await import("../../policy/sandbox/index.ts");
  const refusal = `--sandbox on needs a sandbox, and there is none: ${problem}`;
  return { ...refusedCards(refusal), problem: `commands are refused: ${refusal}` };
}

async function openFor({
  cwd,
  env,
  signal,
}: Pick<Run, "cwd" | "env" | "signal">): Promise<Sandbox | { readonly problem: string }> {
  const { openSandbox } = await import("../../policy/sandbox/index.ts");
  return openSandbox({ cwd, env, signal });
}

/** Commands in the sandbox run without approval, so it must be possible to undo them. */
const NO_WORK_TREE =
  "this folder is not in a git work tree, so what commands change could not be undone; --sandbox on uses a sandbox anyway";
