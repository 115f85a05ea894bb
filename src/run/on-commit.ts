import { approvalsOf } from '../policy/approvals.ts';
import { failedOutput } from '../prompt/outputs.ts';
import { applied } from './applied.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { tellDoubted, withoutApprovals } from './doubted.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withEffects, withProposal, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { judgeHead } from './judge-head.ts';
import { withOwnEdit } from './own-edit.ts';
import { isPending, isUnderWay, type Person, type Proposal, type Write } from './proposal.ts';
import type { Pull, Run } from './run.ts';
import type { Signal } from './signal.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Committed = Extract<Signal, { type: 'committed' }>;
type Unread = Extract<Signal, { type: 'commit-unread' }>;
type Differs = Extract<Signal, { type: 'commit-differs' }>;
type Failed = Extract<Signal, { type: 'commit-failed' }>;
type Delayed = Extract<Signal, { type: 'commit-delayed' }>;
type Missed = Extract<Signal, { type: 'commit-missed' }>;

type Completion = Pick<Proposal, 'commit' | 'made' | 'note'>;

/** The commit holds it. */
export function completeAt(draft: Draft, proposal: Proposal, as: Completion, now: string): Draft {
  const done = withProposal(draft, { ...moved(proposal, 'completed', now), ...as });
  return showing(answerProposal(done, proposal, applied(proposal)), proposal);
}

/** What the commit made is done, and known to the line where its run is still there. */
export function withLanded(pull: Pull, signal: Committed, facts: Facts): Draft {
  const landed = executingOf(pull, signal.proposalIds);
  const done = landed.reduce((draft, one) => {
    const made = Object.hasOwn(signal.made, one.id) ? (signal.made[one.id] ?? null) : null;
    return completeAt(draft, one, { commit: signal.sha, made, note: null }, facts.now);
  }, draftOf(pull));
  const told = landed.length > 1 ? withAnswer(done, { at: 'pull' }, committedAnswer(landed, signal.sha)) : done;
  const run = pull.run;
  const written = { ...told, writes: writesOf(pull, signal) };
  return run === null ? written : withRun(written, { ownEdits: ownEditsAfter(run, signal) });
}

/** The commit landed, whatever has become of its run since. The other open proposals are judged against it. */
export function onCommitted(pull: Pull, signal: Committed, facts: Facts): Step {
  const landed = withLanded(pull, signal, facts);
  const { run } = pull;
  if (run === null) return finish(landed, 'committed');
  const head = signal.away ? (facts.pull?.headSha ?? run.head) : signal.sha;
  const judged = withCommit(judgeHead(landed, head, facts, null), run, signal);
  if (isGone(run)) return finish({ ...judged, effects: [] }, 'committed');
  return finish(refreshed(settleBatch(judged, facts.now), run.id), 'committed');
}

/**
 * The run counts the commit as its own where something of it is: one that was under way when an earlier run ended, and
 * landed now, is that one's.
 */
export function withCommit(
  draft: Draft,
  run: Run,
  { sha, proposalIds }: Pick<Committed, 'sha' | 'proposalIds'>,
): Draft {
  const isOwn = draft.pull.proposals.some(
    ({ id, runId, commit }) => runId === run.id && (commit === sha || proposalIds.includes(id)),
  );
  return withRun(draft, { commits: isOwn && !run.commits.includes(sha) ? [...run.commits, sha] : run.commits });
}

/**
 * The ledger has it at once, as it was asked for: who would read it back may lose the access to it before. No other commit
 * is made of these, though somebody pushes this one away.
 */
export function onCommitUnread(pull: Pull, signal: Unread): Step {
  const made = executingOf(pull, signal.proposalIds);
  const known = made.reduce((draft, one) => withProposal(draft, { ...one, commit: signal.sha }), draftOf(pull));
  return finish({ ...known, writes: writesOf(pull, signal) }, 'commit-unread');
}

/** Its answer came after the word that the App may not work here any more: there is nobody to be told. */
export function isGone({ phase }: Run): boolean {
  return phase.kind === 'ended' && phase.how === 'access-lost';
}

/** The ledger's rows of a commit, whatever has become of its proposals meanwhile. */
export function writesOf(
  { proposals }: Pull,
  { sha, parent, proposalIds, made = {} }: Committed | Unread | Differs,
): readonly Write[] {
  return proposals
    .filter(({ id }) => proposalIds.includes(id))
    .map((one) => {
      const { id: proposalId, runId, change } = one;
      const own = Object.hasOwn(made, proposalId) ? made[proposalId] : undefined;
      return {
        proposalId,
        runId,
        commit: sha,
        parent: parent ?? null,
        shownDigest: change.digest,
        made: own ?? { digest: change.digest, range: null },
        approvers: approversOf(one),
      };
    });
}

