import { execFileSync } from "node:child_process";

/** Whether a test may mount its own file system. Root may on most machines, but not in every container. */
export function canMount(): boolean {
  if (process.platform !== "linux") return false;
  try {
    execFileSync("unshare", ["--mount", "/bin/sh", "-c", "mount -t tmpfs -o size=64k tiny /mnt"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
