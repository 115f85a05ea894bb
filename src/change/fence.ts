/** A code fence that no run of backticks inside the text can close: one longer than the longest, at least three. */
export function fenceFor(text: string): string {
  let ticks = '```';
  for (let at = text.indexOf(ticks); at !== -1; at = text.indexOf(ticks, at)) {
    const start = at;
    while (text.startsWith('`', at)) at += 1;
    ticks = '`'.repeat(at - start + 1);
  }
  return ticks;
}
