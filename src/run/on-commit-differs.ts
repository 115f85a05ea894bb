import { differenceWords } from '../render/difference-words.ts';
import { sha7 } from '../render/words.ts';
import { showing } from './batch.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects, withProposal } from './draft.ts';
import { cancelUndos, endRun } from './end-run.ts';
import type { Facts } from './facts.ts';
import { isGone, withCommit, writesOf } from './on-commit.ts';
import type { Proposal } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import type { Signal } from './signal.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Differs = Extract<Signal, { type: 'commit-differs' }>;

/**
 * GitHub made a commit of an attempt, and it is not what people approved: said wherever people look, and nothing
 * further is committed until somebody gives another task.
 */
export function onCommitDiffers(pull: Pull, signal: Differs, facts: Facts): Step {
  const words = differenceWords(signal.differences);
  const made = pull.proposals.filter((one) => signal.proposalIds.includes(one.id) && one.state === 'executing');
  const told = made.reduce((draft, one) => failAt(draft, one, signal.sha, words, facts.now), draftOf(pull));
  const counted = pull.run === null ? told : withCommit(told, pull.run, signal);
  // The ledger has it as it was asked for; that it holds something else is what became of the changes.
  const written = { ...counted, writes: writesOf(pull, signal) };
  if (pull.run !== null && isGone(pull.run)) return finish({ ...written, effects: [] }, 'commit-differs');
  return finish(over(written, made, { sha: signal.sha, words }, facts.now), 'commit-differs');
}

function failAt(draft: Draft, proposal: Proposal, commit: string, note: string, now: string): Draft {
  return showing(withProposal(draft, { ...moved(proposal, 'failed', now), commit, note }), proposal);
}

type Found = { readonly sha: string; readonly words: string };

/** The end of the run says it; where there is none to end, an answer of its own does. */
function over(draft: Draft, made: readonly Proposal[], { sha, words }: Found, now: string): Draft {
  const { run } = draft.pull;
  if (activeRun(draft.pull) !== null) {
    const note = `⚠️ In commit ${sha7(sha)} ${words}. Somebody has to look at it; nothing further is committed.`;
    return endRun(draft, { how: 'commit-differs', by: null, note }, now);
  }
  const alone = cancelUndos(draft, 'commit-differs', now);
  const answer = { kind: 'commit-differs', sha, proposals: made.map(named), words } as const;
  const told = withAnswer(alone, { at: 'pull' }, answer);
  return run === null ? told : withEffects(told, { type: 'show-run', runId: run.id });
}
