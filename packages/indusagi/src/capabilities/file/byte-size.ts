const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size for people: `812 bytes`, `1.4 MB`. */
export function byteSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return unit === 0 ? `${bytes} ${bytes === 1 ? "byte" : "bytes"}` : `${size.toFixed(1)} ${UNITS[unit]}`;
}