/** Each person once. */
function approversOf(proposal: Proposal): readonly Person[] {
  return [...new Map(approvalsOf(proposal).map(({ by }) => [by.id, by])).values()];
}

function committedAnswer(landed: readonly Proposal[], sha: string): Parameters<typeof withAnswer>[2] {
  return { kind: 'committed', sha, applied: landed.map(named) };
}

/** The run comment of a run that is over still tells what landed. */
function refreshed(draft: Draft, runId: string): Draft {
  return withEffects(draft, { type: 'show-run', runId });
}

function executingOf(pull: Pull, ids: readonly string[]): readonly Proposal[] {
  return pull.proposals.filter((one) => ids.includes(one.id) && one.state === 'executing');
}

function ownEditsAfter(run: Run, signal: Committed): Run['ownEdits'] {
  return signal.files.reduce((edits: Run['ownEdits'], file) => withOwnEdit(edits, file), run.ownEdits);
}

/** GitHub refused for good, or the branch never stood still: nothing was written. */
export function onCommitFailed(pull: Pull, signal: Failed, facts: Facts): Step {
  // What another attempt is making may be made: that one tells.
  const failed = pull.proposals.filter(
    (one) => (isUnderWay(one) && signal.proposalIds.includes(one.id)) || (signal.byRule && one.state === 'approved'),
  );
  const done = failed.reduce((draft, one) => fail(draft, one, signal.message, facts.now), draftOf(pull));
  const answer = { kind: 'commit-failed', proposals: failed.map(named), message: signal.message } as const;
  const told = failed.length === 0 ? done : withAnswer(done, { at: 'pull' }, answer);
  const refused = signal.byRule ? onlySuggestions(told) : told;
  return finish(settleBatch(refused, facts.now), 'commit-failed');
}

/** A rule would refuse every other commit too: what waits says from now on that only people can apply it. */
function onlySuggestions(draft: Draft): Draft {
  const waiting = draft.pull.proposals.filter(isPending);
  return waiting.reduce(showing, withRun(draft, { pushRefused: true }));
}

/** How long a branch may keep moving under our attempts. */
const MOVING_MS = 10 * 60_000;

/**
 * The branch moved before the attempt: nothing was written, and these are approved as before, for a while. Where words
 * were put aside meanwhile, nobody has approved them any more.
 */
export function onCommitMissed(pull: Pull, signal: Missed, facts: Facts): Step {
  const missed = executingOf(pull, signal.proposalIds);
  const tired = missed.filter((one) => one.missedSince !== null && msBetween(one.missedSince, facts.now) > MOVING_MS);
  if (tired.length > 0) {
    const proposalIds = tired.map((one) => one.id);
    return onCommitFailed(
      pull,
      { ...signal, type: 'commit-failed', proposalIds, message: 'the branch kept moving', byRule: false },
      facts,
    );
  }
  const back = missed.reduce((draft, one) => {
    const missedSince = one.missedSince ?? facts.now;
    const again = { ...moved(one, 'approved', facts.now), missedSince };
    return one.doubted ? withoutApprovals(draft, again, facts.now) : withProposal(draft, again);
  }, draftOf(pull));
  return finish(tellDoubted(back, missed), 'commit-missed');
}

/** Whoever approved sees that it is not forgotten: nothing else shows while attempts fail. */
export function onCommitDelayed(pull: Pull, { proposalIds, place }: Delayed): Step {
  const waiting = pull.proposals.filter((one) => isUnderWay(one) && proposalIds.includes(one.id));
  if (waiting.length === 0) return ignore(pull, 'commit-delayed');
  const answer = { kind: 'commit-delayed', proposals: waiting.map(named) } as const;
  const once = `commit-delayed:${proposalIds.join()}`;
  return finish(withAnswer(draftOf(pull), place ?? { at: 'pull' }, answer, once), 'commit-delayed');
}

function msBetween(earlier: string, later: string): number {
  return Date.parse(later) - Date.parse(earlier);
}

function fail(draft: Draft, proposal: Proposal, message: string, now: string): Draft {
  const begun = proposal.state === 'approved' ? moved(proposal, 'executing', now) : proposal;
  const failed = withProposal(draft, { ...moved(begun, 'failed', now), note: message });
  return showing(answerProposal(failed, proposal, failedOutput(message)), proposal);
}
