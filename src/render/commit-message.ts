import { formatRange, type LineRange } from '../change/range.ts';
import type { Person } from '../run/proposal.ts';
import { count } from './words.ts';

/** One change of a commit, as its message names it. */
export type CommittedChange = {
  readonly proposalId: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Null for moves and for files that are not text. */
  readonly range: LineRange | null;
  /** Everybody who counted, each once. */
  readonly approvedBy: readonly Person[];
  readonly path: string;
  /** The payload's one-line description, which holds the path. */
  readonly description: string;
};

/** What a commit's message says of one change. */
export type FoundTrailer = { readonly proposalId: string; readonly digest: string; readonly range: LineRange | null };

const SUBJECT_LENGTH = 72;

/** Paths that may stand in a subject: nothing that GitHub or a build would take for a mention, a reference or an order. */
const HARMLESS_PATH = /^[\p{L}\p{N}_./()[\]+~%,=-]+$/u;
const ACTIVE_PATH = /gh-\d|\[[^\]]*(?:skip|ci)[^\]]*\]|\]\(|[\p{L}\p{N}]{2,}-\d+(?![\p{L}\p{N}.])|skip-checks/iu;

function harmless(path: string): boolean {
  return HARMLESS_PATH.test(path) && !ACTIVE_PATH.test(path);
}

/** A description with its path shortened step by step until it may stand as a subject. */
function describe(change: CommittedChange): string {
  const name = change.path.slice(change.path.lastIndexOf('/') + 1);
  for (const shown of [change.path, name]) {
    const subject = change.description.split(change.path).join(shown);
    const plain = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(subject) && !/[@#]/.test(subject);
    if (harmless(shown) && plain && subject.length <= SUBJECT_LENGTH) return subject;
  }
  return `Apply change ${change.proposalId}`;
}

function subjectOf(changes: readonly CommittedChange[]): string {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) return describe(only);
  const files = new Set(changes.map((change) => change.path)).size;
  return `Apply ${count(changes.length, 'change')} to ${count(files, 'file')}`;
}

/** GitHub's logins hold nothing else; what does is no login and must not begin a line of its own. */
function login(person: Person): string {
  return person.login.replace(/[^A-Za-z0-9_-]/g, '');
}

function trailersOf(change: CommittedChange): readonly string[] {
  return [
    `Countersign-Proposal: ${change.proposalId}`,
    `Countersign-Digest: sha256:${change.digest}`,
    ...(change.range === null ? [] : [`Countersign-Range: ${formatRange(change.range)}`]),
    ...new Set(change.approvedBy.map((person) => `Approved-by: ${login(person)}`)),
  ];
}

function coAuthors(changes: readonly CommittedChange[]): readonly string[] {
  const people = new Map(changes.flatMap((change) => change.approvedBy.map((person) => [person.id, person] as const)));
  return [...people.values()].map((person) => {
    const name = login(person);
    return `Co-authored-by: ${name} <${person.id}+${name}@users.noreply.github.com>`;
  });
}

/** Subject, then one block of trailers: a group per change, and the co-authors. Holds nobody's words but ours. */
export function renderCommitMessage(changes: readonly CommittedChange[]): string {
  return `${subjectOf(changes)}\n\n${[...changes.flatMap(trailersOf), ...coAuthors(changes)].join('\n')}\n`;
}

const TRAILER = /^Countersign-(Proposal|Digest|Range): *(\S.*?)\s*$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;
const RANGE = /^(\d{1,9}),(\d{1,9}) (\d{1,9}),(\d{1,9})$/;

function readRange(text: string | undefined): LineRange | null {
  const found = RANGE.exec(text ?? '');
  if (found === null) return null;
  const [, oldStart, oldLines, newStart, newLines] = found.map(Number);
  if (oldStart === undefined || oldLines === undefined || newStart === undefined || newLines === undefined) return null;
  return { oldStart, oldLines, newStart, newLines };
}

/** The groups of our trailers in a commit's message, in order. A group without a proper id or digest is none. */
export function findTrailers(message: string): readonly FoundTrailer[] {
  const groups: Map<string, string>[] = [];
  for (const line of message.split(/\r?\n/)) {
    const [, name, value] = TRAILER.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (name === 'Proposal') groups.push(new Map());
    const group = groups.at(-1);
    if (group !== undefined && !group.has(name)) group.set(name, value);
  }
  return groups.flatMap((group) => {
    const proposalId = group.get('Proposal') ?? '';
    const digest = DIGEST.exec(group.get('Digest') ?? '')?.[1];
    if (!/^[a-z0-9]{4,6}$/.test(proposalId) || digest === undefined) return [];
    return [{ proposalId, digest, range: readRange(group.get('Range')) }];
  });
}
