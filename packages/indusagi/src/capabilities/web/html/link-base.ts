/** Makes the links of a page absolute. */
export interface LinkBase {
  /** The absolute URL of a link; undefined for links that are not useful (scripts, inline data, this page itself). */
  resolve(href: string | undefined): string | undefined;
  /** Sets the base from the page's `<base>`; only the first one counts. */
  rebase(href: string | undefined): void;
}

/** A longer link carries data, and a long base would be repeated in every link. */
const MAX_LINK_LENGTH = 2000;

export function createLinkBase(pageUrl: string): LinkBase {
  let base = pageUrl;
  let isRebased = false;

  const resolve = (href: string | undefined): string | undefined => {
    const link = href?.trim() ?? "";
    if (link === "" || link.startsWith("#") || link.length > MAX_LINK_LENGTH) return undefined;
    // `canParse` first, to avoid an exception for each invalid link.
    if (!URL.canParse(link, base)) return undefined;
    const url = new URL(link, base);
    return KEPT_SCHEMES.has(url.protocol) && url.href.length <= MAX_LINK_LENGTH ? url.href : undefined;
  };
  return {
    resolve,
    rebase(href) {
      if (isRebased) return;
      const next = resolve(href);
      if (next === undefined) return;
      base = next;
      isRebased = true;
    },
  };
}

const KEPT_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
