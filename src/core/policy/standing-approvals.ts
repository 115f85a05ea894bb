import { type Change, type FileChange, isRestore, membersOf, pathsOf, unifiedDiffOf } from '../edits/change.ts';
import { recomputedDigest } from '../edits/digest.ts';
import { describeMisleading, describeMixedPath } from '../edits/misleading-text.ts';
import { findHiddenCharacters } from '../edits/text/unicode.ts';
import { PATH_FORMS } from '../settings/settings-schema.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Settings } from '../state/settings.ts';
import type { Person, StandingApproval, StandingApprovalRef, StandingScope, Vote } from '../state/vote.ts';
import type { VoteProblem } from '../state/vote-source.ts';
import type { StandingObstacle } from '../step/refusals.ts';
import { approvalNeed, type NeedSettings } from './approval-need.ts';
import { isProtected } from './path-policy.ts';
import { globMatcher } from './path-rules.ts';
import { findWriteDenyRule } from './path-tables.ts';

/** The settings that standing approvals depend on. They are read again at each use. */
type StandingRules = NeedSettings &
  Pick<Settings, 'standingApprovals' | 'protectedPaths' | 'requireNonAuthor' | 'requireNonRequester'>;

/** Standing approvals of one pull request that can be in force at one time. */
export const MAX_STANDING_APPROVALS = 20;

/** Whether a change of this path always needs a person who saw it: it is protected, or no tool may write it. */
function needsPerson(path: string, rules: StandingRules): boolean {
  return isProtected(path, rules) || findWriteDenyRule(path) !== null;
}

/** Why a standing approval of any person must not cover this proposal; null if one can. */
export function findObstacle(proposal: Proposal, rules: StandingRules): StandingObstacle | null {
  return OBSTACLES.find(({ stands }) => stands(proposal, rules))?.obstacle ?? null;
}

type ObstacleRule = {
  readonly obstacle: StandingObstacle;
  readonly stands: (proposal: Proposal, rules: StandingRules) => boolean;
};

/** In the order in which people read about them. A set has the obstacles of its members. */
const OBSTACLES: readonly ObstacleRule[] = [
  { obstacle: 'switched-off', stands: (_proposal, { standingApprovals }) => standingApprovals === 'off' },
  { obstacle: 'needs-others', stands: needsOthers },
  { obstacle: 'not-by-the-agent', stands: ({ origin, userEdit }) => origin.kind !== 'call' || userEdit !== null },
  { obstacle: 'deletes-or-moves', stands: ({ change }) => membersOf(change).some(isNoEdit) },
  {
    obstacle: 'protected-path',
    stands: ({ change }, rules) => pathsOf(change).some((path) => needsPerson(path, rules)),
  },
  { obstacle: 'executable', stands: ({ change }) => membersOf(change).some(isExecutable) },
  { obstacle: 'misleading-text', stands: ({ change }) => membersOf(change).some(isMisleading) },
  { obstacle: 'does-not-parse', stands: ({ syntaxProblems }) => syntaxProblems.length > 0 },
  { obstacle: 'not-as-shown', stands: ({ change }) => recomputedDigest(change) !== change.digest },
];

/** Whether a rule asks for eyes beside those of the person who gave it. */
function needsOthers(proposal: Proposal, rules: StandingRules): boolean {
  if (rules.requireNonAuthor || rules.requireNonRequester) return true;
  const { approvals, ownedPaths } = approvalNeed(proposal, rules);
  return approvals > 1 || ownedPaths.length > 0;
}

/** Whether it deletes, moves, restores or only reads a file, so that its page shows no edited lines. */
function isNoEdit(change: FileChange): boolean {
  return (change.op !== 'edit' && change.op !== 'write') || isRestore(change) || change.region === null;
}

/** Whether git marks the file as executable, before or after the change. */
function isExecutable({ base, result }: FileChange): boolean {
  return base?.mode === '100755' || result?.mode === '100755';
}

/** Whether its page warns of its path or of its lines. */
function isMisleading({ path, payload }: FileChange): boolean {
  const diff = unifiedDiffOf(payload);
  return diff === null || isMisleadingPath(path) || describeMisleading(diff).length > 0;
}

function isMisleadingPath(path: string): boolean {
  return findHiddenCharacters(path).length > 0 || describeMixedPath(path) !== null;
}

/** The glob that `/approve always` names; null for the path of the change. */
type RequestedGlob = string | null;

