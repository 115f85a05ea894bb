import { type Change, type FileChange, isRestore, pathsOf, unifiedDiffOf } from '../edits/change.ts';
import { recomputedDigest } from '../edits/digest.ts';
import { describeMisleading, describeMixedPath } from '../edits/misleading-text.ts';
import { findHiddenCharacters } from '../edits/text/characters.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Settings } from '../state/settings.ts';
import type { Person, StandingApproval, StandingScope, Vote, VoteProblem } from '../state/vote.ts';
import type { StandingObstacle } from '../step/reasons.ts';
import { approvalNeed, type NeedSettings } from './may-approve.ts';
import { isProtected } from './path-policy.ts';
import { findWriteDenyRule } from './path-tables.ts';
import { globMatcher } from './paths.ts';

/** The settings that standing approvals depend on. They are read again at each use. */
type StandingRules = NeedSettings &
  Pick<Settings, 'standingApprovals' | 'protectedPaths' | 'requireNonAuthor' | 'requireNonRequester'>;

/** Standing approvals of one pull request that can be in force at one time. */
export const MAX_STANDING_APPROVALS = 20;

/** Why a standing approval of any person must not cover this proposal; null if one can. */
export function findObstacle(proposal: Proposal, rules: StandingRules): StandingObstacle | null {
  if (rules.standingApprovals === 'off') return 'switched-off';
  if (needsOthers(proposal, rules)) return 'needs-others';
  return needsLook(proposal, rules) ? 'needs-a-look' : null;
}

/** Whether a rule asks for eyes beside those of the person who gave it. */
function needsOthers(proposal: Proposal, rules: StandingRules): boolean {
  if (rules.requireNonAuthor || rules.requireNonRequester) return true;
  const { approvals, ownedPaths } = approvalNeed(proposal.change, rules);
  return approvals > 1 || ownedPaths.length > 0;
}

/** Whether it is no plain edit by the agent, could run code, or is shown with a warning. One member of a set is enough. */
function needsLook({ origin, userEdit, change, syntaxProblems }: Proposal, rules: StandingRules): boolean {
  if (origin.kind !== 'call' || userEdit !== null || syntaxProblems.length > 0) return true;
  if (recomputedDigest(change) !== change.digest) return true;
  return change.members.some((member) => {
    const { path, op, region, base, result } = member;
    const isEdit = (op === 'edit' || op === 'write') && !isRestore(member) && region !== null;
    const isExecutable = base?.mode === '100755' || result?.mode === '100755';
    const isGuarded = isProtected(path, rules) || findWriteDenyRule(path) !== null;
    return !isEdit || isExecutable || isGuarded || isMisleading(member);
  });
}

/** Whether its page warns of its path or of its lines. */
function isMisleading({ path, payload }: FileChange): boolean {
  const diff = unifiedDiffOf(payload);
  const isMisleadingPath = findHiddenCharacters(path).length > 0 || describeMixedPath(path) !== null;
  return diff === null || isMisleadingPath || describeMisleading(diff).length > 0;
}

/** The scope that `/approve always` gives, of a glob or of the change's own path; or why it can give none. */
export function findScope(
  proposal: Proposal,
  glob: string | null,
  rules: StandingRules,
): StandingScope | StandingObstacle {
  const obstacle = findObstacle(proposal, rules);
  if (obstacle !== null) return obstacle;
  const { origin, change } = proposal;
  if (origin.kind !== 'call') return 'needs-a-look';
  const paths = pathsOf(change);
  if (glob !== null) {
    if (rules.standingApprovals !== 'glob') return 'switched-off';
    const isGlob = glob.length <= MAX_SCOPE_CHARACTERS && FOLDER_AND_EXTENSION.test(glob);
    return isGlob && paths.every(globMatcher(glob)) ? { tool: origin.tool, path: null, glob } : 'unclear-scope';
  }
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0 || path.length > MAX_SCOPE_CHARACTERS) return 'unclear-scope';
  return { tool: origin.tool, path, glob: null };
}

/** Longer ones could not be shown to their end. */
export const MAX_SCOPE_CHARACTERS = 200;

/** One folder and one extension, such as `src/*.ts`. */
const FOLDER_AND_EXTENSION = /^(?:[^*?[\]{}!`'"]+\/)?\*(?:\.[\w-]+)+$/;

/** Whether a standing approval has not expired. Times are GitHub's. */
export function isInForce({ expiresAt }: Pick<StandingApproval, 'expiresAt'>, now: string): boolean {
  return Date.parse(now) < Date.parse(expiresAt);
}

/**
 * Whether it reaches this proposal: of the same tool, on its paths only, and posted in a later second. GitHub's times
 * are whole seconds, so what was posted in the same second can be what the person saw.
 */
export function reaches(approval: StandingApproval, { origin, change, comment }: Proposal): boolean {
  if (origin.kind !== 'call' || origin.tool !== approval.tool) return false;
  if (comment === null || Date.parse(comment.createdAt) <= Date.parse(approval.grantedAt)) return false;
  const covers = approval.glob === null ? (path: string) => path === approval.path : globMatcher(approval.glob);
  return pathsOf(change).every(covers);
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
  { vote, grantedAt: _grantedAt, ...standingApproval }: StandingApproval,
  { id, change, headSha }: Pick<Proposal, 'id' | 'headSha'> & { readonly change: Pick<Change, 'digest'> },
  permission: Vote['permission'],
  at: string,
): Vote {
  return {
    ...vote,
    ...{ proposalId: id, digest: change.digest, headSha, permission, at },
    ...{ action: 'approve', text: null, standingApproval },
  };
}
