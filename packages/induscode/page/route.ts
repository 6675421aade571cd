import { computed, signal } from "@preact/signals";

/** What the fragment of the address names: `#/servers/notes/log?q=x`. */
export interface Route {
  readonly view: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const fragment = signal(location.hash);
addEventListener("hashchange", () => (fragment.value = location.hash));

export const route = computed<Route>(() => {
  const [path = "", query = ""] = fragment.value.replace(/^#\/?/, "").split("?");
  const [view = "", ...parts] = path.split("/").map(decoded);
  return { view: view === "" ? "overview" : view, parts, query: new URLSearchParams(query) };
});

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a view. */
export function linkTo(
  view: string,
  parts: readonly string[] = [],
  query: { readonly [name: string]: string | undefined } = {},
): string {
  const path = [view, ...parts].map(encodeURIComponent).join("/");
  const members = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return `#/${path}${members.length > 0 ? `?${new URLSearchParams(members)}` : ""}`;
}

export function goTo(...place: Parameters<typeof linkTo>): void {
  location.hash = linkTo(...place);
}

/** Changes the query of the current view without a step in the history. */
export function replaceQuery(query: { readonly [name: string]: string | undefined }): void {
  const { view, parts } = route.value;
  history.replaceState(null, "", linkTo(view, parts, query));
  fragment.value = location.hash;
}
