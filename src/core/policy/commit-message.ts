import { pluralize, type RepoLinks } from '../../lib/format.ts';
import { describeMove, describeSet, describeUndoOf, formatExtent } from '../edits/describe-change.ts';
import { formatRange, type LineRange } from '../edits/region.ts';
import { findHiddenCharacters } from '../edits/text/unicode.ts';
import type { Person } from '../state/vote.ts';
import { renderCommitText } from './commit-text.ts';

/** How a repository wants its commit messages. */
export type CommitStyle = {
  /** The text above the trailers, with `{summary}`, `{paths}` and `{ids}`. */
  readonly template: string;
  /** Whether the approvers are named in `Signed-off-by` too. */
  readonly signOff: boolean;
};

export const DEFAULT_COMMIT_STYLE: CommitStyle = { template: '{summary}', signOff: false };

/**
 * The text of the repository's template, then one block of trailers: a group per change, the co-authors, and the
 * sign-offs. It contains no text of the model or of a comment.
 */
export function renderCommitMessage(
  changes: readonly CommitMessageEntry[],
  links: RepoLinks,
  { template, signOff }: CommitStyle = DEFAULT_COMMIT_STYLE,
): string {
  const text = renderCommitText(template, {
    summary: buildSubject(changes),
    paths: changes.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])].filter(isNameablePath)),
    ids: changes.map(({ proposalId }) => proposalId),
  });
  const trailers = [
    ...changes.flatMap(buildTrailers),
    ...namePeople('Co-authored-by', changes, links),
    ...(signOff ? namePeople('Signed-off-by', changes, links) : []),
  ];
  return `${text}\n\n${trailers.join('\n')}\n`;
}

/** Whether a path can stand in a commit message as it is. Long ones are checked by their length first. */
function isNameablePath(path: string): boolean {
  return path.length <= MAX_SUBJECT_CHARACTERS && isSafePath(path) && !/[@#]/.test(path);
}

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
};

function buildSubject(changes: readonly CommitMessageEntry[]): string {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) return buildEntrySubject(only);
  const proposals = new Set(changes.map(({ proposalId }) => proposalId)).size;
  if (only !== undefined && proposals === 1) return buildSetSubject(only, changes);
  const files = new Set(changes.map((change) => change.path)).size;
  return `Apply ${pluralize(proposals, 'change')} to ${pluralize(files, 'file')}`;
}

/** The name of a set; with names of files where their paths are too long or unsafe, or with numbers alone. */
function buildSetSubject({ proposalId, undoes }: CommitMessageEntry, members: readonly CommitMessageEntry[]): string {
  const paths = members.map(({ path }) => path);
  const named = [(path: string) => path, fileName]
    .filter((show) => isNameable(paths, show))
    .map((show) => describeSet(paths, show));
  const subjects = [...named, `Change ${formatExtent(paths)}`].map((name) =>
    undoes === null ? name : describeUndoOf(undoes, name),
  );
  return subjects.find(({ length }) => length <= MAX_SUBJECT_CHARACTERS) ?? `Apply change ${proposalId}`;
}

/** Whether files can stand in a subject under these names, and are told apart by them. */
function isNameable(paths: readonly string[], show: (path: string) => string): boolean {
  const files = [...new Set(paths)];
  return new Set(files.map(show)).size === files.length && files.map(show).every(isNameablePath);
}

const MAX_SUBJECT_CHARACTERS = 72;

