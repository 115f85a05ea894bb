/** The hidden first lines of what the App writes: to find its own comments again, never a source of state. */
export function proposalMarker(id: string): string {
  return `<!-- countersign:proposal:${id} -->`;
}

/**
 * First line of a comment in which the diff of a proposal goes on: part 2 of 4. The proposal's own comment is part 1.
 */
export function partMarker(id: string, part: number, parts: number): string {
  return `<!-- countersign:part:${id}:${part}/${parts} -->`;
}

/** First line of the comment that tells how a run stands. */
export function runMarker(runId: string): string {
  return `<!-- countersign:run:${runId} -->`;
}

/** First line of a review's own body. */
export function turnMarker(runId: string, turn: number | null): string {
  return `<!-- countersign:turn:${runId}:${turn ?? 0} -->`;
}

/** First line of every answer. It also keeps the App's own words from being read as a command. */
export const REPLY_MARKER = '<!-- countersign:reply -->';

const MARKER = /^<!--\s*countersign:[^<>]*-->$/i;

/**
 * Takes markers out until none is left, those too that only the removal of others joins together. One pass: a marker
 * lies between a `<` and the `>` that follows it with neither in between, so what stands open is kept until its `>`.
 */
export function stripMarkers(text: string): string {
  const kept = [''];
  for (const piece of text.split(/(?=<)|(?<=>)/)) {
    const last = piece.startsWith('<') ? piece : `${kept.pop() ?? ''}${piece}`;
    if (!piece.endsWith('>')) kept.push(last);
    else if (!MARKER.test(last)) kept.push(last, '');
  }
  return kept.join('');
}
