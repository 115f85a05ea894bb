import { type Change, changeDiff, pathsOf } from '../../../src/core/edits/change.ts';
import type { CommentIntent } from '../../../src/core/state/intent.ts';
import type { Vote } from '../../../src/core/state/vote.ts';
import { couldWrite } from './approvals.ts';
import { approvalsOf, type CaseCheck, type CaseEvidence, type SavedStep } from './evidence.ts';

/** A comment with `/approve always` that took effect, as the page and the saved steps tell it. */
type StandingGrant = {
  readonly index: number;
  readonly pullKey: string;
  readonly by: number;
  readonly createdAt: string;
  readonly glob: string | null;
  readonly change: Change | undefined;
  readonly tool: string | null;
  readonly baseRef: string | undefined;
};

type NumberedVote = CaseEvidence['votes'][number];

/** S122 to S125: each vote in advance is for what its comment says, and for nothing that needs a person who saw it. */
export const standingVotesAreCovered: CaseCheck = (evidence) =>
  evidence.votes.flatMap((one) => {
    if (!isUse(one.vote)) return [];
    const grant = findGrant(evidence, one);
    const name = `${one.vote.proposalId} has a vote of standing approval ${one.vote.standingApproval?.number}`;
    if (grant === null) return [`S122: ${name}, which nobody gave`];
    return useProblems(evidence, one, grant).map((problem) => `S123: ${name}, ${problem}`);
  });

function isUse({ action, standingApproval }: Vote): boolean {
  return action === 'approve' && standingApproval !== null;
}

function findGrant({ saved, votes, changes }: CaseEvidence, { index, vote }: NumberedVote): StandingGrant | null {
  const given = votes.find(
    (one) =>
      one.index <= index &&
      one.vote.action === 'approve-always' &&
      one.vote.commentId === vote.commentId &&
      one.vote.surface === vote.surface,
  );
  const step = saved.find((one) => one.index === given?.index)?.saved;
  const intent = step === undefined ? null : commentOf(step);
  if (given === undefined || step === undefined || intent?.parsed.kind !== 'command') return null;
  const { command } = intent.parsed;
  if (command.name !== 'approve' || command.always === undefined) return null;
  const proposal = step.step.pull.proposals.find(({ id }) => id === given.vote.proposalId);
  return {
    ...{ index: given.index, pullKey: step.claim.pullRequestKey, by: intent.actor.id, createdAt: intent.createdAt },
    glob: command.always.glob,
    change: changes.get(`${given.vote.proposalId} ${given.vote.digest}`),
    tool: proposal?.origin.kind === 'call' ? proposal.origin.tool : null,
    baseRef: step.step.pull.run?.assessed.baseRef,
  };
}

function commentOf({ signal }: SavedStep): CommentIntent | null {
  return signal.type === 'intent' && signal.intent.kind === 'comment' ? signal.intent : null;
}

function useProblems(evidence: CaseEvidence, { index, vote }: NumberedVote, grant: StandingGrant): readonly string[] {
  const step = evidence.saved.find((one) => one.index === index)?.saved;
  const proposal = step?.step.pull.proposals.find(({ id }) => id === vote.proposalId);
  const change = evidence.changes.get(`${vote.proposalId} ${vote.digest}`);
  if (step === undefined || proposal === undefined || change === undefined) return ['of an unknown change'];
  const paths = pathsOf(change);
  const reached = grant.glob === null ? grantedPaths(grant) : globPattern(grant.glob);
  const postedAt = Date.parse(proposal.comment?.createdAt ?? '');
  const between = evidence.saved.filter(
    (one) => one.index > grant.index && one.index < index && one.saved.claim.pullRequestKey === grant.pullKey,
  );
  return [
    ...(paths.some((path) => PROTECTED.test(path)) ? ['although its file is protected'] : []),
    ...(vote.by.id === grant.by ? [] : ['in the name of another person']),
    ...(step.step.pull.run?.task.by.id === grant.by ? [] : ['in another person’s run']),
    ...(step.step.pull.run?.assessed.baseRef === grant.baseRef ? [] : ['given for another base branch']),
    ...(step.claim.pullRequestKey === grant.pullKey ? [] : ['of another pull request']),
    ...(proposal.origin.kind === 'call' && proposal.origin.tool === grant.tool ? [] : ['for another tool']),
    ...(paths.every((path) => reached.test(path)) ? [] : [`which does not reach ${paths.join(', ')}`]),
    ...(MISLEADING_LINE.test(changeDiff(change) ?? '') ? ['although it has invisible characters'] : []),
    ...(change.members.every(({ op }) => op === 'edit' || op === 'write') ? [] : ['although it is no edit']),
    ...(postedAt >= Date.parse(grant.createdAt) + 1_000 ? [] : ['although it was posted no later second']),
    ...(couldWrite(evidence, vote.by.id, grant.index, index) ? [] : ['whose author could not write']),
    ...(between.some(({ saved }) => endsIt(saved, vote)) ? ['which had ended'] : []),
    ...(evidence.votes.some((other) => other.index === index && other.vote !== vote && isSameVoter(other.vote, vote))
      ? ['twice for one person']
      : []),
  ];
}

