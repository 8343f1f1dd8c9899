/**
 * Returns the lines of a table as kubectl prints it: the cells are padded with spaces, `gap` of
 * them between two columns.
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