/** The scope that a comment asks for with its approval of this proposal, or why it can be given none. */
export function findScope(
  proposal: Proposal,
  glob: RequestedGlob,
  rules: StandingRules,
): StandingScope | StandingObstacle {
  const obstacle = findObstacle(proposal, rules);
  if (obstacle !== null) return obstacle;
  const { origin, change } = proposal;
  if (origin.kind !== 'call') return 'not-by-the-agent';
  if (glob !== null && rules.standingApprovals !== 'glob') return 'globs-switched-off';
  if (glob !== null) {
    if (!isGlob(glob)) return 'unclear-scope';
    return pathsOf(change).every(globMatcher(glob)) ? { tool: origin.tool, path: null, glob } : 'beyond-scope';
  }
  const [path, ...others] = pathsOf(change);
  if (path === undefined || others.length > 0) return 'several-files';
  return path.length > MAX_SCOPE_CHARACTERS ? 'unclear-scope' : { tool: origin.tool, path, glob: null };
}

/** Longer ones could not be shown to their end. */
export const MAX_SCOPE_CHARACTERS = 200;

/** One folder and one extension, such as `src/*.ts`. */
const FOLDER_AND_EXTENSION = /^(?:[^*?[\]{}!`'"]+\/)?\*(?:\.[\w-]+)+$/;

/** The form of globs in the settings file too, so that one that would match nothing, or less than it says, is no scope. */
function isGlob(glob: string): boolean {
  if (glob.length > MAX_SCOPE_CHARACTERS || !FOLDER_AND_EXTENSION.test(glob)) return false;
  if (glob !== glob.normalize('NFC')) return false;
  if (!PATH_FORMS.glob.every(({ form }) => form.test(glob))) return false;
  return !isMisleadingPath(glob);
}

/** Whether a standing approval has not expired. Times are GitHub's. */
export function isInForce({ expiresAt }: Pick<StandingApproval, 'expiresAt'>, now: string): boolean {
  return Date.parse(now) < Date.parse(expiresAt);
}

/** Whether it reaches this proposal: of the same tool, on its paths only, and posted in a later second. */
export function reaches(approval: StandingApproval, proposal: Proposal): boolean {
  const { origin, change } = proposal;
  if (origin.kind !== 'call' || origin.tool !== approval.tool) return false;
  return isPostedAfter(proposal, approval.grantedAt) && pathsOf(change).every(pathTest(approval));
}

/** GitHub's times are whole seconds, so what was posted in the same second can be what the person saw. */
function isPostedAfter({ comment }: Pick<Proposal, 'comment'>, grantedAt: string): boolean {
  return comment !== null && Date.parse(comment.createdAt) > Date.parse(grantedAt);
}

function pathTest(scope: StandingScope): (path: string) => boolean {
  return scope.glob === null ? (path) => path === scope.path : globMatcher(scope.glob);
}

/** The standing approvals of a pull request, and what decides at this time whether they are in force. */
export type StandingContext = {
  readonly approvals: readonly StandingApproval[];
  readonly rules: StandingRules;
  /** Who started the run: only that person's approvals stand in it. */
  readonly runBy: Person | null;
  readonly now: string;
};

/** Those that approve this proposal in advance, oldest first. Several can be of one person, who has one vote. */
export function findUsable(
  proposal: Proposal,
  { approvals, rules, runBy, now }: StandingContext,
): readonly StandingApproval[] {
  const reaching = approvals.filter(
    (one) =>
      one.vote.by.id === runBy?.id && isInForce(one, now) && isWithinSetting(one, rules) && reaches(one, proposal),
  );
  return reaching.length === 0 || findObstacle(proposal, rules) !== null ? [] : reaching;
}

/** The repository can have become stricter since it was given. */
function isWithinSetting({ glob }: StandingApproval, { standingApprovals }: StandingRules): boolean {
  return standingApprovals === 'glob' || (standingApprovals === 'path' && glob === null);
}

/** Why a vote that uses a standing approval no longer counts; null if it does. */
export function findStandingProblem(vote: Vote, proposal: Proposal, context: StandingContext): VoteProblem | null {
  const usable = findUsable(proposal, context);
  const isUsable = usable.some(
    ({ number, vote: { by } }) => number === vote.standingApproval?.number && by.id === vote.by.id,
  );
  return isUsable ? null : 'standing-ended';
}

/** The vote of a standing approval on a proposal that it reaches. Its comment is the one that gave it. */
export function createStandingVote(
  approval: StandingApproval,
  { id, change, headSha }: Pick<Proposal, 'id' | 'headSha'> & { readonly change: Pick<Change, 'digest'> },
  permission: Vote['permission'],
  at: string,
): Vote {
  return {
    ...approval.vote,
    ...{ proposalId: id, digest: change.digest, headSha, permission, at },
    ...{ action: 'approve', text: null, standingApproval: standingApprovalRef(approval) },
  };
}

function standingApprovalRef(approval: StandingApprovalRef): StandingApprovalRef {
  const { number, tool, expiresAt } = approval;
  const base = { number, tool, expiresAt };
  return approval.glob === null
    ? { ...base, path: approval.path, glob: null }
    : { ...base, path: null, glob: approval.glob };
}
