import { tempDir, verifies } from "@indus/testkit";
import { expect } from "vitest";
import { initialize } from "../../../indusagi/test/interop/host/http/raw-http.ts";
import { eventually, startIndus } from "./run-indus.ts";

verifies(
  "operations:max-sessions",
  "the session over --max-sessions is refused; the refusal and the log name the limit and the flag",
  async () => {
    await using dir = await tempDir();
    const env = { XDG_STATE_HOME: dir.at("state") };
    const words = ["serve", "--port", "0", "--max-sessions", "2", "--profile", "none"];
    using indus = startIndus(words, { cwd: dir.path, env });
    const url = await eventually(() => /^http\S+(?=\n)/.exec(indus.out())?.[0]);
    for (const status of [200, 200, 429, 429]) {
      const answer = await initialize(url, {});
      expect(answer.status).toBe(status);
      if (status === 429)
        expect(answer.text).toContain(
          "the limit is 2 in all); end one (DELETE) first, or allow more with indus serve --max-sessions",
        );
    }
    const lines = await eventually(() => indus.err().match(/^.*a client was refused.*$/gm) ?? undefined);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("--max-sessions");
  },
);
