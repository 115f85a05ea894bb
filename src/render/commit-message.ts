import { describeMove, describeUndoAs } from '../change/describe.ts';
import { formatRange, type LineRange } from '../change/range.ts';
import type { Person } from '../run/proposal.ts';
import { count, type RepoLinks } from './words.ts';

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
  /** The source of a move. */
  readonly from: string | null;
  /** The id of the change that this one takes back; null for every other. */
  readonly undoes: string | null;
  /** The payload's one-line description, which holds the path. */
  readonly description: string;
};

const SUBJECT_LENGTH = 72;

/**
 * Paths that may stand in a subject: nothing that GitHub or a build would take for a mention, a reference or an order.
 */
const HARMLESS_PATH = /^[\p{L}\p{N}_./()[\]+~%,=-]+$/u;
const ACTIVE_PATH = /gh-\d|\[[^\]]*(?:skip|ci)[^\]]*\]|\]\(|[\p{L}\p{N}]{2,}-\d+(?![\p{L}\p{N}.])|skip-checks/iu;

function harmless(path: string): boolean {
  return HARMLESS_PATH.test(path) && !ACTIVE_PATH.test(path);
}

/** A description with its path shortened step by step until it may stand as a subject. */
function describe(change: CommittedChange): string {
  for (const shorten of [(path: string) => path, nameOf]) {
    const paths = [shorten(change.path), ...(change.from === null ? [] : [shorten(change.from)])];
    const subject = described(change, shorten);
    // Before anything else: a long path of brackets takes the patterns below a quarter of a second.
    if (subject.length > SUBJECT_LENGTH) continue;
    const plain = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(subject) && !/[@#]/.test(subject);
    if (paths.every(harmless) && plain) return subject;
  }
  return `Apply change ${change.proposalId}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A move's two paths may hold one another, so its description is made anew. */
function described({ path, from, undoes, description }: CommittedChange, shorten: (path: string) => string): string {
  if (from === null) return description.split(path).join(shorten(path));
  const move = describeMove(shorten(from), shorten(path));
  return undoes === null ? move : describeUndoAs(undoes, move);
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

/**
 * The domain of the addresses by which a server knows the authors of commits as its accounts. All of GitHub's subdomains
 * for enterprises (`ghe.com`) share one.
 */
function addressDomain({ repository }: RepoLinks): string {
  const host = new URL(repository).hostname;
  return `users.noreply.${host.endsWith('.ghe.com') ? 'ghe.com' : host}`;
}

function coAuthors(changes: readonly CommittedChange[], links: RepoLinks): readonly string[] {
  const domain = addressDomain(links);
  const people = new Map(changes.flatMap((change) => change.approvedBy.map((person) => [person.id, person] as const)));
  return [...people.values()].map((person) => {
    const name = login(person);
    return `Co-authored-by: ${name} <${person.id}+${name}@${domain}>`;
  });
}

/** Subject, then one block of trailers: a group per change, and the co-authors. Holds nobody's words but ours. */
export function renderCommitMessage(changes: readonly CommittedChange[], links: RepoLinks): string {
  return `${subjectOf(changes)}\n\n${[...changes.flatMap(trailersOf), ...coAuthors(changes, links)].join('\n')}\n`;
}
