import { lineOf } from '../change/region.ts';
import { type Stands, verdictOf } from '../policy/judge-push.ts';
import { showing } from './batch.ts';
import { completeByPush, type Pushed, type Pusher } from './completed-by-push.ts';
import { type Draft, withEffects, withProposal, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import type { JudgedPath } from './judging.ts';
import { openProposals } from './open-proposals.ts';
import { withOwnEdit } from './own-edit.ts';
import { isPending, type Proposal } from './proposal.ts';
import type { Run } from './run.ts';
import { supersede, tellStale } from './superseded.ts';

/**
 * Applies what was judged of every open proposal at the head as it is now: what the head contains is completed, what still
 * applies stays, the rest is superseded. Needs the fact `judged` where the head moved.
 */
export function judgeHead(draft: Draft, head: string, facts: Facts, pusher: Pusher | null): Draft {
  const run = draft.pull.run;
  const { judged } = facts;
  if (run === null || head === run.head || judged === undefined) return draft;
  const open = openProposals(draft.pull.proposals);
  const at = { head, facts, pusher };
  const byPath = judged.paths.reduce((next, path) => applyPath(next, path, at), draft);
  const all = judged.moves.reduce((next, one) => applyOne(next, one, at), byPath);
  const judgedAt = withRun(all, { head, commits: commitsWith(all, run, head) });
  return tellStale(seeingOutdated(judgedAt, run.id), open);
}

/** A suggestion block whose lines left the pull request's diff has a button that does nothing; GitHub tells nobody. */
function seeingOutdated(draft: Draft, runId: string): Draft {
  const pressable = draft.pull.proposals.some((one) => isPending(one) && one.placement?.kind === 'suggestion');
  return pressable ? withEffects(draft, { type: 'see-outdated', runId }) : draft;
}

/** A push that completed proposals carried this run's changes, whoever pushed it. */
function commitsWith(judged: Draft, run: Run, head: string): readonly string[] {
  const carried = judged.pull.proposals.some((one) => one.commit === head);
  return carried && !run.commits.includes(head) ? [...run.commits, head] : run.commits;
}

function applyPath(draft: Draft, { path, contained, own, others }: JudgedPath, at: Pushed): Draft {
  const done = contained.reduce((next, id) => {
    const proposal = openOf(next, id);
    return proposal === null ? next : completeByPush(next, proposal, at);
  }, draft);
  const ownEdits = done.pull.run?.ownEdits ?? {};
  const owned = own === null ? done : withRun(done, { ownEdits: withOwnEdit(ownEdits, { path, ...own }) });
  return others.reduce((next, one) => applyOne(next, one, at), owned);
}

function openOf({ pull }: Draft, id: string): Proposal | null {
  return openProposals(pull.proposals).find((one) => one.id === id) ?? null;
}

function applyOne(draft: Draft, { id, standing }: Stands, at: Pushed): Draft {
  const proposal = openOf(draft, id);
  if (proposal === null) return draft;
  const verdict = verdictOf(proposal.change, standing);
  switch (verdict.kind) {
    case 'applies':
      return moveTo(draft, proposal, lineOf(verdict.region));
    case 'already-there':
      return completeByPush(draft, proposal, at);
    case 'stale':
      return supersede(draft, proposal, verdict, { head: at.head, now: at.facts.now });
  }
}

/** It still applies; where its lines are others now, its comment says so. */
function moveTo(draft: Draft, proposal: Proposal, line: number): Draft {
  const proposed = proposal.change.region;
  if (proposed === null || line === (proposal.movedTo ?? lineOf(proposed))) return draft;
  return showing(withProposal(draft, { ...proposal, movedTo: line }), proposal);
}
