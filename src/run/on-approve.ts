import type { Command } from '../command/intent.ts';
import type { ApprovalRules } from '../policy/approval-rules.ts';
import { cleanText } from '../prompt/clean-text.ts';
import type { Answer } from './answer.ts';
import { countingOf } from './approval-refusal.ts';
import { missingApprovals, withApproval } from './approvals.ts';
import { barred } from './barred.ts';
import { type Draft, draftOf, finish, withAnswer, withEffects } from './draft.ts';
import type { Proposal } from './proposal.ts';
import { type Resolved, resolveAim } from './resolve-aim.ts';
import { mayHaveShownElse, restore } from './restore.ts';
import { named, reply, type Spoken, voteOf, withLeftovers } from './spoken.ts';
import type { Step } from './step.ts';
import { damageOf } from './tampered.ts';
import { isWhereItStood } from './targets.ts';

type Approve = Extract<Command, { name: 'approve' }>;

/** `/approve`: a vote for each, then one commit of all that have as many as the repository asks for. */
export function onApprove(spoken: Spoken, command: Approve): Step {
  const found = resolveAim(spoken, 'approve', command.targets);
  if (found.kind === 'answered') return found.step;
  const bar = (command.targets.by === 'place' ? doubtOfPlace(spoken, found.open) : null) ?? barred(spoken);
  if (bar !== null) return bar;
  const counting = countingOf(spoken, found.open);
  if (counting.kind === 'refused') return counting.step;
  return doubtOfShown(spoken, found.open) ?? vote(spoken, found, counting.rules, cleanText(command.note).text);
}

type Found = Extract<Resolved, { kind: 'these' }>;

function vote(spoken: Spoken, { open, done, left }: Found, rules: ApprovalRules, note: string): Step {
  const before = draftOf(spoken.pull);
  const voted = open.reduce((draft, one) => approve(draft, one, spoken, rules, note), before);
  const ids = open.filter(({ state }) => state === 'proposed').map(({ id }) => id);
  const fresh = voted.pull.proposals.filter((one) => ids.includes(one.id) && one.state === 'approved');
  const repeated = voted.votes.length === 0 && fresh.length === 0 ? waitingFor(voted, ids, rules) : null;
  const acknowledged = withEffects(voted, { type: 'react', place: spoken.intent.place, content: '+1' });
  const told = repeated === null ? acknowledged : withAnswer(acknowledged, spoken.intent.place, repeated);
  const committing = withCommit(told, fresh, spoken);
  const reason = fresh.length > 0 || ids.length === 0 ? 'approved' : 'vote-counted';
  return finish(withLeftovers(committing, spoken, done, left), reason);
}

/** What somebody hears whose approval counts already, where others' are missing. */
function waitingFor(draft: Draft, ids: readonly string[], rules: ApprovalRules): Answer | null {
  const waiting = draft.pull.proposals.filter((one) => ids.includes(one.id));
  const [first] = waiting;
  if (first === undefined) return null;
  const doubt = { kind: 'too-few', missing: missingApprovals(first, rules) } as const;
  return { kind: 'not-counted', doubt, proposals: waiting.map(named) };
}

/** What is answered where the page does not, or did not, show these as they are; null where it did. */
export function doubtOfShown(spoken: Spoken, open: readonly Proposal[]): Step | null {
  const tampered = open.filter((proposal) => damageOf(proposal, spoken.facts) !== null);
  if (tampered.length > 0) return askAgain(spoken, tampered);
  const unseen = open.filter((proposal) => mayHaveShownElse(proposal, spoken.words.createdAt));
  if (unseen.length === 0) return null;
  return reply(spoken, { kind: 'posted-later', left: unseen.map(named) }, 'posted-later');
}

/** What is answered where nothing shows these any more in the thread that the words stand in, whenever they were written. */
export function doubtOfPlace(spoken: Spoken, open: readonly Proposal[]): Step | null {
  const elsewhere = open.filter((proposal) => isWhereItStood(proposal, spoken.intent.place));
  return elsewhere.length === 0 ? null : reply(spoken, writtenAnew(elsewhere), 'comment-edited');
}

function writtenAnew(proposals: readonly Proposal[]): Answer {
  return { kind: 'comment-edited', proposals: proposals.map(named) };
}

/** Somebody saw something else than we wrote: it is written anew, and the approval is asked for again. */
function askAgain(spoken: Spoken, tampered: readonly Proposal[]): Step {
  const { pull, facts, intent } = spoken;
  const restored = tampered.reduce(
    (draft, one) => restore(draft, one, damageOf(one, facts) ?? 'changed', facts.now),
    draftOf(pull),
  );
  const ids = new Set(tampered.map(({ id }) => id));
  const waiting = restored.pull.proposals.filter((one) => ids.has(one.id) && one.state === 'proposed');
  if (waiting.length === 0) return finish(restored, 'comment-edited');
  return finish(withAnswer(restored, intent.place, writtenAnew(waiting)), 'comment-edited');
}

function approve(draft: Draft, proposal: Proposal, spoken: Spoken, rules: ApprovalRules, note: string): Draft {
  return withApproval(draft, proposal, voteOf(spoken, proposal, 'approve', note), rules, spoken.intent.createdAt);
}

export function withCommit(draft: Draft, proposals: readonly Proposal[], spoken: Spoken): Draft {
  const [first] = proposals;
  if (first === undefined) return draft;
  const proposalIds = proposals.map((proposal) => proposal.id);
  return withEffects(draft, { type: 'commit', runId: first.runId, proposalIds, place: spoken.intent.place });
}
