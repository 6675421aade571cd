import { posix, win32 } from "node:path";
import type { Environment } from "indusagi/core";

/** A file for a service manager, and the commands that load it. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Stops an older service. Fails if there is none. Each is a program and its arguments. */
  readonly reset: readonly (readonly string[])[];
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  /** After the file is removed. */
  readonly forget: readonly (readonly string[])[];
}

export interface ServicePlan {
  readonly words: readonly string[];
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The id of the user, for launchd. */
  readonly uid: number;
}

const LABEL = "dev.indus.serve";
const UNIT = "indus.service";
const TASK = "Indus";

/** Marks our files: we never remove another one. */
export const SERVICE_MARK = "Written by indus service install";

/** The file for this platform. Undefined if it has no user services that we support. */
export function serviceFile(plan: ServicePlan): ServiceFile | undefined {
  if (plan.platform === "linux") return systemdUnit(plan);
  if (plan.platform === "win32") return windowsTask(plan);
  return plan.platform === "darwin" ? launchdAgent(plan) : undefined;
}

/** A task that runs when this user logs on. `schtasks` of Wine accepts it; untested otherwise. */
function windowsTask({ words: [program = "", ...args], home, env }: ServicePlan): ServiceFile {
  const folder = env["LOCALAPPDATA"] ?? win32.join(home, "AppData", "Local");
  const path = win32.join(folder, "indusvx", "task.xml");
  const quoted = args.map((word) => `"${word}"`).join(" ");
  const { USERDOMAIN: domain, USERNAME: name } = env;
  // Without a user it runs when anybody logs on, which only administrators may register.
  const user = name ? `<UserId>${xml(domain ? `${domain}\\${name}` : name)}</UserId>` : "";
  return {
    path,
    // Only ASCII, and no encoding named: `schtasks` reads files in that of the system.
    text: asciiXml(`<?xml version="1.0"?>
<!-- ${SERVICE_MARK} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled>${user}</LogonTrigger></Triggers>
  <Principals>
    <Principal id="Author">${user}<LogonType>InteractiveToken</LogonType></Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>3</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xml(program)}</Command>
      <Arguments>${xml(quoted)}</Arguments>
    </Exec>
  </Actions>
</Task>
`),
    reset: [],
    start: [
      ["schtasks", "/Create", "/F", "/TN", TASK, "/XML", path],
      ["schtasks", "/Run", "/TN", TASK],
    ],
    stop: [["schtasks", "/End", "/TN", TASK]],
    forget: [["schtasks", "/Delete", "/F", "/TN", TASK]],
  };
}

function systemdUnit({ words, home, env }: ServicePlan): ServiceFile {
  const xdg = env["XDG_CONFIG_HOME"];
  const config = xdg !== undefined && posix.isAbsolute(xdg) ? xdg : posix.join(home, ".config");
  const systemctl = (...args: string[]): readonly string[] => ["systemctl", "--user", ...args];
  return {
    path: posix.join(config, "systemd", "user", UNIT),
    text: `# ${SERVICE_MARK}
[Unit]
Description=Indus, a gateway to MCP servers

[Service]
${places(env)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  .join("")}ExecStart=${words.map(unitWord).join(" ")}
# Stopped by SIGTERM.
SuccessExitStatus=143
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
`,
    reset: [],
    start: [systemctl("daemon-reload"), systemctl("enable", UNIT), systemctl("restart", UNIT)],
    stop: [systemctl("disable", "--now", UNIT)],
    forget: [systemctl("daemon-reload")],
  };
}

/** Where the files of the user are, which a service manager does not know from a shell. */
function places(env: Environment): readonly (readonly [string, string])[] {
  return ["XDG_CONFIG_HOME", "XDG_STATE_HOME"].flatMap((name) =>
    env[name] ? [[name, env[name]] as const] : [],
  );
}

/** In a command line, systemd also expands `$`. */
function unitWord(word: string): string {
  return quoted(word).replaceAll("$", () => "$$");
}

/** systemd expands `%`, and reads backslashes in quotes. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, (char) => `\\${char}`).replaceAll("%", "%%")}"`;
}

function launchdAgent({ words, home, uid, env }: ServicePlan): ServiceFile {
  const path = posix.join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const log = posix.join(home, "Library", "Logs", "indus.log");
  return {
    path,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${SERVICE_MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xml(word)}</string>\n`).join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${places(env)
  .map(([name, value]) => `    <key>${name}</key>\n    <string>${xml(value)}</string>\n`)
  .join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`,
    reset: [["launchctl", "bootout", `gui/${uid}/${LABEL}`]],
    start: [["launchctl", "bootstrap", `gui/${uid}`, path]],
    stop: [["launchctl", "bootout", `gui/${uid}/${LABEL}`]],
    forget: [],
  };
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function asciiXml(text: string): string {
  return text.replaceAll(/[^\n -~]/gu, (char) => `&#${char.codePointAt(0)};`);
}