/** Files that the worlds of the laboratory have, and that always need a person. */
const PROTECTED = /(?:^|\/)agents\.md$|^\.github\//i;

/** An added line with one of the invisible characters that hostile models write. */
const MISLEADING_LINE = /^\+[^\n]*[[\u{200B}\u{202C}\u{202E}\u{2028}\p{Cc}]--[\t\n\r]]/mv;

/** The path of the granted change; none where it has several. */
function grantedPaths({ change }: StandingGrant): RegExp {
  const [path, ...others] = change === undefined ? [] : pathsOf(change);
  return path === undefined || others.length > 0 ? /^(?!)/ : new RegExp(`^${escapePattern(path)}$`);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[^\w/]/g, '\\$&');
}

/** By the definition in the documentation, from the root. */
function globPattern(glob: string): RegExp {
  const parts = glob.split('/').map((part, at, all) => {
    if (part === '**') return at === all.length - 1 ? '.+' : '(?:.+/)?';
    const name = part.replaceAll(/[*?]|[^*?]+/g, (piece) =>
      piece === '*' ? '[^/]*' : piece === '?' ? '[^/]' : escapePattern(piece),
    );
    return at === all.length - 1 ? name : `${name}/`;
  });
  return new RegExp(`^${parts.join('')}$`);
}

function isSameVoter(left: Vote, right: Vote): boolean {
  return left.proposalId === right.proposalId && left.by.id === right.by.id && isUse(left);
}

/** Whether this step took the standing approval back, or closed the pull request. */
function endsIt({ signal, step }: SavedStep, vote: Vote): boolean {
  if (step.reason === 'pull-closed' || step.reason === 'access-lost') return true;
  return revokedNumber({ signal, step }) === vote.standingApproval?.number;
}

function revokedNumber({ signal, step }: Pick<SavedStep, 'signal' | 'step'>): number | null {
  if (step.reason !== 'standing-approval-revoked' || signal.type !== 'intent') return null;
  const parsed = signal.intent.kind === 'comment' ? signal.intent.parsed : null;
  return parsed?.kind === 'command' && parsed.command.name === 'revoke' ? parsed.command.number : null;
}

/** S126: no commit attempt begins on a vote whose standing approval was taken back before. */
export const revokedUsesDoNotCommit: CaseCheck = (evidence) =>
  evidence.commits.flatMap(({ index, plan }) => {
    const start = evidence.saved.findLast(
      (one) =>
        one.index < index &&
        one.saved.signal.type === 'commit-preflight' &&
        one.saved.signal.checks.some(({ proposalId }) => plan.proposalIds.includes(proposalId)),
    );
    if (start === undefined) return [];
    return plan.proposalIds
      .filter((id) => {
        const approvals = approvalsOf(evidence, id, { before: start.index });
        return approvals.length > 0 && approvals.every((one) => wasEnded(evidence, one, start.index));
      })
      .map((id) => `S126: ${id} was committed after its standing approval had ended`);
  });

function wasEnded(evidence: CaseEvidence, { index, vote }: NumberedVote, before: number): boolean {
  if (!isUse(vote)) return false;
  const pullKey = evidence.saved.find((one) => one.index === index)?.saved.claim.pullRequestKey;
  return evidence.saved.some(
    (one) =>
      one.index > index && one.index < before && one.saved.claim.pullRequestKey === pullKey && endsIt(one.saved, vote),
  );
}
