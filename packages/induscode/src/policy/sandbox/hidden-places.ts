import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder, userConfigPath } from "indusagi/config";
import type { Environment } from "indusagi/core";
import { gatewayFolders } from "../../background/link/index.ts";
import { cacheRoot, stateRoot } from "../../state/index.ts";
import type { HiddenPlace } from "./sandbox-plan.ts";

/**
 * Places in the home folder with keys, logins and shell histories, or with sockets of services that act for the user. Not files
 * that builds need, such as Maven's settings: an empty one is an error.
 */
const IN_HOME = [
  ".1password",
  ".aws",
  ".azure",
  ".bash_history",
  ".bitwarden-ssh-agent.sock",
  ".boto",
  ".cache/huggingface/token",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude",
  ".claude.json",
  ".codex",
  ".colima",
  ".config/BraveSoftware",
  ".config/chromium",
  ".config/configstore",
  ".config/containers",
  ".config/doctl",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".config/github-copilot",
  ".config/glab-cli",
  ".config/google-chrome",
  ".config/hub",
  ".config/indusvx",
  ".config/microsoft-edge",
  ".config/op",
  ".config/rclone",
  ".config/sops",
  ".databrickscfg",
  ".docker",
  ".fly",
  ".gem/credentials",
  ".gemini",
  ".git-credentials",
  ".gnupg",
  ".huggingface",
  ".indusvx",
  ".kaggle",
  ".kube",
  ".lima",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/opencode/auth.json",
  ".local/state/indusvx",
  ".mozilla",
  ".my.cnf",
  ".mylogin.cnf",
  ".mysql_history",
  ".netrc",
  ".node_repl_history",
  ".npmrc",
  ".oci",
  ".orbstack",
  ".password-store",
  ".pgpass",
  ".psql_history",
  ".pulumi/credentials.json",
  ".pypirc",
  ".python_history",
  ".rd",
  ".s3cfg",
  ".ssh",
  ".terraform.d",
  ".thunderbird",
  ".vault-token",
  ".zsh_history",
  "Library/Cookies",
  "Library/Keychains",
] as const;

/** Sockets, outside the usual folders, of services that start programs with more rights. */
const SERVICES = ["/nix/var/nix/daemon-socket", "/var/lib/incus", "/var/lib/lxd", "/var/snap/lxd"] as const;

/** Existing places to hide: our own state and configuration, and the secrets of other programs. */
export function hiddenPlaces(env: Environment): readonly HiddenPlace[] {
  const home = homeFolder({ env });
  const config = userConfigPath({ env });
  // Who can talk to the background gateway starts programs outside of the sandbox. The cache holds code of the `indus` command: what is written there runs outside the sandbox.
  const own = [stateRoot({ env }), cacheRoot({ env }), ...gatewayFolders(env)];
  const places = [
    ...own.filter((place) => place !== undefined),
    ...(config === undefined ? [] : [dirname(config)]),
    ...(home === undefined ? [] : IN_HOME.map((name) => join(home, name))),
    ...SERVICES,
  ];
  const found = new Map<string, HiddenPlace>();
  for (const place of places.flatMap(located)) found.set(place.path, place);
  return [...found.values()];
}

/** Follows links and hides the target. */
function located(path: string): HiddenPlace[] {
  try {
    const real = realpathSync(path);
    return [{ path: real, isFolder: statSync(real).isDirectory() }];
  } catch {
    return []; // It does not exist, or we cannot read it either.
  }
}
