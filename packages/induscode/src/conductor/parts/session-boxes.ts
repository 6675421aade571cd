import type { ToolDescriptor } from "indusagi/llm";
import { layerBox, type ToolBox, type ToolCall } from "indusagi/runtime";
import { COMMAND_TOOLS } from "../../deck/contract/index.ts";
import { gate, type Policy, type PolicyMode, readerProblem } from "../../policy/index.ts";
import { examinedEffect } from "../../policy/internal.ts";
import { sessionApprover } from "../approve/session-approver.ts";
import type { SessionEvent } from "../contract.ts";
import { planBox } from "../plan/plan-box.ts";
import type { TurnFiles } from "../rewind/turn-files.ts";
import type { SessionParts } from "./session-parts.ts";
import { type ModelWindow, stableOrder, throughPrograms, withinWindow } from "./stable-order.ts";

export interface SessionBoxOptions {
  readonly emit: (event: SessionEvent) => void;
  readonly notice: (message: string) => void;
  readonly setMode: (mode: PolicyMode) => void;
  readonly files: Pick<TurnFiles, "beforeCommand">;
  readonly model: ModelWindow;
}

/** The layers around the tools of a session. */
export interface SessionBoxes {
  /** All tools behind the policy. Sub-agents get these. */
  readonly gated: ToolBox;
  /** What the session's model gets: with the plan handshake, and limited to what fits its window. */
  readonly offered: ToolBox;
}

export function sessionBoxes(parts: SessionParts, options: SessionBoxOptions): SessionBoxes {
  const { box, policy, user, rules, readState, cwd, writePlan, onPermitted, sandboxProblem } = parts;
  const { emit, notice, setMode, files, model } = options;
  const approver = sessionApprover({
    cwd,
    notice,
    user,
    rules,
    readState,
    servers: policy.servers,
    sandboxProblem,
  });
  const gated = stableOrder(
    gate(withSnapshots(box, policy, files), policy, {
      notesEffects: true,
      approver,
      ...(onPermitted && { onPermitted }),
    }),
  );
  const planned = planBox(gated, { policy, setMode, writePlan, emit, user });
  return { gated, offered: parts.hasCodeMode ? throughPrograms(planned) : withinWindow(planned, model) };
}

/** Takes a snapshot before a call whose file changes nothing else can undo. Inside the gate: only for calls that run. */
function withSnapshots(box: ToolBox, policy: Policy, files: Pick<TurnFiles, "beforeCommand">): ToolBox {
  const needsSnapshot = (tool: ToolDescriptor, call: ToolCall): boolean => {
    const { readOnly, command } = examinedEffect(call) ?? policy.examine(tool, call.input, call);
    if (readOnly) return false;
    return !(command?.isReadable && readerProblem(command.text, command) === undefined);
  };
  return layerBox(box, {
    call: ({ descriptor, run }) => {
      if (!descriptor.origin && !COMMAND_TOOLS.has(descriptor.name)) return run;
      return async (call, signal, caller) => {
        if (needsSnapshot(descriptor, call)) await files.beforeCommand();
        return run(call, signal, caller);
      };
    },
  });
}
