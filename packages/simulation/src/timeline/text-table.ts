/** Columns padded with spaces, three between two, none at the end; as the tables of kubectl. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
      .join("")
      .trimEnd(),
  );
}
