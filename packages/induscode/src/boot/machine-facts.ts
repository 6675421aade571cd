import { accessSync, constants } from "node:fs";
import { describeError, type Environment, proxySettings } from "indusagi/core";
import type { MachineFacts, PathRepair } from "../doctor/index.ts";
import type { StateFolder } from "../state/index.ts";

const CERTIFICATE_VARIABLES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

export interface MachineFactsOptions {
  readonly env: Environment;
  /** Undefined: `PATH` needed no repair, or nothing was started. */
  readonly pathRepair: PathRepair | undefined;
  readonly stateFolder: () => Promise<StateFolder>;
}

/** What all servers share: this process, its environment and the state folder. */
export async function machineFacts({
  env,
  pathRepair,
  stateFolder,
}: MachineFactsOptions): Promise<MachineFacts> {
  const state = await stateFolder().then(
    ({ path }) => ({ folder: path }),
    (thrown: unknown) => ({ problem: describeError(thrown) }),
  );
  return {
    node: process.versions.node,
    path: env["PATH"] ?? "",
    pathRepair: pathRepair ?? { kind: "not_needed" },
    proxies: proxySettings(env),
    certificates: CERTIFICATE_VARIABLES.flatMap((variable) => {
      const file = env[variable];
      return file ? [{ variable, file, isReadable: isReadable(file) }] : [];
    }),
    state,
  };
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
