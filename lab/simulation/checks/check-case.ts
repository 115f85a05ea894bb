import { canTransition, isOpen } from '../../../src/core/state/proposal.ts';
import { pullRequestKey } from '../../../src/core/state/pull-state.ts';
import { expiresAt } from '../../../src/core/state/run.ts';
import { approvalsAreEnough, buttonsCoverTheirList } from './approvals.ts';
import * as calls from './calls.ts';
import * as comments from './comments.ts';
import { commitsAreApproved, commitsHappenOnce, commitsVerify, forksStayUntouched } from './commits.ts';
import * as denials from './denials.ts';
import { type CaseCheck, collectEvidence, isInstalled, type PlayedCase } from './evidence.ts';
import * as lostWebhooks from './lost-webhooks.ts';
import * as pathRules from './path-rules.ts';
import * as pushes from './pushes.ts';
import * as questions from './questions.ts';
import * as standingApprovals from './standing-approvals.ts';

/** After the conversation the case finishes, without pending work or dead letters. */
const allWorkIsDone: CaseCheck = ({ played, finalState }) => {
  // Comments that arrive after the App's removal can end as dead letters.
  const { installations } = played.simulatedGitHub.state;
  const deadLetters = finalState.deadLetters.filter(({ pullKey }) => installations.has(Number(pullKey.split('/')[0])));
  return [
    ...(played.hasFinished ? [] : [`the case still has work after ${played.eventCount} events`]),
    ...(finalState.pendingCount === 0 ? [] : [`${finalState.pendingCount} signals and effects are still pending`]),
    ...deadLetters.map(({ error }) => `a signal is a dead letter: ${error}`),
  ];
};

/** After a finished case every run has ended and no proposal is pending. */
const nothingStaysPending: CaseCheck = ({ saved, finalProposals }) => {
  const lastRuns = new Map(saved.map(({ saved: { claim, step } }) => [claim.pullRequestKey, step.pull.run]));
  const runProblems = [...lastRuns.values()].flatMap((run) =>
    run === null || run.phase.kind === 'ended' ? [] : [`the run ends in the phase ${run.phase.kind}`],
  );
  const proposalProblems = [...finalProposals]
    .filter(([, { state }]) => state === 'proposed')
    .map(([id]) => `${id} stays pending`);
  return [...runProblems, ...proposalProblems];
};

/** A run that awaits decisions has an open proposal or an open question (S88). */
const waitingRunsHaveOpenProposals: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run, proposals } = step.pull;
    if (
      run?.phase.kind !== 'awaiting-decisions' ||
      proposals.some((proposal) => proposal.runId === run.id && isOpen(proposal)) ||
      run.questions.some(({ state }) => state === 'asked')
    )
      return [];
    return [`the run awaits decisions without an open proposal or question (${step.reason})`];
  });

/** No proposal expires before its time, or while stored comments are pending (S85). */
const expiryWaitsForComments: CaseCheck = ({ events, played }) => {
  const pendingDeliveries = new Map<string, string>();
  return events.flatMap((event) => {
    if (event.kind === 'received' && event.receipt === 'stored')
      pendingDeliveries.set(event.delivery.id, pullRequestKey(event.delivery.intent.pull));
    if (event.kind !== 'saved' || event.result !== 'saved') return [];
    const { signal, step, before, claim, at } = event;
    if (signal.type === 'intent') pendingDeliveries.delete(signal.deliveryId);
    const expired = step.pull.proposals.filter(({ id, state }) => state === 'expired' && before.get(id) !== state);
    const early = expired.filter(({ proposedAt }) => !(Date.parse(expiresAt(step.pull.run, proposedAt) ?? '') <= at));
    // Comments are not processed after the App's removal.
    const installed = isInstalled({ played }, step.pull.ref);
    const pending = [...pendingDeliveries]
      .filter(([, key]) => installed && key === claim.pullRequestKey)
      .map(([id]) => id);
    const unread = expired.length > 0 && pending.length > 0;
    return [
      ...early.map(({ id }) => `${id} expired before its time`),
      ...(unread ? [`a proposal expired while ${pending.join(', ')} was pending`] : []),
    ];
  });
};

