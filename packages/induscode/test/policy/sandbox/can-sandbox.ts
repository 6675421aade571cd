import { execFileSync } from "node:child_process";

/** Whether bubblewrap is installed here and may make namespaces. Some containers forbid that. */
export const canSandbox: boolean = works();

function works(): boolean {
  if (process.platform !== "linux") return false;
  const args = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--unshare-net"];
  try {
    execFileSync("bwrap", [...args, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
