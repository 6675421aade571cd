import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { commonWordShare, measureContext, recallOf } from "../../context/measure.ts";
import { contextPage, targetsOf } from "../../context/page.ts";
import { thousandTools } from "../../packages/indusagi/test/runtime/economy/catalogue.ts";
import { readDocument } from "../kit/documents.ts";

verifies("economy:page", "recall counts the rank of the first right tool", () => {
  const tools = thousandTools().slice(0, 12);
  const names = tools.map(({ origin }) => `${origin?.server}/${origin?.tool}`);
  const index = { search: () => tools.slice(0, 10) };
  const ranks = [0, 0, 4, 5, 9, 10, 11].map((rank) => ({
    task: `rank ${rank}`,
    tools: ["x/y", names[rank] ?? ""],
  }));
  const { missed, ...shares } = recallOf(index, ranks);
  expect(shares).toEqual({ tasks: 7, at1: 2 / 7, at5: 3 / 7, at10: 5 / 7, named: 5 / 7 });
  expect(missed.map(({ task }) => task)).toEqual(["rank 10", "rank 11"]);
});

verifies(
  "economy:page",
  "a sentence without a word of its tools is counted as one that no index finds",
  async () => {
    const tools = ["fjord/share_photo"];
    const share = await commonWordShare(thousandTools(), [
      { task: "Share this with Anna", tools },
      { task: "Send the picture to Anna", tools },
      { task: "Put it on fjord", tools },
      { task: "Let Anna see it", tools },
    ]);
    expect(share).toBe(0.5);
  },
);

verifies("economy:page", "the page shows every mode, every set and what was missed", async () => {
  const set = {
    en: [
      { task: "Draw a pie of our spending by department", tools: ["acme/none"] },
      { task: "Share the photo with fjord", tools: ["fjord/share_photo"] },
    ],
    de: [{ task: "Teile das Foto", tools: ["fjord/share_photo"] }],
  };
  const measured = await measureContext(thousandTools(), set);
  const page = contextPage(measured, "today");
  expect(targetsOf(measured).map(({ isMet }) => isMet)).toEqual([true, false, false]);
  expect(page).toMatch(
    /\| 1,000 \| all \| 1,000 \| \d\d+,\d{3} \|\n\| 1,000 \| search \| \d+ \| (1,)?\d{3} \|/,
  );
  expect(page).toContain("| German | 1 |");
  expect(page).toContain("- Draw a pie of our spending by department (`acme/none`)");
});

verifies("economy:page", "the page in the repository comes from a run on at least 1,000 tools", () => {
  const page = readDocument("docs/context.md");
  const [, tools = "0"] = /on the ([\d,]+) tools of the \d+ public servers/.exec(page) ?? [];
  expect(Number(tools.replaceAll(",", ""))).toBeGreaterThanOrEqual(1_000);
  expect(page.match(/^\| English, [^|]+\| \d+ \|( \d+ % \|){4}$/gm)).toHaveLength(2);
});
