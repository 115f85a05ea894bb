import { showHidden } from '../change/hidden.ts';
import { bareLine, lineEnd, lineStart } from '../change/lines.ts';
import { findText } from '../change/occurrences.ts';
import { decodeText } from '../change/text.ts';
import { echo } from './echo.ts';

/** A line that holds the pattern; `line` is 1-based, `text` at most a few hundred letters of it. */
export type SearchHit = { readonly path: string; readonly line: number; readonly text: string };

/** What a search has found so far. `total` counts hits that are not kept, too. */
export type SearchFindings = { readonly hits: readonly SearchHit[]; readonly total: number; readonly files: number };

export const NOTHING_FOUND: SearchFindings = { hits: [], total: 0, files: 0 };

const MOST_HITS = 100;
const MOST_IN_LINE = 240;

/** Adds one file's hits: every line that holds the literal pattern. Files that are not text have none. */
export function searchFile(
  findings: SearchFindings,
  { path, bytes, pattern }: { readonly path: string; readonly bytes: Uint8Array; readonly pattern: string },
): SearchFindings {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return findings;
  const found = linesWith(decoded.text, pattern);
  if (found.length === 0) return findings;
  const room = MOST_HITS - findings.hits.length;
  const hits = found.slice(0, room).map(({ line, text }) => ({ path, line, text }));
  return { hits: [...findings.hits, ...hits], total: findings.total + found.length, files: findings.files + 1 };
}

/** The result of `search`: a line of ours, then `path:line: text`. */
export function searchResult(pattern: string, glob: string | null, findings: SearchFindings): string {
  const where = glob === null ? '' : ` in files matching ${echo(glob)}`;
  const what = echo(pattern);
  if (findings.total === 0)
    return `No line contains ${what}${where}. The pattern is literal text, upper and lower case differ.`;
  const lines = findings.total === 1 ? '1 line contains' : `${findings.total} lines contain`;
  const files = findings.files === 1 ? '1 file' : `${findings.files} files`;
  const more = findings.hits.length < findings.total ? `, showing the first ${findings.hits.length}` : '';
  const rows = findings.hits.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  return `${lines} ${what}${where} (${files}${more}):\n${rows.join('\n')}`;
}

function linesWith(text: string, pattern: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  let line = 1;
  let counted = 0;
  let end = 0;
  for (const offset of findText(text, pattern)) {
    if (offset < end) continue;
    for (let next = lineEnd(text, counted); next <= offset && next > counted; next = lineEnd(text, counted)) {
      line += 1;
      counted = next;
    }
    end = lineEnd(text, offset);
    found.push({ line, text: excerpt(text.slice(lineStart(text, offset), end), offset - counted) });
  }
  return found;
}

/** A line around a hit, cut where it is longer than can be read. */
function excerpt(line: string, at: number): string {
  const bare = bareLine(line);
  if (bare.length <= MOST_IN_LINE) return showHidden(bare);
  const from = Math.max(0, Math.min(at - MOST_IN_LINE / 3, bare.length - MOST_IN_LINE));
  const shown = bare.slice(from, from + MOST_IN_LINE);
  return `${from > 0 ? '…' : ''}${showHidden(shown)}${from + MOST_IN_LINE < bare.length ? '…' : ''}`;
}
