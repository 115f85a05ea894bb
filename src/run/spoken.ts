import type { SaidIntent } from '../command/intent.ts';
import { decidingVotes } from '../policy/approvals.ts';
import type { Standing } from '../policy/roles.ts';
import type { Answer, Named, Settled } from './answer.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects } from './draft.ts';
import type { Facts } from './facts.ts';
import { type Permission, type Person, type Proposal, shownChange, type Vote } from './proposal.ts';
import type { Reason } from './reason.ts';
import type { Pull } from './run.ts';
import type { Step } from './step.ts';
import type { Words } from './targets.ts';

/** Words of a person whose standing is known: what every command's handler gets. */
export type Spoken = {
  readonly pull: Pull;
  readonly intent: SaidIntent;
  readonly deliveryId: string;
  readonly facts: Facts;
  readonly person: Person;
  readonly permission: Permission;
  readonly standing: Standing;
  readonly words: Words;
};

/** One answer where the words stand, and nothing else. */
export function reply(spoken: Spoken, answer: Answer, reason: Reason): Step {
  return finish(withAnswer(draftOf(spoken.pull), spoken.intent.place, answer), reason);
}

/** What somebody asked to be told, with the reaction that every accepted command gets. */
export function inform(spoken: Spoken, answer: Answer): Step {
  const { place } = spoken.intent;
  const seen = withEffects(draftOf(spoken.pull), { type: 'react', place, content: '+1' });
  return finish(withAnswer(seen, place, answer), 'informed');
}

export function voteOf(spoken: Spoken, proposal: Proposal, action: Vote['action'], text: string | null): Vote {
  const { place, bodyHash } = spoken.intent;
  return {
    proposalId: proposal.id,
    digest: shownChange(proposal).digest,
    action,
    by: spoken.person,
    permission: spoken.permission,
    surface: place.at,
    commentId: place.at === 'review' ? place.reviewId : place.commentId,
    bodyHash,
    deliveryId: spoken.deliveryId,
    head: proposal.head,
    at: spoken.facts.now,
    text: text === '' ? null : text,
  };
}

export function named(proposal: Proposal): Named {
  return { id: proposal.id, title: proposal.change.payload.description, url: proposal.comment?.url ?? null };
}

export function settled(proposal: Proposal): Settled {
  return {
    id: proposal.id,
    state: proposal.state,
    by: decidingVotes(proposal).at(-1)?.by ?? null,
    commit: proposal.commit,
    replacedBy: proposal.replacedBy,
  };
}

/** Adds what people must know beside the decision: what was decided before, and what came too late for the words. */
export function withLeftovers(
  draft: Draft,
  spoken: Spoken,
  done: readonly Proposal[],
  left: readonly Proposal[],
): Draft {
  const place = spoken.intent.place;
  const told = done.length === 0 ? draft : withAnswer(draft, place, { kind: 'settled', proposals: done.map(settled) });
  return left.length === 0 ? told : withAnswer(told, place, { kind: 'posted-later', left: left.map(named) });
}
