import { cutAtWord, firstOf, type RepoLinks } from '../../lib/format.ts';
import { formatRange, type LineRange } from '../edits/region.ts';
import { replaceHiddenCharacters } from '../edits/text/characters.ts';
import type { Person } from '../state/vote.ts';
import {
  buildSubject,
  type CommitMessageEntry,
  isNameablePath,
  MAX_SUBJECT_CHARACTERS,
  pathsOfEntry,
} from './commit-subject.ts';

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
 * sign-offs. Of the model it contains at most the words in its subject, of comments nothing.
 */
export function renderCommitMessage(
  changes: readonly CommitMessageEntry[],
  links: RepoLinks,
  style: CommitStyle = DEFAULT_COMMIT_STYLE,
): string {
  const message = composeMessage(changes, links, style);
  const isRead = parseTrailerGroups(message).map(groupText).join('\n') === changes.map(writtenGroup).join('\n');
  return isRead && !hasOddTrailer(message)
    ? message
    : composeMessage(changes, links, { ...style, template: DEFAULT_COMMIT_STYLE.template });
}

/** A group of trailers as its reader must find it, or `verify` would call the commit a mismatch. */
function writtenGroup({ approvedBy, ...change }: CommitMessageEntry): string {
  return groupText({ ...change, approvedBy: [...new Set(approvedBy.map(sanitizeLogin))], problem: null });
}

function groupText({ proposalId, digest, range, setDigest, approvedBy, problem }: TrailerGroup): string {
  return [proposalId, digest, range && formatRange(range), setDigest, approvedBy, problem].join(' | ');
}

function composeMessage(
  changes: readonly CommitMessageEntry[],
  links: RepoLinks,
  { template, signOff }: CommitStyle,
): string {
  const trailers = [
    ...changes.flatMap(buildTrailers),
    ...namePeople('Co-authored-by', changes, links),
    ...(signOff ? namePeople('Signed-off-by', changes, links) : []),
  ];
  return `${fillTemplate(template, changes)}\n\n${trailers.join('\n')}\n`;
}

const MAX_BODY_CHARACTERS = 4_000;

const MAX_PATHS_NAMED = 10;

/** Lines that the App, GitHub or a check would read as the App's own words about people and changes. */
const RESERVED_LINE = /^\s*(?:Countersign-[a-z-]*|Approved-by|Co-authored-by|Signed-off-by)\s*:/i;

/** Whether people could take a line for a trailer, also with other letters that look alike. */
function looksLikeTrailer(line: string): boolean {
  return RESERVED_LINE.test(readable(line));
}

function readable(text: string): string {
  return text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u;

/**
 * The text of a template: a subject of at most 72 characters, then, after a blank line, the other lines. No line can
 * pass for a trailer, nor has hidden characters. If nothing is left of the first line, the summary is the subject.
 */
function fillTemplate(template: string, changes: readonly CommitMessageEntry[]): string {
  const summary = buildSubject(changes);
  const paths = [...new Set(changes.flatMap(pathsOfEntry).filter(isNameablePath))];
  const values = new Map([
    ['summary', summary],
    ['paths', firstOf(paths, MAX_PATHS_NAMED, (path) => path).join(', ')],
    ['ids', [...new Set(changes.map(({ proposalId }) => proposalId))].join(', ')],
  ]);
  const filled = template.replace(/\{(summary|paths|ids)\}/g, (_, name: string) => values.get(name) ?? '');
  const lines = filled
    .split(LINE_END)
    .map((line) =>
      replaceHiddenCharacters(line, () => ' ')
        .replaceAll('\t', ' ')
        .trimEnd(),
    )
    .filter((line) => !looksLikeTrailer(line));
  const [first = '', ...rest] = lines.join('\n').trim().split('\n');
  const subject = cutAtWord(first === '' ? summary : first, MAX_SUBJECT_CHARACTERS);
  const body = cutAtWord(rest.join('\n').trim(), MAX_BODY_CHARACTERS);
  return body === '' ? subject : `${subject}\n\n${body}`;
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
  const domain = `users.noreply.${addressDomain(new URL(links.repository).hostname)}`;
  const people = new Map(changes.flatMap((change) => change.approvedBy.map((person) => [person.id, person] as const)));
  return [...people.values()].map((person) => {
    const name = sanitizeLogin(person);
    return `${trailer}: ${name} <${person.id}+${name}@${domain}>`;
  });
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

/** Whether a message has a line that people can take for one of our trailers and that the App never writes. */
export function hasOddTrailer(message: string): boolean {
  const lines = message.split(LINE_END);
  return lines.some((line, index) => {
    const isFolded = /^\s+\S/u.test(lines[index + 1] ?? '');
    return WRITTEN_LINE.test(line.trimEnd()) ? isFolded : looksLikeTrailer(line);
  });
}

/** Whether a message names trailers of ours anywhere, also in a form that `git` does not read. */
export function mentionsTrailers(message: string): boolean {
  return /countersign[\s\p{P}]*(?:proposal|digest|range|set)\b/iu.test(readable(message));
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

/** A trailer as the App writes it. */
const WRITTEN_LINE = new RegExp(`${TRAILER.source}|^(?:Co-authored-by|Signed-off-by): \\S`);

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

/** How often each trailer stands in a group, and its form. */
const TRAILER_FORMS: readonly (readonly [name: string, form: RegExp, min: number, max: number])[] = [
  ['Countersign-Proposal', PROPOSAL_VALUE, 1, 1],
  ['Countersign-Digest', DIGEST_VALUE, 1, 1],
  ['Countersign-Range', RANGE_VALUE, 0, 1],
  ['Countersign-Set', DIGEST_VALUE, 0, 1],
  ['Approved-by', LOGIN_VALUE, 1, Number.POSITIVE_INFINITY],
];

function findTrailerProblem(all: TrailerValues): string | null {
  const wrong = TRAILER_FORMS.find(([name, form, min, max]) => {
    const values = all.get(name) ?? [];
    return values.length < min || values.length > max || values.some((value) => !form.test(value));
  });
  return wrong === undefined ? null : `its ${wrong[0]} is missing, stands there twice or is malformed`;
}

function parseTrailerRange(text: string): LineRange | null {
  const found = RANGE_VALUE.exec(text);
  if (found === null) return null;
  const [, oldStart, oldLines, newStart, newLines] = found.map(Number);
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  return { oldStart, oldLines, newStart, newLines };
}