/** The description with its path shortened step by step until it is safe as a subject. */
function buildEntrySubject(change: CommitMessageEntry): string {
  for (const shorten of [(path: string) => path, fileName]) {
    const paths = [shorten(change.path), ...(change.from === null ? [] : [shorten(change.from)])];
    const subject = shortenDescription(change, shorten);
    // Check the length first: the patterns below take 0.25 s on a long path of brackets.
    if (subject.length > MAX_SUBJECT_CHARACTERS) continue;
    const isPlain = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(subject) && !/[@#]/.test(subject);
    if (paths.every(isSafePath) && isPlain) return subject;
  }
  return `Apply change ${change.proposalId}`;
}

/** Paths that are safe in a subject: GitHub and CI must not read a mention, a reference or a directive into them. */
const SAFE_PATH = /^[\p{L}\p{N}_./()[\]+~%,=-]+$/u;

const UNSAFE_PATH = /gh-\d|\[[^\]]*(?:skip|ci)[^\]]*\]|\]\(|[\p{L}\p{N}]{2,}-\d+(?![\p{L}\p{N}.])|skip-checks/iu;

function isSafePath(path: string): boolean {
  return SAFE_PATH.test(path) && !UNSAFE_PATH.test(path) && findHiddenCharacters(path).length === 0;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** One path of a move can contain the other, so its description is rebuilt instead of edited. */
function shortenDescription(
  { path, from, undoes, description }: CommitMessageEntry,
  shorten: (path: string) => string,
): string {
  if (from === null) return description.split(path).join(shorten(path));
  const move = describeMove(shorten(from), shorten(path));
  return undoes === null ? move : describeUndoOf(undoes, move);
}

function buildTrailers(change: CommitMessageEntry): readonly string[] {
  return [
    `Countersign-Proposal: ${change.proposalId}`,
    `Countersign-Digest: sha256:${change.digest}`,
    ...(change.range === null ? [] : [`Countersign-Range: ${formatRange(change.range)}`]),
    ...(change.setDigest === null ? [] : [`Countersign-Set: sha256:${change.setDigest}`]),
    ...new Set(change.approvedBy.map((person) => `Approved-by: ${sanitizeLogin(person)}`)),
  ];
}

/** Everybody whose approval counted, once, with the address that GitHub gives to the account. */
function namePeople(
  trailer: 'Co-authored-by' | 'Signed-off-by',
  changes: readonly CommitMessageEntry[],
  links: RepoLinks,
): readonly string[] {
  const domain = noreplyDomain(links);
  const people = new Map(changes.flatMap((change) => change.approvedBy.map((person) => [person.id, person] as const)));
  return [...people.values()].map((person) => {
    const name = sanitizeLogin(person);
    return `${trailer}: ${name} <${person.id}+${name}@${domain}>`;
  });
}

function noreplyDomain({ repository }: RepoLinks): string {
  return `users.noreply.${addressDomain(new URL(repository).hostname)}`;
}

/** The domain in the addresses that a GitHub server gives to commits. All subdomains of `ghe.com` share one. */
export function addressDomain(host: string): string {
  return host.endsWith('.ghe.com') ? 'ghe.com' : host;
}

/** GitHub's logins have no other characters. Anything else could inject a line. */
function sanitizeLogin(person: Person): string {
  return person.login.replace(/[^A-Za-z0-9_-]/g, '');
}

/** The groups with a valid id and digest. */
export function findChangeTrailers(message: string): readonly ChangeTrailer[] {
  return parseTrailerGroups(message).flatMap(({ proposalId, digest, range }) =>
    proposalId === null || digest === null ? [] : [{ proposalId, digest, range }],
  );
}

/** The trailers of one change. */
type ChangeTrailer = { readonly proposalId: string; readonly digest: string; readonly range: LineRange | null };

/** All groups of our trailers anywhere in a message, in order. Each begins with its id. */
export function parseTrailerGroups(message: string): readonly TrailerGroup[] {
  const groups: TrailerValues[] = [];
  for (const line of message.split('\n')) {
    const [, name = '', value = ''] = TRAILER.exec(line.trimEnd()) ?? [];
    if (name === 'Countersign-Proposal') groups.push(new Map());
    const group = groups.at(-1);
    if (name === '' || group === undefined) continue;
    const values = group.get(name) ?? [];
    values.push(value);
    group.set(name, values);
  }
  return groups.map(toTrailerGroup);
}

/** One group of trailers in a message, complete or not. A missing or malformed value is null. */
export type TrailerGroup = {
  readonly proposalId: string | null;
  readonly digest: string | null;
  readonly range: LineRange | null;
  /** The digest of the set that it is a member of. */
  readonly setDigest: string | null;
  /** Logins, each once. */
  readonly approvedBy: readonly string[];
  /** Why the App cannot have written the message; null if it can. */
  readonly problem: string | null;
};

/** Lines are trimmed before: a pattern for trailing spaces would take quadratic time. */
const TRAILER = /^(Countersign-Proposal|Countersign-Digest|Countersign-Range|Countersign-Set|Approved-by): *(\S.*)$/s;

const PROPOSAL_VALUE = /^[a-z0-9]{4,6}$/;

const DIGEST_VALUE = /^sha256:([0-9a-f]{64})$/;

const LOGIN_VALUE = /^[A-Za-z0-9_-]+$/;

const RANGE_VALUE = /^(\d{1,9}),(\d{1,9}) (\d{1,9}),(\d{1,9})$/;

type TrailerValues = Map<string, string[]>;

function toTrailerGroup(values: TrailerValues): TrailerGroup {
  const [id = ''] = values.get('Countersign-Proposal') ?? [];
  return {
    proposalId: PROPOSAL_VALUE.test(id) ? id : null,
    digest: DIGEST_VALUE.exec(values.get('Countersign-Digest')?.[0] ?? '')?.[1] ?? null,
    setDigest: DIGEST_VALUE.exec(values.get('Countersign-Set')?.[0] ?? '')?.[1] ?? null,
    range: parseTrailerRange(values.get('Countersign-Range')?.[0] ?? ''),
    approvedBy: [...new Set(values.get('Approved-by'))],
    problem: findTrailerProblem(values),
  };
}

function findTrailerProblem(values: TrailerValues): string | null {
  const valuesOf = (name: string): readonly string[] => values.get(name) ?? [];
  const ranges = valuesOf('Countersign-Range');
  const sets = valuesOf('Countersign-Set');
  const problems: readonly (readonly [boolean, string])[] = [
    [!PROPOSAL_VALUE.test(valuesOf('Countersign-Proposal').join('\n')), 'it has no Countersign-Proposal with an id'],
    [!DIGEST_VALUE.test(valuesOf('Countersign-Digest')[0] ?? ''), 'it has no Countersign-Digest with a SHA-256'],
    [valuesOf('Countersign-Digest').length > 1, 'it has two digests'],
    [ranges.length > 1, 'it has two ranges'],
    [ranges.some((range) => !RANGE_VALUE.test(range)), 'its Countersign-Range is not of the form 1,2 3,4'],
    [sets.length > 1, 'it is in two sets'],
    [sets.some((set) => !DIGEST_VALUE.test(set)), 'its Countersign-Set is no SHA-256'],
    [valuesOf('Approved-by').length === 0, 'it names no approver'],
    [valuesOf('Approved-by').some((login) => !LOGIN_VALUE.test(login)), 'an approver of it is no login'],
  ];
  return problems.find(([isProblem]) => isProblem)?.[1] ?? null;
}

function parseTrailerRange(text: string): LineRange | null {
  const found = RANGE_VALUE.exec(text);
  if (found === null) return null;
  const [, oldStart, oldLines, newStart, newLines] = found.map(Number);
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  return { oldStart, oldLines, newStart, newLines };
}
