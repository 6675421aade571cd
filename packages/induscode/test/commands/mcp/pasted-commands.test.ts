import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { scratchHome } from "../in-home.ts";

verifies(
  "command:pasted",
  "a command that a message suggests quotes an id that a shell would expand, wherever it is shown",
  async () => {
    await using home = await scratchHome();
    const id = "a $(touch here)";
    home.write("site/.indusvx/mcp.json", { mcpServers: { [id]: { command: "no-such-program" } } });
    const runs = [
      await home.indus("mcp", "list"),
      await home.indus("mcp", "get", id),
      await home.indus("mcp", "doctor"),
      await home.indus("mcp", "untrust", id),
      await home.indus("tools"),
      await home.indus(),
    ];
    const commands = runs.flatMap(({ out, err }) => [
      ...`${out} ${err}`.replaceAll(/\s+/g, " ").matchAll(/indus mcp \w+ .?a \$\(touch here\)./g),
    ]);
    expect(commands.length).toBeGreaterThan(2);
    for (const [command] of commands) expect(command).toMatch(/^indus mcp \w+ 'a \$\(touch here\)'$/);
  },
);
