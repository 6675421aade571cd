import { win32 } from "node:path";
import type { Roots } from "../../../core/index.ts";

/** Why a path must not be used on Windows. */
export interface WindowsPathProblem {
  readonly kind: "outside" | "invalid_path";
  readonly message: string;
}

/**
 * What is wrong with an absolute path on Windows, before the disk is asked. Several spellings mean something other than they
 * say: `NUL` and `COM1` are devices in every folder, `a.txt:b` and `a.txt::$DATA` are streams of `a.txt`, most programs read
 * `a.txt.` and `a.txt ` as `a.txt`, `\\?\` switches all rules off, and merely looking at `\\server\share` sends the user's
 * login there.
 */
export function windowsPathProblem(path: string, roots: Roots): WindowsPathProblem | undefined {
  const plain = path.replaceAll("/", "\\");
  if (/^\\\\[.?]\\|^\\\?\?\\/.test(plain))
    return invalid("a path to a device; write it as C:\\... or \\\\server\\share\\...");
  const share = shareOf(plain);
  if (share !== undefined && roots !== "any" && !roots.some((root) => shareOf(root) === share))
    return { kind: "outside", message: "on a network share that may not be used" };
  const names = plain.slice(win32.parse(plain).root.length).split("\\");
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) return invalid(problem);
  }
  return undefined;
}

/** Windows refuses these too, but as a missing file. A colon separates a stream from its file. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[<>"|?*\u0001-\u001f]/;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])$/i;

function nameProblem(name: string): string | undefined {
  if (name === "" || name === "." || name === "..") return undefined;
  if (name.includes(":")) return "a colon in a name means a stream of the file, or a drive";
  if (FORBIDDEN.test(name)) return "Windows has no names with this character";
  const [base = ""] = name.split(".");
  if (DEVICE.test(base.trimEnd())) return "the name of a device, with any ending";
  return /[. ]$/.test(name) ? "Windows ignores dots and spaces at the end of a name" : undefined;
}

/** The server and share of a network path, in lower case. */
function shareOf(path: string): string | undefined {
  const [, server, share] = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path) ?? [];
  return server === undefined || share === undefined ? undefined : `${server}\\${share}`.toLowerCase();
}

function invalid(message: string): WindowsPathProblem {
  return { kind: "invalid_path", message };
}
