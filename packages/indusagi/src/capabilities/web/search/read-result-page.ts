import { type Attributes, type HtmlListener, scanHtml } from "../html/scan-html.ts";
import type { SearchHit } from "./search-provider.ts";

/** A page of DuckDuckGo. */
export interface ResultPage {
  readonly hits: readonly SearchHit[];
  /** The page states that nothing was found. */
  readonly isEmpty: boolean;
  /** The page is a CAPTCHA. */
  readonly isChallenge: boolean;
}

/** Finds results by the class names of both script-free pages of DuckDuckGo (`html` and `lite`). */
export async function readResultPage(html: string): Promise<ResultPage> {
  const hits: { title: string; url: string; snippet: string }[] = [];
  let isEmpty = false;
  let isChallenge = false;
  /** What the current text belongs to, and which closing tag ends it. */
  let reading: "title" | "snippet" | undefined;
  let endsWith = "";

  const open = (name: string, attributes: Attributes): void => {
    const classes = (attributes.get("class") ?? "").split(/\s+/);
    const has = (wanted: ReadonlySet<string>): boolean => classes.some((each) => wanted.has(each));
    isEmpty ||= has(NONE);
    isChallenge ||= has(CHALLENGE) || CHALLENGE.has(attributes.get("id") ?? "");
    if (name === "a" && has(TITLE)) {
      hits.push({ title: "", url: unwrapRedirect(attributes.get("href") ?? ""), snippet: "" });
      reading = "title";
      endsWith = name;
    } else if (has(SNIPPET)) {
      reading = "snippet";
      endsWith = name;
    }
  };
  const listener: HtmlListener = {
    open,
    close: (name) => {
      if (name === endsWith) reading = undefined;
    },
    text: (data) => {
      const hit = hits.at(-1);
      if (hit && reading) hit[reading] += data;
    },
  };
  await scanHtml(html, listener);
  return { hits: hits.filter((hit) => !isAdvertisement(hit.url)), isEmpty, isChallenge };
}

/** The target of a result: DuckDuckGo wraps it as `//duckduckgo.com/l/?uddg=<encoded>`. Other links stay. */
export function unwrapRedirect(href: string): string {
  if (!URL.canParse(href, "https://duckduckgo.com/")) return href;
  const url = new URL(href, "https://duckduckgo.com/");
  const target = isDuckDuckGo(url) && url.pathname.startsWith("/l/") ? url.searchParams.get("uddg") : null;
  return target ?? url.href;
}

function isAdvertisement(url: string): boolean {
  return URL.canParse(url) && isDuckDuckGo(new URL(url)) && new URL(url).pathname === "/y.js";
}

function isDuckDuckGo(url: URL): boolean {
  return url.hostname === "duckduckgo.com" || url.hostname.endsWith(".duckduckgo.com");
}

const TITLE: ReadonlySet<string> = new Set(["result__a", "result-link"]);
const SNIPPET: ReadonlySet<string> = new Set(["result__snippet", "result-snippet"]);
const NONE: ReadonlySet<string> = new Set(["no-results", "result--no-result"]);
const CHALLENGE: ReadonlySet<string> = new Set([
  "anomaly-modal",
  "anomaly-modal__title",
  "challenge-form",
  "challenge-submit",
]);
