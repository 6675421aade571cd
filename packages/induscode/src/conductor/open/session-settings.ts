import type { Run } from "../../boot/internal.ts";
import type { Invocation } from "../../launch/index.ts";
import type { SessionFlags } from "../../launch/internal.ts";
import { chosenModel } from "./chosen-model.ts";
import { type MergedSettings, mergeSettings, readSettings, type SettingLayers } from "./settings.ts";

/** What counts for a session of this folder. */
export type SessionSettings = (earlier?: SettingLayers["earlier"]) => MergedSettings;

/**
 * Reads the settings for a session and reports what is not used. Throws if something that could narrow the session cannot be
 * read: the session would be able to do more than the file's author meant.
 */
export async function sessionSettings(
  run: Pick<Run, "cwd" | "env" | "report">,
  { model, tools }: Pick<Invocation, "model" | "tools">,
  { mode, allow, deny }: Pick<SessionFlags, "mode" | "allow" | "deny">,
): Promise<SessionSettings> {
  const { user, project } = await readSettings(run);
  const problems = [...user.problems, ...project.problems];
  const serious = problems.find(({ isSerious }) => isSerious);
  for (const problem of problems) if (problem !== serious) run.report(problem.message);
  if (serious) throw new Error(serious.message);
  const layers = {
    flags: { model, mode, allow, deny, tools },
    env: { model: chosenModel({}, run.env) },
    user: user.values,
    project: project.values,
  };
  return (earlier = {}) => mergeSettings({ ...layers, earlier });
}
