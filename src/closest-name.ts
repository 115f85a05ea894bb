function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, character] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The name that is meant by a mistyped word; null where none is at most two letters away. */
export function closestName(word: string, names: readonly string[]): string | null {
  const near = names.map((name) => ({ name, away: distance(word.slice(0, 40), name) })).filter(({ away }) => away <= 2);
  return near.sort((left, right) => left.away - right.away)[0]?.name ?? null;
}
