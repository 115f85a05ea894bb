import { canTransition, isOpen } from '../../../src/core/state/proposal.ts';
import { pullRequestKey } from '../../../src/core/state/run.ts';
import {
  acknowledgedDeliveriesAreStored,
  changeRequestsAreReleased,
  commandsAreAnswered,
  commentsArePostedOnce,
  decisionsAreShown,
  notesReachTheModel,
  repliesArePosted,
  runEndsAreShown,
  threadsAreResolved,
  userTextStaysInert,
} from './comments.ts';
import {
  approversCanWrite,
  checkLedger,
  commitsAreApproved,
  commitsHappenOnce,
  forksStayUntouched,
} from './commits.ts';
import { deadLettersSuspendApprovals, denialsDuringSuspensionHold, denialsHold } from './denials.ts';
import { type CaseCheck, collectEvidence, isInstalled, type PlayedCase } from './evidence.ts';
import {
  commentsAreReadBeforeExpiry,
  lostWebhooksAreRecovered,
  suspensionCommentsAreRead,
  uninstallIsFinal,
  uninstallIsProcessed,
} from './lost-webhooks.ts';

/** Nothing is left undone, given up or going on for ever once people have stopped talking. */
const allWorkIsDone: CaseCheck = ({ played, finalState }) => {
  // What was written to the App before it was removed may come after, and can never be decided.
  const { installations } = played.simulatedGitHub.state;
  const parked = finalState.deadLetters.filter(({ pullKey: key }) => installations.has(Number(key.split('/')[0])));
  return [
    ...(played.cameToRest ? [] : [`it does not come to rest within ${played.eventCount} events`]),
    ...(finalState.pendingCount === 0 ? [] : [`${finalState.pendingCount} signals and effects are left`]),
    ...parked.map(({ error }) => `a signal was given up: ${error}`),
  ];
};

/** Whatever waits for people waits for a while: at rest every run has ended, and no change is open. */
const nothingStaysPending: CaseCheck = ({ saved, finalProposals }) => {
  const last = new Map(saved.map(({ saved: { claim, step } }) => [claim.pullRequestKey, step.pull.run]));
  const runs = [...last.values()].flatMap((run) =>
    run === null || run.phase.kind === 'ended' ? [] : [`the run is ${run.phase.kind} for ever`],
  );
  const open = [...finalProposals]
    .filter(([, { state }]) => state === 'proposed')
    .map(([id]) => `${id} waits for ever`);
  return [...runs, ...open];
};

/** A run that waits for people has something that they can decide, or that is being made (S88). */
const waitingRunsHaveOpenProposals: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { step } }) => {
    const { run, proposals } = step.pull;
    if (run?.phase.kind !== 'awaiting-decisions' || proposals.some((one) => one.runId === run.id && isOpen(one)))
      return [];
    return [`the run waits, and nothing is open (${step.reason})`];
  });

/** Nothing expires before its time, or while words wait that were stored before (S85). */
const expiryWaitsForComments: CaseCheck = ({ events, played }) => {
  const unheard = new Map<string, string>();
  return events.flatMap((one) => {
    if (one.kind === 'received' && one.receipt === 'stored')
      unheard.set(one.delivery.id, pullRequestKey(one.delivery.intent.pull));
    if (one.kind !== 'saved' || one.result !== 'saved') return [];
    if (one.signal.type === 'intent') unheard.delete(one.signal.deliveryId);
    const gone = one.step.pull.proposals.filter(({ id, state }) => state === 'expired' && one.before.get(id) !== state);
    const early = gone.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > one.at);
    // What was written to the App before it was removed can never be decided.
    const reached = isInstalled({ played }, one.step.pull.ref);
    const waiting = [...unheard].filter(([, key]) => reached && key === one.claim.pullRequestKey).map(([id]) => id);
    const deaf = gone.length > 0 && waiting.length > 0 ? [`something expired while ${waiting.join(', ')} waited`] : [];
    return [...early.map(({ id }) => `${id} expired before its time`), ...deaf];
  });
};

/**
 * Only the newest holder of a pull request writes (fencing). What the App was removed from is forgotten after a while: a
 * webhook that comes later begins to count anew.
 */
