import { accessSync, constants } from "node:fs";
import { describeError, proxySettings } from "indusagi/core";
import type { Run } from "../../boot/internal.ts";
import type { MachineFacts } from "./examine-machine.ts";

const CERTIFICATE_VARIABLES = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

/**
 * What all servers share: this process, its environment and the state folder. After servers were opened, also whether `PATH`
 * was repaired for them.
 */
export async function machineFacts({
  env,
  state: kept,
  notes,
}: Pick<Run, "env" | "state" | "notes">): Promise<MachineFacts> {
  // First: it changes `PATH`.
  const pathRepair = (await notes.pathRepair) ?? { kind: "not_needed" };
  const state = await kept.folder().then(
    ({ path }) => ({ folder: path }),
    (thrown: unknown) => ({ problem: describeError(thrown) }),
  );
  return {
    node: process.versions.node,
    path: env["PATH"] ?? "",
    pathRepair,
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
