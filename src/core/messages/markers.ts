/**
 * Hidden first line of a proposal's comment. Markers only help the App to find its own comments; they are never a
 * source of state.
 */
export function proposalMarker(id: string): string {
  return `<!-- countersign:proposal:${id} -->`;
}

/** First line of a comment with a later part of a proposal's diff. The proposal's own comment is part 1. */
export function partMarker(id: string, part: number, parts: number): string {
  return `<!-- countersign:part:${id}:${part}/${parts} -->`;
}

/** First line of a run's comment. */
export function runMarker(runId: string): string {
  return `<!-- countersign:run:${runId} -->`;
}

/** First line of a review's own body. */
export function turnMarker(runId: string, turn: number | null): string {
  return `<!-- countersign:turn:${runId}:${turn ?? 0} -->`;
}

/** First line of every reply. A comment that starts with an HTML comment is never read as a command. */
export const REPLY_MARKER = '<!-- countersign:reply -->';

const MARKER = /^<!--\s*countersign:[^<>]*-->$/i;

/**
 * Removes all markers, including those that only appear once another one is removed. One pass is enough: a marker has
 * no `<` or `>` inside, so the text after the last `<` is kept pending until its `>`.
 */
export function stripMarkers(text: string): string {
  const keptPieces = [''];
  for (const piece of text.split(/(?=<)|(?<=>)/)) {
    const last = piece.startsWith('<') ? piece : `${keptPieces.pop() ?? ''}${piece}`;
    if (!piece.endsWith('>')) keptPieces.push(last);
    else if (!MARKER.test(last)) keptPieces.push(last, '');
  }
  return keptPieces.join('');
}
