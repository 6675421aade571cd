import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { backgroundUser, leave, said } from "../bin/background-user.ts";
import { scriptedRow } from "../bin/run-indus.ts";
import { isBrowserRun, openBrowser, violations } from "./browser.ts";

verifies(
  "browser:folders",
  "the console of the background gateway waits for a client, shows its folder, changes to another, and says when a folder's last client has left",
  async () => {
    await using user = await backgroundUser();
    await user.rows({ s: scriptedRow() });
    const [one, two] = [await user.folder("one"), await user.folder("two")];
    await user.indus(["up"]);
    const { out } = await user.indus(["console", "--print"], { cwd: one });
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 } })).newPage();
      await page.goto(out.trim());
      await page.getByRole("heading", { level: 1, name: "No client is attached yet" }).waitFor();
      await page.getByText("indus connect", { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);

      const first = await user.client("a", one);
      await first.result(first.request("tools/list"));
      await page.getByRole("heading", { level: 1, name: "The server works" }).waitFor({ timeout: 60_000 });
      expect(await page.getByText(one, { exact: true }).count()).toBe(1);
      const second = await user.client("b", two);
      await second.result(second.request("tools/list"));
      const choice = page.getByLabel("Folder");
      await choice.waitFor();
      expect(await choice.locator("option").allInnerTexts()).toEqual([
        `${one} (1 client)`,
        `${two} (1 client)`,
      ]);

      expect(await violations(page)).toEqual([]);
      await choice.selectOption({ label: `${two} (1 client)` });
      await page.evaluate("location.hash = '#/calls'");
      await page.getByText("live", { exact: true }).waitFor();
      await said(first, "s__calls");
      await said(second, "s__echo", { text: "here" });
      await page.getByRole("row", { name: /s__echo/ }).waitFor();
      expect(await page.getByRole("row", { name: /s__calls/ }).count()).toBe(0);

      // Kept over a reload; when its client leaves, what was seen stays and says so, until one comes back.
      await page.reload();
      await page.getByRole("row", { name: /s__echo/ }).waitFor();
      await leave(second);
      await page
        .getByRole("alert")
        .getByText(/The last client of this folder left/)
        .waitFor();
      expect(await page.getByRole("row", { name: /s__echo/ }).count()).toBe(1);
      const back = await user.client("c", two);
      await page.getByText("live", { exact: true }).waitFor({ timeout: 60_000 });
      await said(back, "s__meta");
      await page.getByRole("row", { name: /s__meta/ }).waitFor();
      await leave(back);
      await leave(first);
    } finally {
      await browser.close();
    }
  },
  { when: isBrowserRun, timeoutMs: 180_000 },
);
