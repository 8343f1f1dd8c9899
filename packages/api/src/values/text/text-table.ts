/**
 * Returns the lines of a table in kubectl's format: the cells are padded with spaces, with `gap`
 * spaces between two columns.
 */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { gap = 3 }: { gap?: number } = {},
): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + gap))
      .join("")
      .trimEnd(),
  );
}
