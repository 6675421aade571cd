import { verifies } from "@indus/testkit";
import { launchHash } from "indusagi/config";
import { expect } from "vitest";
import { type ClientId, type ClientServer, planImport } from "../../../src/servers/clients/index.ts";

function found(client: ClientId, name: string, command: string): ClientServer {
  const origin = { client, name, scope: "user", file: `/${client}` } as const;
  return { ...origin, row: { command }, written: { command }, inputs: [], notes: [], isGateway: false };
}

verifies(
  "clients:import-plan",
  "a known launch is not imported again, a taken name is extended, the gateway is left out",
  () => {
    const own = [{ name: "git", launch: launchHash({ command: "git-server" }) }];
    const plan = planImport(
      [
        found("cursor", "git", "git-server"),
        found("vscode", "git", "other-git"),
        found("zed", "git", "third-git"),
        found("zed", "files", "files"),
        found("codex", "files-again", "files"),
        found("zed", "git-vscode", "fourth"),
        {
          ...found("gemini", "broken", "x"),
          problem: "has no command",
          written: undefined,
        } as unknown as ClientServer,
        { ...found("gemini", "indus", "indus"), isGateway: true },
      ],
      own,
    );
    expect(plan.map((step) => [step.server.name, step.action, "as" in step ? step.as : step.why])).toEqual([
      ["git", "same", "git"],
      ["git", "add", "git-vscode"],
      ["git", "add", "git-zed"],
      ["files", "add", "files"],
      ["files-again", "same", "files"],
      ["git-vscode", "add", "git-vscode-zed"],
      ["broken", "skip", "has no command"],
    ]);
  },
);
