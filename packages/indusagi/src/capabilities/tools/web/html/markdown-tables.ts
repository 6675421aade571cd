import type { MarkupNode } from "./markup-node.ts";

/** How the elements of one kind become Markdown. */
export interface MarkdownRule {
  readonly tags: readonly string[];
  replace(content: string, node: MarkupNode): string;
}

interface TableShape {
  /** The table arranges a page instead of showing data: its cells are read as paragraphs. */
  readonly isLayout: boolean;
  readonly firstRow: MarkupNode | undefined;
}

/** Rules for one conversion that turn tables of data into pipe tables and take tables of layout apart. */
export function markdownTables(): ReadonlyMap<string, MarkdownRule> {
  const shapes = new WeakMap<MarkupNode, TableShape>();
  const shapeOf = (node: MarkupNode): TableShape => {
    const table = enclosingTable(node);
    if (!table) return { isLayout: true, firstRow: undefined };
    const shape = shapes.get(table) ?? measure(table);
    shapes.set(table, shape);
    return shape;
  };
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

/** By sibling, not by index: lists of children are costly to index. */
function childrenOf(node: MarkupNode): readonly MarkupNode[] {
  const children: MarkupNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

const isCell = (node: MarkupNode): boolean => node.nodeName === "TD" || node.nodeName === "TH";

function oneCell(content: string): string {
  return content.replaceAll(/\s+/g, " ").trim().replaceAll("|", "\\|");
}
