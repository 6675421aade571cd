import type { SessionUser } from "../conductor/index.ts";
import { answerQuestions } from "../questions/index.ts";
import { approveCall } from "./dialogs/approve-call.ts";
import { approvePlan } from "./dialogs/approve-plan.ts";
import { type AskUserOptions, askUser } from "./dialogs/ask-user.ts";
import type { ReplSession } from "./run-repl-options.ts";

export interface ReplUserOptions extends Pick<AskUserOptions, "running" | "openBrowser" | "stage"> {
  readonly cwd: string;
  /** Undefined until there is a prompt: nothing can be asked before. */
  readonly dialogs: () => AskUserOptions["dialogs"] | undefined;
  readonly opened: () => ReplSession | undefined;
}

/** The user at the terminal, as a session asks them. */
export function replUser({ cwd, dialogs, opened, ...options }: ReplUserOptions): SessionUser {
  const ready = (): AskUserOptions["dialogs"] => {
    const found = dialogs();
    if (!found) throw new Error("the session is not open yet");
    return found;
  };
  let user: ReturnType<typeof askUser> | undefined;
  const asked = (): ReturnType<typeof askUser> => (user ??= askUser({ ...options, dialogs: ready() }));
  return {
    approve: async (question) => approveCall(ready(), options.stage, question),
    approvePlan: async (question) => approvePlan(ready(), options.stage, question),
    ...answerQuestions({
      cwd,
      session: () => opened()?.session,
      user: {
        fillForm: async (question, signal) => asked().fillForm(question, signal),
        visitUrl: async (question, signal) => asked().visitUrl(question, signal),
        approveSampling: async (question, signal) => asked().approveSampling(question, signal),
      },
    }),
  };
}
