import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { writeConfig } from "../../bin/run-indus.ts";
import { runLine, shelfRow } from "../run-line.ts";

verifies(
  "mcp-read:prompts",
  "prompts are listed with their arguments and fetched by either name",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { shelf: shelfRow() });
    const prompt = (...words: string[]): ReturnType<typeof runLine> =>
      runLine(dir, ["mcp", ...words, "--mcp", file]);
    const [list, listJson, full, plain] = await Promise.all([
      prompt("prompts"),
      prompt("prompts", "--json"),
      prompt("prompt", "shelf__greet", "who=Ada", "tone=cold"),
      prompt("prompt", "greet", "who:=1815"),
    ]);
    expect(list).toMatchObject({
      code: 0,
      out: "shelf__greet(who: string, tone?: string)  Greets somebody.\n",
    });
    expect(JSON.parse(listJson.out)).toMatchObject([
      { name: "shelf__greet", server: "shelf", prompt: "greet" },
    ]);
    expect(full).toMatchObject({ code: 0, out: "user:\nA cold hello to Ada.\n", err: "" });
    expect(plain.out).toBe("user:\nA warm hello to 1815.\n");
  },
);

verifies(
  "mcp-read:prompts",
  "a wrong name and wrong arguments are one line that shows the way out",
  async () => {
    await using dir = await tempDir();
    const file = await writeConfig(dir.at("servers.json"), { a: shelfRow(), b: shelfRow() });
    const prompt = (...words: string[]): ReturnType<typeof runLine> =>
      runLine(dir, ["mcp", "prompt", ...words, "--mcp", file]);
    const [both, chosen, unknown, missing, surplus] = await Promise.all([
      prompt("greet", "who=x"),
      prompt("greet", "who=x", "--server", "a", "--json"),
      prompt("a__gret"),
      prompt("a__greet", "tone=cold"),
      prompt("a__greet", "who=x", "colour=red"),
    ]);
    expect(both).toMatchObject({
      code: 1,
      err: 'indus: several servers have a prompt "greet"; use a__greet or b__greet\n',
    });
    expect(JSON.parse(chosen.out)).toMatchObject({ messages: [{ role: "user" }] });
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.err).toContain('there is no prompt named "a__gret"; did you mean a__greet');
    expect(missing).toMatchObject({
      code: 2,
      err: 'indus: a__greet: "who" is missing; it takes: a__greet(who: string, tone?: string)\n',
    });
    expect(surplus.err).toContain('"colour" is not an argument of this prompt');
  },
);
