import type { JSX } from "preact";

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly href: string;
  readonly count?: number | undefined;
}

/** Parts of a view as links: each has an address. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, title, href, count }) => (
        <a key={id} href={href} aria-current={id === current ? "page" : undefined}>
          {title}
          {count !== undefined && <span class="tally">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
