import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { eventually, startIndus, untilGone } from "./run-indus.ts";

const bin = fileURLToPath(new URL("../../bin/indus.js", import.meta.url));
/** Longer than the time between two checks of the parent. */
const PARENT_MS = 1_200;
const TOKEN = "a-token-of-the-tests-1234";

const quoted = (text: string): string => `'${text}'`;

const POSIX = ["linux", "darwin"] as const;

interface Started {
  readonly pid: number;
  /** The file that gets its output. */
  readonly log: string;
  /** Kills the shell that started it. */
  killShell(): void;
}

/** Starts a command in the background of a shell. `prefix`: how it is detached from the shell. */
async function startedByShell(log: string, prefix: string, flags: readonly string[]): Promise<Started> {
  const words = [process.execPath, bin, ...flags].map(quoted).join(" ");
  const shell = spawn("sh", [
    "-c",
    `${prefix} ${words} > ${quoted(log)} 2>&1 < /dev/null & echo $!; read never`,
  ]);
  let output = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const pid = await eventually(() => (output.includes("\n") ? Number(output) : undefined));
  await logged(log, /^http/m);
  return { pid, log, killShell: () => void shell.kill("SIGKILL") };
}

/** Waits until a log contains a text. */
async function logged(log: string, text: RegExp): Promise<string> {
  return eventually(async () => {
    const content = await readFile(log, "utf8").catch(() => "");
    return text.test(content) ? content : undefined;
  });
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: "POST", body: "{}" }).then(
    (response) => response.status > 0,
    () => false,
  );
}

async function expectSurvival(log: string, prefix: string): Promise<void> {
  const { pid, killShell } = await startedByShell(log, prefix, ["serve", "--port", "0"]);
  const url = /^http\S+$/m.exec(await readFile(log, "utf8"))?.[0] ?? "";
  killShell();
  await pause(PARENT_MS);
  expect(await answers(url), prefix).toBe(true);
  process.kill(pid, "SIGHUP");
  await logged(log, /^indus: SIGHUP was ignored/m);
  expect(await answers(url), prefix).toBe(true);
  process.kill(pid, "SIGTERM");
  await untilGone([pid]);
  expect(await readFile(log, "utf8")).toMatch(/^indus: ending: it received SIGTERM$/m);
}

verifiesTogether(
  "serve:survives",
  "a background job, nohup and setsid: it outlives its shell and SIGHUP, and says why it ends",
  async () => {
    await using dir = await tempDir();
    const prefixes = ["", "nohup", "setsid"].filter(
      (name) => name === "" || spawnSync("which", [name]).status === 0,
    );
    await Promise.all(prefixes.map((prefix) => expectSurvival(dir.at(`log-${prefix}`), prefix)));
  },
  { only: POSIX },
);

verifiesTogether(
  "serve:survives",
  "with --with-parent it ends with its shell, and says so",
  async () => {
    await using dir = await tempDir();
    const { pid, log, killShell } = await startedByShell(dir.at("log"), "", [
      "serve",
      "--port",
      "0",
      "--with-parent",
    ]);
    killShell();
    await untilGone([pid]);
    await logged(log, /^indus: ending: the process that started it has ended$/m);
  },
  { only: POSIX },
);

verifiesTogether(
  "serve:survives",
  "a closed output does not end it; over stdio the end of the input does",
  async () => {
    using indus = startIndus(["serve", "--port", "0"]);
    const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);
    indus.child.stdout.destroy();
    indus.child.kill("SIGHUP"); // Writes a line.
    indus.child.stderr.destroy();
    await pause(300);
    indus.child.kill("SIGHUP");
    expect(await answers(url)).toBe(true);
    using stdio = startIndus(["serve", "--stdio"]);
    stdio.child.stdin.end();
    expect(await stdio.ended).toBe(0);
    expect(stdio.err()).toContain("indus: ending: the client closed standard input\n");
  },
);

verifiesTogether(
  "serve:setup",
  "the set-up of the clients names the variable of the token, works as printed, and hides the token",
  async () => {
    const env = { INDUS_SETUP_TOKEN: TOKEN };
    using indus = startIndus(["serve", "--port", "0", "--token-env", "INDUS_SETUP_TOKEN"], { env });
    const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);
    const err = await eventually(() => (indus.err().includes("To stop it") ? indus.err() : undefined));
    const header = '--header "Authorization: Bearer $INDUS_SETUP_TOKEN"';
    for (const words of [
      `claude mcp add --transport http indus ${url} ${header}`,
      `gemini mcp add -s user --transport http indus ${url} ${header}`,
      'bearer_token_env_var = "INDUS_SETUP_TOKEN"',
      '"Authorization": "Bearer ${env:INDUS_SETUP_TOKEN}"',
      '"Authorization": "Bearer {env:INDUS_SETUP_TOKEN}"',
      `end process ${indus.child.pid}.`,
    ])
      expect(err).toContain(words);
    expect(indus.out() + err).not.toContain(TOKEN);
    const inspector = fileURLToPath(
      new URL("../../../../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", import.meta.url),
    );
    const line = /^ *npx \S+inspector-cli\S+ (.*)$/m.exec(err)?.[1] ?? "";
    const child = spawn("sh", ["-c", `${quoted(process.execPath)} ${quoted(inspector)} ${line}`], {
      env: { ...process.env, ...env },
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    await new Promise((resolve) => child.once("close", resolve));
    expect(out).toContain('"name": "todo_read"');
  },
  { only: POSIX },
);
