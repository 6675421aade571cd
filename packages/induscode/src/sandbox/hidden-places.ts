import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder, userConfigPath } from "indusagi/config";
import type { Environment } from "indusagi/core";
import { stateRoot } from "../state/index.ts";
import type { HiddenPlace } from "./sandbox-plan.ts";

/** Places in the home folder that hold keys and logins, or sockets of services that act for the user. */
const IN_HOME = [
  ".aws",
  ".azure",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude",
  ".claude.json",
  ".codex",
  ".config/containers",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".config/indusvx",
  ".config/op",
  ".config/rclone",
  ".docker",
  ".gem/credentials",
  ".gemini",
  ".git-credentials",
  ".gnupg",
  ".indusvx",
  ".kube",
  ".local/share/keyrings",
  ".local/state/indusvx",
  ".mozilla",
  ".config/chromium",
  ".config/google-chrome",
  ".netrc",
  ".npmrc",
  ".password-store",
  ".pgpass",
  ".pypirc",
  ".ssh",
  ".terraform.d",
  ".vault-token",
  "Library/Keychains",
  "Library/Cookies",
] as const;

/** Sockets of services that start programs with more rights, outside of the folders for sockets. */
const SERVICES = ["/nix/var/nix/daemon-socket", "/var/lib/incus", "/var/lib/lxd", "/var/snap/lxd"] as const;

/** The places that exist and must not be seen: our own state and configuration, and the secrets of other programs. */
export function hiddenPlaces(env: Environment): readonly HiddenPlace[] {
  const home = homeFolder({ env });
  const config = userConfigPath({ env });
  const state = stateRoot({ env });
  const places = [
    ...(state === undefined ? [] : [state]),
    ...(config === undefined ? [] : [dirname(config)]),
    ...(home === undefined ? [] : IN_HOME.map((name) => join(home, name))),
    ...SERVICES,
  ];
  const found = new Map<string, HiddenPlace>();
  for (const place of places.flatMap(located)) found.set(place.path, place);
  return [...found.values()];
}

/** A link is followed: the place that it leads to is hidden. */
function located(path: string): HiddenPlace[] {
  try {
    const real = realpathSync(path);
    return [{ path: real, isFolder: statSync(real).isDirectory() }];
  } catch {
    return []; // It does not exist, or we cannot read it either.
  }
}
