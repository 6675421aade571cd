import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isRoot, type TempDir } from "@indus/testkit";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { runIndus } from "../bin/run-indus.ts";
import { type ServingGateway, serveRows } from "../gateway/serving-gateway.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = [process.env["INDUS_CHROMIUM"] ?? "", ...PLACES].find(
  (path) => path !== "" && existsSync(path),
);

/** Whether this machine has a Chromium. Without one, tests of the page say that they are skipped. */
export const hasBrowser: boolean = program !== undefined;
/** Whether this is `npm run test:browser`, which runs all journeys and attacks. */
export const isBrowserRun: boolean = hasBrowser && process.env["INDUS_BROWSER"] === "all";

/** A Chromium without a window. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: program ?? "", args: isRoot ? ["--no-sandbox"] : [] });
}

/** A gateway, a browser, and a page of the console in it. */
export interface OpenConsole extends AsyncDisposable {
  readonly gateway: ServingGateway;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The address of the page, without a link. */
  readonly address: string;
  /** What the page reported so far: uncaught errors, refused loads, `console.error`. */
  readonly complaints: readonly string[];
  /** A new link for one use. */
  link(): Promise<string>;
  /** Goes to a view by its fragment, such as `servers/notes/log`. */
  show(view: string): Promise<void>;
  /** Runs the command in the same folder and state. */
  run(...args: string[]): ReturnType<typeof runIndus>;
}

export interface ConsoleOptions {
  readonly rows: { readonly [id: string]: object };
  readonly args?: readonly string[];
  readonly context?: BrowserContextOptions;
  /** Use this browser, and leave it open. */
  readonly browser?: Browser;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a gateway and opens its console by a link, as `indus console` does. */
export async function openConsole(dir: TempDir, options: ConsoleOptions): Promise<OpenConsole> {
  const env = {
    HOME: dir.at("home"),
    XDG_STATE_HOME: dir.at("state"),
    XDG_CONFIG_HOME: dir.at("config"),
    ...options.env,
  };
  const serving = serveRows(dir, {
    name: "servers",
    rows: options.rows,
    env,
    ...(options.args ? { args: options.args } : {}),
  });
  const [gateway, browser] = await Promise.all([serving, options.browser ?? openBrowser()]);
  const context = await browser.newContext(options.context ?? { viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  listen(page, complaints);
  const run: OpenConsole["run"] = (...args) => runIndus(args, { cwd: dir.path, env });
  const link = async (): Promise<string> => {
    const { out, err } = await run("console", "--print");
    const made = /^http\S+/m.exec(out)?.[0];
    if (made === undefined) throw new Error(`indus console printed no link: ${out}${err}`);
    return made;
  };
  const first = await link();
  await page.goto(first);
  await page.locator("main h1").first().waitFor();
  return {
    gateway,
    browser,
    context,
    page,
    address: new URL("/", first).href,
    complaints,
    link,
    run,
    show: async (view) => {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
      await page.locator("main h1").first().waitFor();
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      if (!options.browser) await browser.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

function listen(page: Page, complaints: string[]): void {
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A request that fails while the gateway is away is no fault of the page.
    const isExpected = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isExpected) complaints.push(message.text());
  });
}

let axe: string | undefined;

/** What axe-core finds wrong with a page by WCAG 2.2 AA. */
export async function violations(page: Page): Promise<readonly string[]> {
  axe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return page.evaluate(`(async () => {
    if (!globalThis.axe) { ${axe} }
    const { violations } = await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary.split("\\n").slice(1, 3).join(" ")));
  })()`);
}
