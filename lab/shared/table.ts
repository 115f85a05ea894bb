/** The lines of a table: its first `leftCount` columns to the left, the others, figures, to the right. */
export function alignRows(rows: readonly (readonly string[])[], leftCount: number): readonly string[] {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const align = (cell: string, column: number): string =>
    column < leftCount ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column));
  return rows.map((row) => row.map(align).join('  ').trimEnd());
}
