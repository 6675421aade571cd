import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  answerOf,
  type CasePlace,
  indus,
  listedServer,
  mustBe,
  mustEqual,
  type WindowsCase,
} from "../case.ts";

/** Where configuration and state are, and files as Windows' editors write them. */
export const placeCases: readonly WindowsCase[] = [
  {
    id: "config-places",
    title: "configuration is read from `%USERPROFILE%\\.config\\indusvx` and the project's `.indusvx`",
    run: async (at) => {
      at.file("profile/.config/indusvx/mcp.json", rowsText(at, "mine"));
      at.file(".indusvx/mcp.json", rowsText(at, "theirs"));
      const out = await answerOf(indus(at, "mcp", "list"));
      mustBe(/\bmine\b.*\bready\b/.test(out), out);
      mustBe(/\btheirs\b.*\b(?:pending|untrusted)\b/.test(out), out);
    },
  },
  {
    id: "state-place",
    title:
      "state and compiled code are kept below `%LOCALAPPDATA%\\indusvx`, nothing else appears in the profile",
    run: async (at) => {
      at.file(".indusvx/mcp.json", rowsText(at, "theirs"));
      await answerOf(indus(at, "mcp", "trust", "--yes"));
      const out = await answerOf(indus(at, "mcp", "list"));
      mustBe(/\btheirs\b.*\bready\b/.test(out), out);
      const local = at.env["LOCALAPPDATA"] ?? "";
      mustBe(readdirSync(join(local, "indusvx", "State")).length > 0, "no state");
      mustEqual(readdirSync(at.path("profile")), ["AppData"], "the profile");
    },
  },
  {
    id: "config-crlf",
    title: "a configuration file with CRLF, a byte order mark, comments and backslashes is read",
    run: async (at) => {
      const { command, args } = listedServer(at);
      const lines = [
        "{",
        "  // servers",
        '  "mcpServers": {',
        `    "desk": ${JSON.stringify({ command, args })},`,
        "  },",
        "}",
        "",
      ];
      const file = at.file("crlf.json", `\uFEFF${lines.join("\r\n")}`);
      const out = await answerOf(indus(at, "mcp", "list", "--mcp", file));
      mustBe(/\bdesk\b.*\bready\b/.test(out), out);
    },
  },
  {
    id: "client-appdata",
    title:
      "servers of Claude Desktop are imported from `%APPDATA%`; `connect` keeps its CRLF, and `--undo` restores the file",
    run: async (at) => {
      const { command, args } = listedServer(at);
      const text = JSON.stringify({ mcpServers: { desk: { command, args } } }, null, 2).replaceAll(
        "\n",
        "\r\n",
      );
      const file = at.file("profile/AppData/Roaming/Claude/claude_desktop_config.json", text);
      await answerOf(indus(at, "mcp", "import", "claude-desktop", "--yes"));
      const listed = await answerOf(indus(at, "mcp", "list"));
      mustBe(/\bdesk\b.*\bready\b/.test(listed), listed);
      await answerOf(indus(at, "connect", "claude-desktop"));
      const changed = readFileSync(file, "utf8");
      mustBe(changed.includes('"serve"'), changed);
      mustBe(!/[^\r]\n/.test(changed), "a line without CR");
      await answerOf(indus(at, "connect", "claude-desktop", "--undo"));
      mustEqual(readFileSync(file, "utf8"), text, "the file after --undo");
    },
  },
  {
    id: "native-config",
    title: "`indus mcp add` and `indus mcp remove` change the user's file",
    run: async (at) => {
      const { command, args } = listedServer(at);
      await answerOf(indus(at, "mcp", "add", "desk", "--scope", "user", "--", command, ...args));
      const file = at.path("profile", ".config", "indusvx", "mcp.json");
      mustBe(existsSync(file), "no file");
      const out = await answerOf(indus(at, "mcp", "list"));
      mustBe(/\bdesk\b.*\bready\b/.test(out), out);
      await answerOf(indus(at, "mcp", "remove", "desk", "--scope", "user"));
      mustBe(!readFileSync(file, "utf8").includes("desk"), "the row is still there");
    },
  },
];

function rowsText(at: CasePlace, name: string): string {
  return JSON.stringify({ mcpServers: { [name]: listedServer(at) } });
}
