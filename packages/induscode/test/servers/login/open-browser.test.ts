import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { openBrowser } from "../../../src/servers/login/index.ts";

/** What could start a program, or be read as an option or a command. */
const HOSTILE = [
  "javascript:alert(1)",
  "file:///etc/passwd",
  "data:text/html,<script>1</script>",
  "vbscript:msgbox(1)",
  "ms-msdt:/id",
  "ms-settings:",
  "search-ms:query=x",
  "mailto:a@b.c",
  "tel:1",
  "ssh://-oProxyCommand=calc",
  "ftp://x/y",
  "smb://x/y",
  "steam://run/1",
  "vscode://x",
  "about:blank",
  "chrome://settings",
  "view-source:http://x",
  "blob:http://x/1",
  "ws://x",
  "jar:http://x!/y",
  "shell:startup",
  "calc.exe:1",
  "unc:////x/y",
  "res://x",
];

const ODD = [
  "https://x.example/$(calc)",
  "https://x.example/`calc`",
  "https://x.example/?a=1&calc",
  "https://x.example/;calc",
  "https://x.example/|calc",
  'https://x.example/"&calc&"',
  "https://x.example/%26calc",
  "https://--flag.example/",
];

verifies("login:browser", "only http and https are opened, as one argument of one program", async () => {
  const started: (readonly [string, readonly string[]])[] = [];
  const start = async (command: string, args: readonly string[]): Promise<boolean> => {
    started.push([command, args]);
    return true;
  };
  const platforms = ["linux", "darwin", "win32"] as const;
  for (const platform of platforms) {
    for (const text of HOSTILE) {
      const env = { DISPLAY: ":0" };
      expect([text, await openBrowser(new URL(text), { platform, env, start })]).toEqual([text, false]);
    }
  }
  expect(started).toEqual([]);
  for (const platform of platforms)
    for (const text of ODD) await openBrowser(new URL(text), { platform, env: { DISPLAY: ":0" }, start });
  for (const [command, args] of started) {
    const rundll = "C:\\Windows\\System32\\rundll32.exe";
    expect(["xdg-open", "open", rundll]).toContain(command);
    expect(args.at(-1)).toMatch(/^https:\/\/\S*$/);
    expect(args.length).toBe(command === rundll ? 2 : 1);
  }
  expect(started).toHaveLength(ODD.length * 3);
  expect(await openBrowser(new URL("https://x.example/"), { platform: "linux", env: {}, start })).toBe(false);
});
