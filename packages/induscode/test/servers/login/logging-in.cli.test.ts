import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { serveLogin } from "../../../../../test/servers/login.mjs";
import { eventually, type Indus, runIndus, startIndus, writeConfig } from "../../bin/run-indus.ts";

/** The address that the command shows. */
async function shownAddress(indus: Indus): Promise<string> {
  return eventually(() => /^ {2}(http\S+)$/m.exec(indus.err())?.[1], 60_000);
}

/** Every file below a folder, with its text. */
async function filesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const texts = new Map<string, string>();
  for (const name of names) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) texts.set(name, await readFile(path, "utf8"));
  }
  return texts;
}

verifies(
  "login:command",
  "mcp login waits for the browser's answer, calls work, and mcp logout ends the login",
  async () => {
    await using dir = await tempDir();
    const claims = Buffer.from(JSON.stringify({ email: "ada@example.org" })).toString("base64url");
    const server = await serveLogin({ idToken: `e30.${claims}.c2ln` });
    const file = await writeConfig(dir.at("servers.json"), { notes: { url: server.url } });
    const env = { XDG_STATE_HOME: dir.at("state") };
    const outputs: string[] = [];
    const run = async (...args: string[]) => {
      const ended = await runIndus(["mcp", ...args, "--mcp", file], { env });
      outputs.push(ended.out, ended.err);
      return ended;
    };

    expect(await run("list")).toMatchObject({
      code: 1,
      out: expect.stringContaining("indus mcp login notes"),
    });
    expect(server.seen).toEqual([]); // A command that was started for something else asks nobody.

    using login = startIndus(["mcp", "login", "notes", "--no-browser", "--mcp", file], { env });
    const address = await shownAddress(login);
    const stranger = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
    expect((await fetch(`${stranger.href}?code=x&state=guessed`)).status).toBe(404);
    const page = await fetch(address);
    expect(await page.text()).toContain("You can close this window");
    expect(await login.ended).toBe(0);
    expect(login.out()).toMatch(/^server "notes": logged in as ada@example.org at http.* until .* UTC/);

    expect(await run("list")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/notes: logged in as ada@example.org at http.* until .* UTC/),
    });
    const call = await run("call", "notes__echo", "text=hello");
    expect(call).toMatchObject({ code: 0, out: expect.stringContaining("hello") });

    // The browser of another machine cannot open the address that it ends at, so the user pastes it.
    using pasted = startIndus(["mcp", "login", "notes", "--no-browser", "--mcp", file], { env });
    const asked = await shownAddress(pasted);
    expect(new URL(asked).searchParams.get("redirect_uri")).toBe(stranger.href); // The registered port is kept.
    const target = (await fetch(asked, { redirect: "manual" })).headers.get("location") ?? "";
    pasted.child.stdin.write(`nonsense\n${target}\n`);
    expect(await pasted.ended).toBe(0);
    expect(server.counts.registrations).toBe(1);

    const files = await filesBelow(dir.at("state"));
    const secret = [...files].filter(([, text]) => text.includes("canary")).map(([name]) => name);
    expect(secret).toHaveLength(1);
    expect(secret[0]).toMatch(/logins[/\\][0-9a-f]+-[0-9a-f]+\.json$/);
    if (process.platform !== "win32")
      expect((await stat(join(dir.at("state"), secret[0] ?? ""))).mode & 0o777).toBe(0o600);
    outputs.push(login.out(), login.err(), pasted.out(), pasted.err());
    expect(outputs.join("\n")).not.toMatch(/canary-(access|refresh|code)/);

    expect(await run("logout", "notes")).toMatchObject({ code: 0, out: 'logged out of server "notes"\n' });
    expect([...(await filesBelow(dir.at("state"))).values()].join("\n")).not.toContain("canary");
    expect(server.refreshTokens.size).toBe(1); // The last one was revoked; the one before was never told.
    await server.close();
  },
  { timeoutMs: 240_000 },
);
