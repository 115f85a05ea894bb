import type { Difference, TreeFile } from '../policy/as-approved.ts';
import { sha7 } from './words.ts';

const PATH_CAP = 80;
const SHOWN_AT_MOST = 3;

/** What was approved and what a commit holds instead, as far as that is known, as a phrase of plain text without a full stop. */
export function differenceWords(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'something else stands than was approved';
  const shown = differences.slice(0, SHOWN_AT_MOST).map(differenceText);
  const left = differences.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function differenceText({ path, approved, stands }: Difference): string {
  return `at ${shortPath(path)} ${fileWords(approved)} was approved, and ${fileWords(stands)} stands there`;
}

function fileWords(file: TreeFile | null): string {
  return file === null ? 'no file' : `blob ${sha7(file.blob)} with mode ${file.mode}`;
}

function shortPath(path: string): string {
  const letters = [...path];
  return letters.length <= PATH_CAP ? path : `…${letters.slice(-PATH_CAP).join('')}`;
}