const onlyTheHolderWrites: CaseCheck = ({ events, played }) => {
  const newest = new Map<string, number>();
  const { installations } = played.simulatedGitHub.state;
  return events.flatMap((event) => {
    if (event.kind !== 'claimed' && event.kind !== 'saved') return [];
    const { pullRequestKey, fencingToken } = event.claim;
    const known = newest.get(pullRequestKey) ?? 0;
    if (event.kind === 'claimed')
      newest.set(
        pullRequestKey,
        installations.has(Number(pullRequestKey.split('/')[0])) ? Math.max(known, fencingToken) : fencingToken,
      );
    if (event.kind !== 'saved' || event.result !== 'saved' || fencingToken >= known) return [];
    return [`a holder wrote (${event.step.reason}) after it had lost the pull request`];
  });
};

/** Each thing that people said is decided at most once, whatever deliveries told of it. */
const commentsDecideOnce: CaseCheck = ({ saved }) => {
  const seen = new Set<string>();
  return saved.flatMap(({ saved: { signal, step } }) => {
    if (signal.type !== 'intent' || signal.intent.kind !== 'comment') return [];
    const key = JSON.stringify(signal.intent.location);
    if (seen.has(key)) return [`the words at ${key} were decided twice (${step.reason})`];
    seen.add(key);
    return [];
  });
};

/** Every saved step is a way that the table of states has, or several of them. */
const statesFollowTransitions: CaseCheck = ({ saved }) =>
  saved.flatMap(({ saved: { before, step } }) =>
    step.pull.proposals.flatMap(({ id, state }) => {
      const was = before.get(id);
      if (was === undefined || was === state || canTransition(was, state)) return [];
      const through = (['approved', 'executing'] as const).some(
        (by) => canTransition(was, by) && canTransition(by, state),
      );
      return through ? [] : [`${id} went from ${was} to ${state}`];
    }),
  );

/** I15: long after everything was over nobody's words are left, in the ledger neither. */
const textIsDeleted: CaseCheck = ({ played, finalState }) =>
  played.cleansUp && finalState.textRowCount > 0 ? [`I15: ${finalState.textRowCount} rows still hold words`] : [];

/** An id names one proposal for ever, whatever was forgotten in between. */
const idsNameOneProposal: CaseCheck = ({ saved }) => {
  const known = new Map<string, string>();
  return saved.flatMap(({ saved: { step } }) =>
    step.pull.proposals.flatMap(({ id, runId }) => {
      const first = known.get(id) ?? runId;
      known.set(id, first);
      return first === runId ? [] : [`${id} names a proposal of ${first} and one of ${runId}`];
    }),
  );
};

/** Everything that holds in every case, whatever happens. */
const CASE_CHECKS: readonly CaseCheck[] = [
  commitsAreApproved,
  commitsHappenOnce,
  forksStayUntouched,
  approversCanWrite,
  denialsHold,
  denialsDuringSuspensionHold,
  deadLettersSuspendApprovals,
  uninstallIsFinal,
  uninstallIsProcessed,
  decisionsAreShown,
  runEndsAreShown,
  changeRequestsAreReleased,
  threadsAreResolved,
  notesReachTheModel,
  repliesArePosted,
  commentsArePostedOnce,
  commandsAreAnswered,
  acknowledgedDeliveriesAreStored,
  lostWebhooksAreRecovered,
  userTextStaysInert,
  allWorkIsDone,
  textIsDeleted,
  idsNameOneProposal,
  nothingStaysPending,
  waitingRunsHaveOpenProposals,
  expiryWaitsForComments,
  onlyTheHolderWrites,
  commentsAreReadBeforeExpiry,
  suspensionCommentsAreRead,
  commentsDecideOnce,
  statesFollowTransitions,
];

/** What is wrong in a case that was played, in words; empty where nothing is. */
export async function checkCase(played: PlayedCase): Promise<readonly string[]> {
  const evidence = collectEvidence(played, await played.database.readFinalState());
  return [...CASE_CHECKS.flatMap((check) => check(evidence)), ...(await checkLedger(evidence))];
}
