/** The little of a DOM node that the Markdown rules look at. */
export interface MarkupNode {
  readonly nodeName: string;
  readonly parentNode: MarkupNode | null;
  readonly firstChild: MarkupNode | null;
  readonly nextSibling: MarkupNode | null;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelector(selectors: string): MarkupNode | null | undefined;
}
