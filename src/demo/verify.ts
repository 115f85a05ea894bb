import type { Region } from '../change/change.ts';
import { changeDigest } from '../change/digest.ts';
import { bareLine, splitLines } from '../change/lines.ts';
import type { LineRange } from '../change/range.ts';
import { EMPTY_REGION, regionBetween } from '../change/region.ts';
import { type FoundTrailer, findTrailers } from '../render/read-trailers.ts';
import { isOnlyRanges, regionOfRange, type Versions } from '../verify/replaced.ts';
import { type BranchCommit, type ChangedFile, fileAt, readBranch } from './exported-branch.ts';
import type { Decision } from './play.ts';

/** One row of the result; `problem` null means that it holds. */
export type Check = { readonly what: string; readonly who: string; readonly problem: string | null };

/** A repository that git can read, the branch in question, and what people decided about it. */
export type Evidence = {
  readonly directory: string;
  readonly branch: string;
  /** The head before anybody decided. */
  readonly since: string;
  /** Login of the App's bot. */
  readonly bot: string;
  readonly decisions: readonly Decision[];
};

/**
 * Checks with git's objects alone that a branch holds what people approved and nothing else: each commit stands on the
 * one before it and changes the approved files only, each approved change is there byte for byte (its digest, computed
 * again from the commit, is the one that stood on the page), and nothing of what was turned down is there.
 */
export async function verifyBranch(evidence: Evidence): Promise<readonly Check[]> {
  const commits = await readBranch(evidence.directory, evidence.branch, evidence.since);
  const order = commits.map((commit, index) => checkOrder(commit, commits[index - 1]?.sha ?? evidence.since));
  const held = commits.flatMap((commit) => checkCommit(commit, evidence));
  const landed = commits.flatMap((commit) => idsIn(commit, evidence));
  const kept = await Promise.all(evidence.decisions.map((decision) => checkDecision(decision, evidence, landed)));
  return [...order.flat(), ...held, ...kept.flat()];
}

function checkOrder(commit: BranchCommit, parent: string): readonly Check[] {
  const stands = commit.parents.length === 1 && commit.parents[0] === parent;
  return stands ? [] : [broken(commit, 'it does not stand on the commit before it')];
}

function broken({ sha, author }: BranchCommit, problem: string): Check {
  return { what: sha.slice(0, 7), who: author, problem };
}

/** Which decisions' changes a commit holds: by its trailers, or by the person who pressed the button. */
function idsIn(commit: BranchCommit, { bot, decisions }: Evidence): readonly string[] {
  if (commit.author === bot) return findTrailers(commit.message).map(({ proposalId }) => proposalId);
  const pressed = decisions.find((one) => one.verdict === 'pressed' && isPressed(commit, one));
  return pressed === undefined ? [] : [pressed.proposal.id];
}

function isPressed(commit: BranchCommit, { by, proposal }: Decision): boolean {
  const [file] = commit.files;
  if (commit.author !== by || commit.files.length !== 1 || file?.path !== proposal.path) return false;
  const { before, after } = versionsOf(file);
  return digestOf(file, 'edit', regionBetween(before, after) ?? EMPTY_REGION).startsWith(proposal.digest);
}

function checkCommit(commit: BranchCommit, evidence: Evidence): readonly Check[] {
  if (commit.author === evidence.bot) return checkAppCommit(commit, evidence);
  const pressed = evidence.decisions.find((one) => one.verdict === 'pressed' && isPressed(commit, one));
  if (pressed === undefined) return [broken(commit, 'nobody pressed a button for exactly these bytes')];
  return [
    {
      what: `${commit.sha.slice(0, 7)} ${pressed.proposal.id} ${pressed.proposal.path}`,
      who: `committed by ${pressed.by}`,
      problem: null,
    },
  ];
}

function checkAppCommit(commit: BranchCommit, { decisions }: Evidence): readonly Check[] {
  const groups = findTrailers(commit.message).map((trailer) => {
    const decision = decisions.find((one) => one.verdict === 'approved' && one.proposal.id === trailer.proposalId);
    return { trailer, decision };
  });
  const approved = new Set(groups.map(({ decision }) => decision?.proposal.path ?? ''));
  const strange = commit.files.find(({ path }) => !approved.has(path));
  if (groups.length === 0) return [broken(commit, 'it names no proposal')];
  if (strange !== undefined) return [broken(commit, `it changes ${strange.path}, which nobody approved`)];
  const loose = commit.files.filter((file) => !isOnlyInRanges(file, rangesFor(file, groups)));
  return [
    ...loose.map(({ path }) => broken(commit, `${path} differs outside of what was approved`)),
    ...groups.map((group) => checkGroup(commit, group)),
  ];
}