/**
 * Only the newest holder of a claim saves steps (fencing). After the App's removal the pull request is deleted, and its
 * fencing token can restart.
 */
const onlyTheHolderWrites: CaseCheck = ({ events, played }) => {
  const newestTokens = new Map<string, number>();
  const { installations } = played.simulatedGitHub.state;
  return events.flatMap((event) => {
    if (event.kind !== 'claimed' && event.kind !== 'saved') return [];
    const { pullRequestKey, fencingToken } = event.claim;
    const newest = newestTokens.get(pullRequestKey) ?? 0;
    if (event.kind === 'claimed')
      newestTokens.set(
        pullRequestKey,
        installations.has(Number(pullRequestKey.split('/')[0])) ? Math.max(newest, fencingToken) : fencingToken,
      );
    if (event.kind !== 'saved' || event.result !== 'saved' || fencingToken >= newest) return [];
    return [`a worker saved a step (${event.step.reason}) after it had lost its claim`];
  });
};

/** Each comment is decided at most once, although several deliveries can report it. */
const commentsDecideOnce: CaseCheck = ({ saved }) => {
  const seen = new Set<string>();
  return saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'comment') return [];
    const key = JSON.stringify(signal.intent.location);
    if (seen.has(key)) return [`the comment at ${key} was decided twice (${step.reason})`];
    seen.add(key);
    return [];
  });
};

/** Each state change is in the table of transitions, or combines two of them. */
const statesFollowTransitions: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { before, step } }) =>
    step.pull.proposals.flatMap(({ id, state }) => {
      const previous = before.get(id);
      if (previous === undefined || previous === state || canTransition(previous, state)) return [];
      const isCombined = (['approved', 'executing'] as const).some(
        (between) => canTransition(previous, between) && canTransition(between, state),
      );
      return isCombined ? [] : [`${id} went from ${previous} to ${state}`];
    }),
  );

/** An id is never given to a second proposal or question, even after the first was deleted. */
const idsNameOneProposal: CaseCheck = ({ saved }) => {
  const runIds = new Map<string, string>();
  return saved.flatMap(({ saved: { step } }) => {
    const questions = step.pull.run?.questions.map(({ id, runId }) => ({ id, runId: `${runId} (question)` })) ?? [];
    return [...step.pull.proposals, ...questions].flatMap(({ id, runId }) => {
      const first = runIds.get(id) ?? runId;
      runIds.set(id, first);
      return first === runId ? [] : [`${id} is the id of a proposal of run ${first} and of one of run ${runId}`];
    });
  });
};

/** Every export of these files is a check. */
const CHECKS_OF_FILES = [
  ...[standingApprovals, pathRules, denials, lostWebhooks, comments],
  ...[pushes, calls, questions],
];

const CASE_CHECKS: readonly CaseCheck[] = [
  ...[commitsAreApproved, commitsHappenOnce, forksStayUntouched, approvalsAreEnough, buttonsCoverTheirList],
  ...CHECKS_OF_FILES.flatMap((checks): CaseCheck[] => Object.values(checks)),
  ...[allWorkIsDone, idsNameOneProposal, nothingStaysPending, waitingRunsHaveOpenProposals],
  ...[expiryWaitsForComments, onlyTheHolderWrites, commentsDecideOnce, statesFollowTransitions],
];

/** Runs all checks on a played case. Returns a description of each problem. */
export async function checkCase(played: PlayedCase): Promise<readonly string[]> {
  const evidence = collectEvidence(played, await played.database.readFinalState());
  return [...CASE_CHECKS.flatMap((check) => check(evidence)), ...(await commitsVerify(evidence))];
}
