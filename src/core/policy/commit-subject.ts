import { redact } from '../../lib/credentials.ts';
import { cutAtWord, pluralize } from '../../lib/format.ts';
import { describeMove, describeSet, describeUndoOf } from '../edits/describe-change.ts';
import type { LineRange } from '../edits/region.ts';
import { findHiddenCharacters } from '../edits/text/characters.ts';
import type { Person } from '../state/vote.ts';

/** One change in a commit message. */
export type CommitMessageEntry = {
  readonly proposalId: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Null for moves and for files that are not text. */
  readonly range: LineRange | null;
  /** The digest of the set that it is a member of, as committed; null for a single change. */
  readonly setDigest: string | null;
  /** People whose approvals counted, each once. */
  readonly approvedBy: readonly Person[];
  readonly path: string;
  /** The source of a move. */
  readonly from: string | null;
  /** The id of the undone change; null unless this change is an undo. */
  readonly undoes: string | null;
  /** The payload's one-line description, which contains the path. */
  readonly description: string;
  /** The model's reason or summary, where everybody who approved saw it on the page; else null. */
  readonly words: string | null;
};

export const MAX_SUBJECT_CHARACTERS = 72;

/** One line of at most 72 characters: the model's words that the approvers saw, else what was done to which files. */
export function buildSubject(changes: readonly CommitMessageEntry[]): string {
  return subjectOfWords(changes) ?? subjectOfPaths(changes);
}

/** The first words that are safe, and the number of the changes that have other ones; null where none are. */
function subjectOfWords(changes: readonly CommitMessageEntry[]): string | null {
  const wordsById = new Map(changes.map(({ proposalId, words }) => [proposalId, firstLine(words ?? '')]));
  const all = [...wordsById.values()];
  const first = all.find(isSafe);
  if (first === undefined) return null;
  const others = all.filter((words) => words !== first).length;
  const more = others === 0 ? '' : ` (+${pluralize(others, 'change')})`;
  const subject = `${cutAtWord(first, MAX_SUBJECT_CHARACTERS - more.length)}${more}`;
  return isSafe(subject) ? subject : null;
}

function firstLine(words: string): string {
  const [line = ''] = words.trim().split(/[\n\r\v\f\u0085\u2028\u2029]/u);
  return line
    .replace(/\s+/gu, ' ')
    .replace(/^[-*•>#/\s]+/u, '')
    .replace(/(?<!\.)\.\s*$/u, '');
}

/** What GitHub, git, CI or a reader of trailers would act on. */
const ACTED_ON = new RegExp(
  [
    String.raw`@[\p{L}\p{N}_-]|#\d|gh-\d|(?:ghsa|cve)-`,
    String.raw`(?<![\p{L}\p{N}])(?!(?:utf|sha|iso|rfc|es)-)[\p{L}\p{N}]{2,}-\d+(?![\p{L}\p{N}.])`,
    String.raw`://|\bwww\.|\]\(|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b`,
    String.raw`\[[^\]]*(?:skip|ci)[^\]]*\]|skip-checks|no_ci|^(?:fixup|squash|amend)!`,
    String.raw`^(?:countersign-[a-z-]*|[a-z-]+-by)\s*:`,
  ].join('|'),
  'iu',
);

/** Whether the words can stand in a commit message as they are: visible, without a secret, and only read by people. */
function isSafe(words: string): boolean {
  const isShown = /\p{L}/u.test(words) && findHiddenCharacters(words).length === 0;
  return isShown && words.length <= MAX_WORDS && !ACTED_ON.test(words) && redact(words) === words;
}

/** The patterns take long on longer ones, and the page shows no more. */
const MAX_WORDS = 600;

/** The name of the change with its paths, or else with the names of the files: the first that is safe and fits. */
function subjectOfPaths(changes: readonly CommitMessageEntry[]): string {
  const [first] = changes;
  const paths = [...new Set(changes.flatMap(pathsOfEntry))];
  const proposals = new Set(changes.map(({ proposalId }) => proposalId)).size;
  if (first === undefined || proposals > 1) {
    const files = new Set(changes.map(({ path }) => path)).size;
    return `Apply ${pluralize(proposals, 'change')} to ${pluralize(files, 'file')}`;
  }
  for (const show of [(path: string) => path, (path: string) => path.slice(path.lastIndexOf('/') + 1)]) {
    const isTold = new Set(paths.map(show)).size === paths.length;
    const subject = isTold && paths.map(show).every(isNameablePath) ? nameChange(first, changes, show) : null;
    if (subject !== null && subject.length <= MAX_SUBJECT_CHARACTERS) return subject;
  }
  return `Apply change ${first.proposalId}`;
}

export function pathsOfEntry({ path, from }: Pick<CommitMessageEntry, 'path' | 'from'>): readonly string[] {
  return from === null ? [path] : [path, from];
}

/** One path of a move can contain the other, so its description is made again instead of edited. */
function nameChange(
  { path, from, undoes, description }: CommitMessageEntry,
  members: readonly CommitMessageEntry[],
  show: (path: string) => string,
): string {
  if (members.length === 1 && from === null) return description.split(path).join(show(path));
  const name = members.length > 1 || from === null ? describeSet(members, show) : describeMove(show(from), show(path));
  return undoes === null ? name : describeUndoOf(undoes, name);
}

/** Paths of letters, marks, emoji, signs that mean nothing to GitHub or CI, and single spaces. */
const SAFE_PATH = /^(?:[\p{L}\p{M}\p{N}_.\/\(\)\[\]+~%,='!\-]|\p{RGI_Emoji}|(?<=\S) (?=\S))+$/v;

const UNSAFE_PATH = /gh-\d|\[[^\]]*(?:skip|ci)[^\]]*\]|\]\(|[\p{L}\p{N}]{2,}-\d+(?![\p{L}\p{N}.])|skip-checks/iu;

/** Whether a path can stand in a commit message as it is. The patterns take 0.25 s on a long path of brackets. */
export function isNameablePath(path: string): boolean {
  const isShort = path.length <= MAX_SUBJECT_CHARACTERS;
  return isShort && SAFE_PATH.test(path) && !UNSAFE_PATH.test(path) && findHiddenCharacters(path).length === 0;
}
