import type { Change, Region } from '../change/change.ts';
import { changeDigest } from '../change/digest.ts';
import { takesWhole } from '../change/touched.ts';
import { type CommittedChange, renderCommitMessage } from '../render/commit-message.ts';
import type { RepoLinks } from '../render/words.ts';
import type { Made, Permission, Vote } from '../run/proposal.ts';
import type { CommittedFile } from '../run/signal.ts';
import { countersigned } from '../trust.ts';
import { type ApprovalRules, countingApprovals, isApproved } from './approval-rules.ts';
import { conflictingChange } from './batch-conflict.ts';
import type { CommitPlan, Countersigned } from './countersigned.ts';
import type { Signing, StandingFiles, Written } from './signing.ts';
import { writeLines } from './write-lines.ts';
import { writeDeletion, writeMove, writeRestored } from './write-whole.ts';

export type SigningRequest = {
  readonly branch: string;
  readonly head: string;
  readonly signings: readonly Signing[];
  readonly files: StandingFiles;
  /** What the repository asks of approvers now. */
  readonly rules: ApprovalRules;
  /** The repository's pages: their server's name stands in the addresses of co-authors. */
  readonly links: RepoLinks;
};

/** The plan that the commit call accepts, and what it does to each path. */
export type Signed = {
  readonly plan: Countersigned<CommitPlan>;
  /** By proposal id: the digest in its trailer, and its lines in the commit. */
  readonly made: Readonly<Record<string, Made>>;
  readonly files: readonly CommittedFile[];
};

/**
 * The one place where a commit is allowed. Checks once more, from what is stored and what stands at the head, that every
 * change was approved by as many as must and may, under the digest that they saw, and that the bytes are those of that digest.
 * Throws on any doubt: by then a doubt is a fault (a tampered row, a bug), never a person's mistake.
 */
export function countersign(request: SigningRequest): Signed {
  for (const signing of request.signings) checkSigning(signing, request.rules);
  const written = [...writtenLines(request), ...writtenWhole(request)];
  const changes = request.signings.map((signing) => groupOf(signing, request.rules, written));
  const plan = countersigned<CommitPlan>({
    branch: request.branch,
    expectedHead: request.head,
    message: renderCommitMessage(changes, request.links),
    files: written.flatMap(({ writes }) => writes),
    proposalIds: request.signings.map((signing) => signing.proposal.id),
  });
  const made = Object.fromEntries(changes.map(({ proposalId, digest, range }) => [proposalId, { digest, range }]));
  return { plan, made, files: written.flatMap(({ files }) => files) };
}

/** The changes of each file's lines. */
function writtenLines({ signings, files }: SigningRequest): Written[] {
  const ofLines = signings.filter(({ proposal }) => !takesWhole(proposal.change));
  const byPath = Map.groupBy(ofLines, ({ proposal }) => proposal.change.path);
  return [...byPath].map(([path, mine]) => writeLines(path, mine, files));
}

/** Files that go, move or come back; nothing else of the same commit may be about their paths. */
function writtenWhole({ signings, files }: SigningRequest): Written[] {
  const whole = signings.filter(({ proposal }) => takesWhole(proposal.change));
  return whole.map((signing) => {
    const { id, change } = signing.proposal;
    const others = signings.filter((other) => other !== signing).map(({ proposal }) => proposal);
    if (conflictingChange(change, others) !== null) throw new Error(`Proposal ${id} shares its path with another`);
    if (change.op === 'move') return writeMove(signing, files);
    return change.op === 'delete' ? writeDeletion(signing, files) : writeRestored(signing, files);
  });
}

function checkSigning({ proposal, permissions }: Signing, rules: ApprovalRules): void {
  const { change } = proposal;
  if (change.op === 'read') throw new Error(`Proposal ${proposal.id} only reads`);
  if (proposal.state !== 'executing') throw new Error(`Proposal ${proposal.id} is ${proposal.state}, not executing`);
  if (!isApproved(proposal, rules, permissionIn(permissions)))
    throw new Error(`Proposal ${proposal.id} has not the approvals that count`);
  if (digestOf(change, change.region) !== change.digest)
    throw new Error(`Proposal ${proposal.id} is not what was shown`);
}

function digestOf(change: Change, region: Region | null): string {
  const { op, path, from, base, result } = change;
  const body =
    region === null
      ? ({ kind: 'blobs', oldBlob: base?.blob ?? null, newBlob: result?.blob ?? null } as const)
      : ({ kind: 'region', region } as const);
  return changeDigest({ op, path, fromPath: from, oldMode: base?.mode ?? null, newMode: result?.mode ?? null, body });
}

function groupOf(signing: Signing, rules: ApprovalRules, written: readonly Written[]): CommittedChange {
  const { proposal, region, permissions } = signing;
  const { id, change, origin } = proposal;
  const range = written.find(({ ranges }) => ranges.has(id))?.ranges.get(id) ?? null;
  const { path, from, payload } = change;
  const digest = digestOf(change, region);
  const approvedBy = countingApprovals(proposal, rules, permissionIn(permissions)).map((vote) => vote.by);
  const undoes = origin.kind === 'undo' ? origin.of : null;
  return { proposalId: id, digest, range, approvedBy, path, from, undoes, description: payload.description };
}

/** What a voter may do now. */
function permissionIn(permissions: Signing['permissions']): (vote: Vote) => Permission {
  return (vote) => permissions[vote.by.id] ?? 'none';
}
