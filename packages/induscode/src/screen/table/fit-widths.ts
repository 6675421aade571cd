/** A column is not made narrower. */
const MIN_CHARS = 6;

/** The widths of columns, two apart, with the widest made narrower until they fit. */
export function fitWidths(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + 2 * (widths.length - 1);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_CHARS) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
