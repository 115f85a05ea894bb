import { showHidden } from '../change/hidden.ts';
import { MOST_FILE_BYTES } from '../change/limits.ts';
import { bareLine, lineEnd } from '../change/lines.ts';
import { STOP, searchText } from '../change/occurrences.ts';
import { decodeText } from '../change/text.ts';
import { echo } from './echo.ts';
import { oneLine } from './one-line.ts';
import { type Unsearched, unsearchedLines, type WhyUnsearched, withUnsearched } from './unsearched.ts';

/** A line that holds the pattern; `line` is 1-based, `text` at most a few hundred letters of it. */
export type SearchHit = { readonly path: string; readonly line: number; readonly text: string };

/** What a search has found so far. `total` counts lines that are not kept, too; there may be more where `counted` is false. */
export type SearchFindings = {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly counted: boolean;
  readonly files: number;
  readonly unsearched: Unsearched;
};

export const NOTHING_FOUND: SearchFindings = { hits: [], total: 0, counted: true, files: 0, unsearched: {} };

const MOST_HITS = 100;
/** Lines of one file beyond which they are not counted: looking for millions of them would keep everything else waiting. */
const MOST_COUNTED = 10_000;
const MOST_IN_LINE = 240;

/** Adds one file's hits: every line that holds the literal pattern. What is not text, or too large to be read, is left out. */
export function searchFile(
  findings: SearchFindings,
  { path, bytes, pattern }: { readonly path: string; readonly bytes: Uint8Array; readonly pattern: string },
): SearchFindings {
  if (bytes.length > MOST_FILE_BYTES) return leaveOut(findings, path, 'too-large');
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return leaveOut(findings, path, decoded.kind);
  const { lines, hits } = linesWith(decoded.text, pattern, MOST_HITS - findings.hits.length);
  if (lines === 0) return findings;
  return {
    ...findings,
    hits: [...findings.hits, ...hits.map((hit) => ({ path, ...hit }))],
    total: findings.total + lines,
    counted: findings.counted && lines < MOST_COUNTED,
    files: findings.files + 1,
  };
}

/** The same findings, which are not those of this file. */
export function leaveOut(findings: SearchFindings, path: string, why: WhyUnsearched): SearchFindings {
  return { ...findings, unsearched: withUnsearched(findings.unsearched, path, why) };
}

/** The result of `search`: a line of ours, then `path:line: text`, then what was not searched. */
export function searchResult(pattern: string, glob: string | null, findings: SearchFindings): string {
  return [foundWords(pattern, glob, findings), ...unsearchedLines(findings.unsearched)].join('\n');
}

function foundWords(pattern: string, glob: string | null, findings: SearchFindings): string {
  const where = glob === null ? '' : ` in files matching ${echo(glob)}`;
  const what = echo(pattern);
  if (findings.total === 0)
    return `No line contains ${what}${where}. The pattern is literal text, upper and lower case differ.`;
  const total = findings.counted ? `${findings.total}` : `${findings.total} or more`;
  const lines = total === '1' ? '1 line contains' : `${total} lines contain`;
  const files = findings.files === 1 ? '1 file' : `${findings.files} files`;
  const more = findings.hits.length < findings.total ? `, showing the first ${findings.hits.length}` : '';
  const rows = findings.hits.map(({ path, line, text }) => `${oneLine(path)}:${line}: ${text}`);
  return `${lines} ${what}${where} (${files}${more}):\n${rows.join('\n')}`;
}

type Found = { readonly lines: number; readonly hits: readonly Omit<SearchHit, 'path'>[] };

/** The lines that hold the pattern, as far as they are counted; the first of them with their text. */
function linesWith(text: string, pattern: string, room: number): Found {
  const hits: Omit<SearchHit, 'path'>[] = [];
  let [lines, line, start] = [0, 1, 0];
  searchText(text, pattern, (offset) => {
    lines += 1;
    const end = lineEnd(text, offset);
    if (hits.length < room) {
      for (let next = lineEnd(text, start); next <= offset; next = lineEnd(text, start)) {
        line += 1;
        start = next;
      }
      hits.push({ line, text: excerpt(text.slice(start, end), offset - start) });
    }
    return lines < MOST_COUNTED ? end : STOP;
  });
  return { lines, hits };
}

/** A line around a hit, cut where it is longer than can be read. */
function excerpt(line: string, at: number): string {
  const bare = bareLine(line);
  if (bare.length <= MOST_IN_LINE) return showHidden(bare);
  const from = Math.max(0, Math.min(at - MOST_IN_LINE / 3, bare.length - MOST_IN_LINE));
  const shown = bare.slice(from, from + MOST_IN_LINE);
  return `${from > 0 ? '…' : ''}${showHidden(shown)}${from + MOST_IN_LINE < bare.length ? '…' : ''}`;
}
