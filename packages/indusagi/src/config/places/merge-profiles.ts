import type { ConfigDiagnostic, ConfigProfile } from "../contract.ts";
import { quoted } from "../report.ts";
import type { PlacedConfig } from "./merge-rows.ts";

export interface MergedProfiles {
  readonly profiles: readonly ConfigProfile[];
  readonly diagnostics: readonly ConfigDiagnostic[];
}

/**
 * Merges the profiles of several files. The first file that has a name wins, and those of a project come last: a client that uses
 * a profile of the user must not get more because of a cloned project.
 */
export function mergeProfiles(files: readonly PlacedConfig[]): MergedProfiles {
  const isProject = ({ place }: PlacedConfig): boolean => place.scope === "project";
  const inOrder = [...files.filter((file) => !isProject(file)), ...files.filter(isProject)];
  const profiles = new Map<string, ConfigProfile>();
  const diagnostics: ConfigDiagnostic[] = [];
  for (const profile of inOrder.flatMap(({ parsed }) => parsed.profiles)) {
    const winner = profiles.get(profile.name);
    if (!winner) profiles.set(profile.name, profile);
    else diagnostics.push(repeated(profile, winner));
  }
  return { profiles: [...profiles.values()], diagnostics };
}

function repeated({ name, source }: ConfigProfile, winner: ConfigProfile): ConfigDiagnostic {
  const { scope: _, ...position } = source;
  const other = quoted(winner.source.file ?? "another file");
  return {
    severity: "warning",
    ...position,
    path: ["profiles", name],
    message: `profile ${quoted(name)} is also in ${other}, which has precedence; this one is not used`,
  };
}
