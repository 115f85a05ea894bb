/** A text without what GitHub hides as HTML comments; `removed` counts them. */
export type Uncommented = { readonly text: string; readonly removed: number };

type State =
  | { readonly in: 'text' }
  | { readonly in: 'comment' }
  | { readonly in: 'fence'; readonly mark: string; readonly length: number };

const OPENS_FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;
const TEXT: State = { in: 'text' };

/** Comments outside code are taken out. A scan by lines of our own: a Markdown parser may take minutes for hostile text. */
export function withoutComments(text: string): Uncommented {
  const lines = text.split('\n');
  const lastEnd = lines.findLastIndex((line) => line.includes('-->'));
  const kept: string[] = [];
  let removed = 0;
  let state: State = TEXT;
  for (const [index, line] of lines.entries()) {
    if (state.in === 'fence') {
      kept.push(line);
      state = closes(line, state.mark, state.length) ? TEXT : state;
      continue;
    }
    const fence = state.in === 'text' ? OPENS_FENCE.exec(line) : null;
    if (fence !== null) {
      const marks = fence[1] ?? fence[2] ?? '';
      state = { in: 'fence', mark: marks.charAt(0), length: marks.length };
      kept.push(line);
      continue;
    }
    const scanned = scanLine(line, state.in === 'comment', index < lastEnd);
    if (!scanned.swallowed) kept.push(scanned.text);
    removed += scanned.removed;
    state = scanned.open ? { in: 'comment' } : TEXT;
  }
  return { text: kept.join('\n'), removed };
}

function closes(line: string, mark: string, length: number): boolean {
  const bare = line.trim();
  return bare.length >= length && bare === mark.repeat(bare.length);
}

type Scanned = {
  readonly text: string;
  readonly removed: number;
  /** A comment goes on in the next line. */
  readonly open: boolean;
  /** The whole line lay inside a comment. */
  readonly swallowed: boolean;
};

/** One line outside fences; `endsLater` says whether some line below ends a comment. */
function scanLine(line: string, inComment: boolean, endsLater: boolean): Scanned {
  let at = 0;
  if (inComment) {
    const end = line.indexOf('-->');
    if (end === -1) return { text: '', removed: 0, open: true, swallowed: true };
    at = end + 3;
  }
  const skips = codeEnds(line);
  let text = '';
  let removed = 0;
  for (const { index } of line.matchAll(/`+|<!--/g)) {
    if (index < at) continue;
    if (line.charAt(index) === '`') {
      const next = skips.get(index) ?? index;
      text += line.slice(at, next);
      at = next;
      continue;
    }
    const end = line.indexOf('-->', index + 4);
    const hidesRest = endsLater || line.slice(0, index).trim() === '';
    if (end === -1 && !hidesRest) break;
    text += line.slice(at, index);
    removed += 1;
    if (end === -1) return { text, removed, open: true, swallowed: false };
    at = end + 3;
  }
  return { text: text + line.slice(at), removed, open: false, swallowed: false };
}

/** Where the inline code that begins at a run of backticks ends; a run without a partner is text. */
function codeEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const run of [...line.matchAll(/`+/g)].toReversed()) {
    const { length } = run[0];
    const partner = next.get(length);
    if (partner !== undefined) ends.set(run.index, partner + length);
    next.set(length, run.index);
  }
  return ends;
}
