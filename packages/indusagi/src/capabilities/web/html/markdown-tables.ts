/** The part of a DOM node that the Markdown rules use. */
export interface MarkupNode {
  readonly nodeName: string;
  readonly parentNode: MarkupNode | null;
  readonly firstChild: MarkupNode | null;
  readonly nextSibling: MarkupNode | null;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelector(selectors: string): MarkupNode | null | undefined;
}

/** How elements with these tags become Markdown. */
export interface MarkdownRule {
  readonly tags: readonly string[];
  readonly replace: (content: string, node: MarkupNode) => string;
}

interface TableShape {
  /** The table is used for layout, not for data: its cells become paragraphs. */
  readonly isLayout: boolean;
  readonly firstRow: MarkupNode | undefined;
}

/**
 * Rules for one conversion: data tables become pipe tables, cells of layout tables become paragraphs.
 * Part of a worker's text: it must not use anything from outside its own braces.
 */
export function markdownTables(): ReadonlyMap<string, MarkdownRule> {
  const shapes = new WeakMap<MarkupNode, TableShape>();
  const shapeOf = (node: MarkupNode): TableShape => {
    const table = enclosingTable(node);
    if (!table) return { isLayout: true, firstRow: undefined };
    const shape = shapes.get(table) ?? measure(table);
    shapes.set(table, shape);
    return shape;
  };

  function measure(table: MarkupNode): TableShape {
    const rows = childrenOf(table)
      .flatMap((child) => (child.nodeName === "TBODY" ? childrenOf(child) : [child]))
      .filter((child) => child.nodeName === "TR");
    const hasColumns = rows.some((row) => childrenOf(row).filter(isCell).length > 1);
    const holdsBlocks = Boolean(table.querySelector("table, pre, blockquote, h1, h2, h3, h4, h5, h6"));
    return { isLayout: !hasColumns || holdsBlocks, firstRow: rows[0] };
  }

  function enclosingTable(node: MarkupNode): MarkupNode | undefined {
    let at: MarkupNode | null = node;
    while (at && at.nodeName !== "TABLE") at = at.parentNode;
    return at ?? undefined;
  }

  /** Follows siblings, because indexing lists of children is slow. */
  function childrenOf(node: MarkupNode): readonly MarkupNode[] {
    const children: MarkupNode[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
    return children;
  }

  function isCell(node: MarkupNode): boolean {
    return node.nodeName === "TD" || node.nodeName === "TH";
  }

  function oneCell(content: string): string {
    return content.replaceAll(/\s+/g, " ").trim().replaceAll("|", "\\|");
  }

  return new Map<string, MarkdownRule>([
    [
      "tableCell",
      {
        tags: ["td", "th"],
        replace: (content, node) =>
          shapeOf(node).isLayout ? `\n\n${content}\n\n` : ` ${oneCell(content)} |`,
      },
    ],
    [
      "tableRow",
      {
        tags: ["tr"],
        replace: (content, node) => {
          const { isLayout, firstRow } = shapeOf(node);
          if (isLayout) return content;
          const cells = childrenOf(node).filter(isCell).length;
          const rule = node === firstRow ? `\n|${" --- |".repeat(cells)}` : "";
          return `|${content}${rule}\n`;
        },
      },
    ],
    ["tableBody", { tags: ["tbody"], replace: (content) => content }],
    ["table", { tags: ["table"], replace: (content) => `\n\n${content}\n\n` }],
  ]);
}
