import { blobSha } from '../change/blob.ts';
import type { BlobRef, Change, Region } from '../change/change.ts';
import { changeDigest } from '../change/digest.ts';
import { composeFile, type LineRange } from '../change/range.ts';
import { decodeText, encodeText } from '../change/text.ts';
import { type CommittedChange, renderCommitMessage } from '../render/commit-message.ts';
import type { Permission, Proposal, Vote } from '../run/proposal.ts';
import type { CommittedFile } from '../run/signal.ts';
import { countersigned } from '../trust.ts';
import { type ApprovalRules, countingApprovals, isApproved } from './approval-rules.ts';
import type { CommitPlan, Countersigned, FileWrite } from './countersigned.ts';

/** A file as it stands at the head that the commit is to follow; null where there is none. */
export type StandingFile = { readonly ref: BlobRef; readonly bytes: Uint8Array } | null;

/** One proposal, where its change stands at the head, and what its approvers may do now (by numeric id). */
export type Signing = {
  readonly proposal: Proposal;
  /** Null only for what has no lines. */
  readonly region: Region | null;
  readonly permissions: Readonly<Record<string, Permission>>;
};

export type SigningRequest = {
  readonly branch: string;
  readonly head: string;
  readonly signings: readonly Signing[];
  /** By path. */
  readonly files: ReadonlyMap<string, StandingFile>;
  /** What the repository asks of approvers now. */
  readonly rules: ApprovalRules;
};

/** The plan that the commit call accepts, and what it does to each path. */
export type Signed = {
  readonly plan: Countersigned<CommitPlan>;
  readonly files: readonly CommittedFile[];
};

/**
 * The one place where a commit is allowed. Checks once more, from what is stored and what stands at the head, that every
 * change was approved by as many as must and may, under the digest that they saw, and that the bytes are those of that digest.
 * Throws on any doubt: by then a doubt is a fault (a tampered row, a bug), never a person's mistake.
 */
export function countersign(request: SigningRequest): Signed {
  for (const signing of request.signings) checkSigning(signing, request.rules);
  const paths = [...new Set(request.signings.map((signing) => signing.proposal.change.path))];
  const written = paths.map((path) => writeFile(path, request));
  const plan = countersigned<CommitPlan>({
    branch: request.branch,
    expectedHead: request.head,
    message: renderCommitMessage(request.signings.map((signing) => groupOf(signing, request.rules, written))),
    files: written.map((file) => file.write),
    proposalIds: request.signings.map((signing) => signing.proposal.id),
  });
  return { plan, files: written.map(fileOf) };
}

function checkSigning({ proposal, permissions }: Signing, rules: ApprovalRules): void {
  const { change } = proposal;
  if (proposal.state !== 'executing') throw new Error(`Proposal ${proposal.id} is ${proposal.state}, not executing`);
  if (proposal.votes.some((vote) => vote.action === 'deny')) throw new Error(`Proposal ${proposal.id} was denied`);
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

type Written = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  readonly write: FileWrite;
  /** By proposal id. */
  readonly ranges: ReadonlyMap<string, LineRange>;
};

function fileOf({ path, before, after, ranges }: Written): CommittedFile {
  return { path, before, after, ranges: [...ranges.values()] };
}

/** All changes of one file, composed from what stands there now. */
function writeFile(path: string, request: SigningRequest): Written {
  const signings = request.signings.filter((signing) => signing.proposal.change.path === path);
  const file = request.files.get(path) ?? null;
  const composed = composeFile(textOf(path, file), signings.map(regionOf));
  const bytes = encodeText(composed.text);
  const after = blobSha(bytes);
  checkResult(signings, file, after);
  const ranges = new Map(signings.flatMap(({ proposal }, at) => rangeEntry(proposal.id, composed.ranges[at])));
  const mode = file?.ref.mode ?? signings[0]?.proposal.change.result?.mode ?? '100644';
  return { path, before: file?.ref.blob ?? null, after, write: { path, bytes, mode }, ranges };
}

function rangeEntry(id: string, range: LineRange | undefined): readonly (readonly [string, LineRange])[] {
  return range === undefined ? [] : [[id, range]];
}

function regionOf({ proposal, region }: Signing): Region {
  const { change } = proposal;
  if (region === null || change.region === null) throw new Error(`Proposal ${proposal.id} has no lines to write`);
  const same = sameLines(region.old, change.region.old) && sameLines(region.new, change.region.new);
  if (!same) throw new Error(`Proposal ${proposal.id} would write other lines than were shown`);
  return region;
}

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}

function textOf(path: string, file: StandingFile): string {
  if (file === null) return '';
  const decoded = decodeText(file.bytes);
  if (decoded.kind !== 'text') throw new Error(`${path} is no text at the head`);
  return decoded.text;
}

/** Where a change comes alone on the very file it was made for, its result must be the blob that was promised. */
function checkResult(signings: readonly Signing[], file: StandingFile, after: string): void {
  const [only, ...more] = signings;
  if (only === undefined || more.length > 0) return;
  const { id, change } = only.proposal;
  const untouched = (change.base?.blob ?? null) === (file?.ref.blob ?? null);
  if (untouched && change.result?.blob !== after)
    throw new Error(`Proposal ${id} would make other bytes than were shown`);
}

function groupOf(signing: Signing, rules: ApprovalRules, written: readonly Written[]): CommittedChange {
  const { proposal, region, permissions } = signing;
  const { id, change } = proposal;
  const range = written.find((file) => file.path === change.path)?.ranges.get(id) ?? null;
  const { path, payload } = change;
  const digest = digestOf(change, region);
  const approvedBy = countingApprovals(proposal, rules, permissionIn(permissions)).map((vote) => vote.by);
  return { proposalId: id, digest, range, approvedBy, path, description: payload.description };
}

/** What a voter may do now. */
function permissionIn(permissions: Signing['permissions']): (vote: Vote) => Permission {
  return (vote) => permissions[vote.by.id] ?? 'none';
}
