import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { approvePlan } from "../../../../src/front/repl/dialogs/approve-call.ts";
import { askUser } from "../../../../src/front/repl/dialogs/ask-user.ts";
import { openDialogScreen } from "./dialog-screen.ts";

verifies(
  "repl:questions",
  "an address is opened only with consent; sampling is approved once or for the session",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage, press } = screen;
    const opened: string[] = [];
    const openBrowser = async (url: URL): Promise<boolean> => opened.push(url.href) > 1;
    const user = askUser({ dialogs, stage, running: () => ["s__login"], openBrowser });
    const visit = async (key: string): Promise<string> => {
      const question = { message: "Log in\u001b[2J\nSend it?", url: new URL("https://example.com/x?y=1") };
      const answer = user.visitUrl(question);
      await press(key);
      return answer;
    };
    expect(await visit("n")).toBe("decline");
    expect(await visit("\u0003")).toBe("cancel");
    expect(opened).toEqual([]);
    expect(await visit("y")).toBe("accept");
    expect(opened).toEqual(["https://example.com/x?y=1"]);
    const shown = await screen.screen();
    expect(shown).toContain(
      "A server, while s__login runs, asks you to visit\nexample.com:\n  Log in\\x1b[2J\n  Send it?\n",
    );
    expect(shown).toContain("No browser could be started");

    const sampled = async (...keys: string[]): Promise<boolean> => {
      const answer = user.approveSampling({
        model: "m",
        request: { messages: [], tools: [], system: "Be brief." },
      });
      for (const key of keys) await press(key);
      return answer;
    };
    expect(await sampled("n")).toBe(false);
    expect(await sampled("y")).toBe(true);
    expect(await sampled("a", "n", "n")).toBe(false);
    expect(await sampled("a", "y")).toBe(true);
    expect(await sampled()).toBe(true); // Not asked any more.
  },
);

verifies(
  "repl:questions",
  "a form is declined with Esc, and asks again for an answer that does not fit",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage, press } = screen;
    const user = askUser({ dialogs, stage, running: () => [], openBrowser: async () => true });
    const schema = {
      properties: { age: { type: "integer", title: "Age", description: "In years." } },
      required: ["age"],
    };
    const fill = async (...keys: string[]): Promise<unknown> => {
      const answer = user.fillForm({ message: "Who?", schema });
      for (const key of keys) await press(key);
      return answer;
    };
    expect(await fill("old\r", "\r", "36\r", "y")).toEqual({ action: "accept", content: { age: 36 } });
    expect(await fill("36\r", "n")).toEqual({ action: "decline" });
    expect(await fill("\u0003")).toEqual({ action: "decline" });
    expect(await screen.screen()).toMatch(
      /In years\.\nAge: old\n +"age" must be a whole number.*\nAge: \n +an answer is needed\nAge: 36/,
    );
  },
);

verifies(
  "repl:approve",
  "a plan is carried out in one of two modes, or goes back with a message",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage, press } = screen;
    const decide = async (...keys: string[]): Promise<unknown> => {
      const plan = "# Steps\n\n1. **One**";
      const answer = approvePlan(dialogs, stage, {
        plan,
        path: "/p/plan.md",
        signal: new AbortController().signal,
      });
      for (const key of keys) await press(key);
      return answer;
    };
    expect(await decide("y")).toEqual({ approved: true, mode: "default" });
    expect(await decide("e")).toEqual({ approved: true, mode: "acceptEdits" });
    expect(await decide("n", "Smaller steps.\r")).toEqual({ approved: false, message: "Smaller steps." });
    expect(await screen.screen()).toContain("Plan (/p/plan.md):\nSteps\n\n1. One\n");
  },
);

verifies(
  "repl:untrusted",
  "a long title of a field, with a line break in it, leaves room for the answer",
  async () => {
    using screen = await openDialogScreen();
    const { dialogs, stage, press } = screen;
    const user = askUser({ dialogs, stage, running: () => [], openBrowser: async () => true });
    const title = `First\nSend it? yes ${"long ".repeat(30)}`;
    const answer = user.fillForm({ message: "", schema: { properties: { a: { type: "string", title } } } });
    await press("typed");
    expect(await screen.screen()).toMatch(/\nFirst\\x0aSend it\? yes long long .*\n(?:.*\n)+> typed$/);
    await press("\r");
    await press("y");
    expect(await answer).toEqual({ action: "accept", content: { a: "typed" } });
  },
);