type Group = { readonly trailer: FoundTrailer; readonly decision: Decision | undefined };

function rangesFor({ path }: ChangedFile, groups: readonly Group[]): readonly LineRange[] {
  return groups.flatMap(({ trailer, decision }) => (decision?.proposal.path === path ? (trailer.range ?? []) : []));
}

function checkGroup(commit: BranchCommit, { trailer, decision }: Group): Check {
  if (decision === undefined) return broken(commit, `it holds ${trailer.proposalId}, which nobody approved`);
  const { proposal, by } = decision;
  const file = commit.files.find(({ path }) => path === proposal.path);
  const what = `${commit.sha.slice(0, 7)} ${proposal.id} ${proposal.path}`;
  const who = `approved by ${by}`;
  const row = (problem: string | null): Check => ({ what, who, problem });
  if (file === undefined) return row('the commit does not change this file');
  if (trailer.range === null) return row('the commit does not say where the change is');
  const region = regionOfRange(versionsOf(file), trailer.range);
  if (region === null) return row('it does not stand where the commit says');
  const digest = digestOf(file, proposal.op, region);
  if (digest !== trailer.digest || !digest.startsWith(proposal.digest))
    return row('its bytes are not what was approved');
  if (!commit.message.split('\n').includes(`Approved-by: ${by}`)) return row(`the commit does not name ${by}`);
  return row(null);
}

/** The digest of what leads from one version of a file to the other. */
function digestOf({ path, before, after }: ChangedFile, op: 'edit' | 'write', region: Region): string {
  const oldMode = before?.mode ?? null;
  const newMode = after?.mode ?? null;
  return changeDigest({ op, path, fromPath: null, oldMode, newMode, body: { kind: 'region', region } });
}

function versionsOf({ before, after }: ChangedFile): Versions {
  return { before: before?.text ?? '', after: after?.text ?? '' };
}

function isOnlyInRanges(file: ChangedFile, ranges: readonly LineRange[]): boolean {
  const sameMode = file.before === null || file.before.mode === file.after?.mode;
  return file.after !== null && sameMode && isOnlyRanges(versionsOf(file), ranges);
}

/** Whether an approved change landed once, and nothing of one that was turned down is there. */
async function checkDecision(
  decision: Decision,
  evidence: Evidence,
  landed: readonly string[],
): Promise<readonly Check[]> {
  const { proposal, verdict, by } = decision;
  const times = landed.filter((id) => id === proposal.id).length;
  const what = `${proposal.id} ${proposal.path}`;
  if (verdict === 'approved' || verdict === 'pressed') {
    const problem = times === 1 ? null : `it stands in ${times} commits of the branch`;
    return problem === null ? [] : [{ what, who: `approved by ${by}`, problem }];
  }
  const present = times > 0 || (await hasLanded(decision, evidence));
  const who = `${verdict === 'denied' ? 'denied' : 'sent back'} by ${by}`;
  return [{ what: `not there  ${what}`, who, problem: present ? 'what was turned down is on the branch' : null }];
}

/** Whether the file reads as the proposal would have made it: it has every added line that nothing else accounts for. */
async function hasLanded({ proposal }: Decision, { directory, branch, since, decisions }: Evidence): Promise<boolean> {
  const { path, added, removed } = proposal;
  const [before, now] = await Promise.all([
    linesAt(directory, since, path),
    linesAt(directory, `refs/heads/${branch}`, path),
  ]);
  const others = decisions.filter(({ verdict }) => verdict === 'approved' || verdict === 'pressed');
  const approved = others.filter((one) => one.proposal.path === path).flatMap((one) => one.proposal.added);
  const known = new Set([...before, ...approved, ...removed]);
  const own = added.filter((line) => !known.has(line));
  return own.length > 0 && own.every((line) => now.has(line));
}

async function linesAt(directory: string, revision: string, path: string): Promise<ReadonlySet<string>> {
  return new Set(splitLines((await fileAt(directory, revision, path)) ?? '').map(bareLine));
}
