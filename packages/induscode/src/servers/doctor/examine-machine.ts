import type { ProxySettings } from "indusagi/core";
import type { Finding } from "./finding.ts";

/** What happened to `PATH` before servers were started. */
export type PathRepair =
  | { readonly kind: "not_needed" }
  /** The login shell added these folders. */
  | { readonly kind: "repaired"; readonly added: readonly string[] }
  /** It has only system folders, and the login shell named no others. */
  | { readonly kind: "failed" };

/** What is known about this machine and this process. */
export interface MachineFacts {
  /** Such as `20.20.0`. */
  readonly node: string;
  readonly path: string;
  readonly pathRepair: PathRepair;
  readonly proxies: ProxySettings;
  /** Certificate files that the environment names. */
  readonly certificates: readonly {
    readonly variable: string;
    readonly file: string;
    readonly isReadable: boolean;
  }[];
  readonly state: { readonly folder: string } | { readonly problem: string };
}

const OLDEST_NODE = [20, 19] as const;

/** Explains the environment that all servers share. */
export function examineMachine(facts: MachineFacts): readonly Finding[] {
  return [nodeFinding(facts.node), pathFinding(facts), ...networkFindings(facts), stateFinding(facts.state)];
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const what = `Node.js ${version}`;
  if (!isOld) return { health: "ok", what };
  return {
    health: "problem",
    what: `${what} is too old`,
    remedy: `install Node.js ${OLDEST_NODE.join(".")} or later`,
  };
}

function pathFinding({ path, pathRepair }: MachineFacts): Finding {
  switch (pathRepair.kind) {
    case "not_needed":
      return { health: "ok", what: "PATH is used as is: it comes from a terminal or a login" };
    case "repaired":
      return {
        health: "ok",
        what: `PATH had only system folders, as after a start from a desktop; your login shell added ${pathRepair.added.join(", ") || "nothing"}`,
      };
    case "failed":
      return {
        health: "warning",
        what: `PATH has only system folders (${path}), and your login shell named no others`,
        remedy: 'write full paths as "command", or set "env": { "PATH": … } in the rows of servers',
      };
  }
}

function networkFindings({ proxies, certificates }: MachineFacts): Finding[] {
  const { httpProxy, httpsProxy, noProxy } = proxies;
  const used = [
    ...(httpsProxy === "" ? [] : [`https through ${withoutUser(httpsProxy)}`]),
    ...(httpProxy === "" ? [] : [`http through ${withoutUser(httpProxy)}`]),
  ];
  const proxy: Finding =
    used.length === 0
      ? { health: "ok", what: "no proxy: HTTP_PROXY and HTTPS_PROXY are not set" }
      : {
          health: "note",
          what: `${used.join(", ")}; directly: ${noProxy.replace(/^,/, "").replaceAll(",", ", ")}`,
        };
  const files = certificates.map(
    ({ variable, file, isReadable }): Finding =>
      isReadable
        ? { health: "note", what: `${variable}: certificates from ${file}` }
        : {
            health: "problem",
            what: `${variable}: ${file} cannot be read`,
            remedy: `correct or unset ${variable}`,
          },
  );
  return [proxy, ...files];
}

/** The URL of a proxy may contain a password. */
function withoutUser(address: string): string {
  return address.replace(/\/\/[^/]*@/, "//");
}

function stateFinding(state: MachineFacts["state"]): Finding {
  if ("folder" in state) return { health: "ok", what: `state folder ${state.folder}` };
  return {
    health: "problem",
    what: state.problem,
    remedy: "correct that: until then no project server can be approved, and tools are not remembered",
  };
}
