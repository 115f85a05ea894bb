/** The hidden first lines of what the App writes: to find its own comments again, never a source of state. */
export function proposalMarker(id: string): string {
  return `<!-- countersign:proposal:${id} -->`;
}

/** First line of the comment that tells how a run stands. */
export function runMarker(runId: string): string {
  return `<!-- countersign:run:${runId} -->`;
}

/** First line of a review's own body. */
export function turnMarker(runId: string, turn: number): string {
  return `<!-- countersign:turn:${runId}:${turn} -->`;
}

/** First line of every answer. It also keeps the App's own words from being read as a command. */
export const REPLY_MARKER = '<!-- countersign:reply -->';

const MARKER = /<!--\s*countersign:[^<>]*-->/gi;

/** Takes markers out until none is left: what remains after one pass may join into another. */
export function stripMarkers(text: string): string {
  let before = text;
  for (;;) {
    const after = before.replace(MARKER, '');
    if (after === before) return after;
    before = after;
  }
}
