import type { OwnText } from '../change/own-text.ts';
import type { Utterance } from '../command/intent.ts';
import { conflictingChange } from '../policy/batch-conflict.ts';
import { writeDenied } from '../policy/denied-path.ts';
import { cleanText } from '../prompt/clean-text.ts';
import type { OwnTextProblem } from './answer.ts';
import { countingOf } from './approval-refusal.ts';
import { barred } from './barred.ts';
import { settleBatch, showing, withCallOf, withPosting } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects, withProposal, withPull, withVote } from './draft.ts';
import { doubtOfPlace, doubtOfShown, onApprove, withCommit } from './on-approve.ts';
import { openProposals } from './open-proposals.ts';
import { type OwnTextAim, ownTextAim, takesOwnText } from './own-text-aim.ts';
import { isPending, type Proposal, UNSEEN } from './proposal.ts';
import { proposalId } from './proposal-id.ts';
import { pullKey } from './run.ts';
import { named, reply, type Spoken, settled, voteOf } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Remark = Extract<Utterance, { kind: 'remark' }>;
type Own = Extract<OwnText, { kind: 'change' }>;

/** A reply with a suggestion block: these lines instead of the proposed ones, made without another question. */
export function onOwnText(spoken: Spoken, remark: Remark, proposal: Proposal): Step {
  // A review's own body decides nothing but by a command.
  if (spoken.intent.place.at === 'review') return ignore(spoken.pull, 'not-ours');
  if (proposal.origin.kind === 'undo' && isPending(proposal))
    return reply(spoken, { kind: 'undo-as-it-is', proposals: [named(proposal)] }, 'undo-as-it-is');
  if (!takesOwnText(proposal)) {
    return reply(spoken, { kind: 'settled', proposals: [settled(proposal)] }, 'already-settled');
  }
  if (remark.unclosedSuggestion) return hint(spoken, proposal, { why: 'unclosed-block' });
  if (remark.suggestions.length > 1) return hint(spoken, proposal, { why: 'several-blocks' });
  const bar = doubtOfPlace(spoken, [proposal]) ?? barred(spoken);
  if (bar !== null) return bar;
  const aim = ownTextAim(spoken.pull, spoken.intent);
  if (aim === null) return hint(spoken, proposal, { why: 'no-place' });
  const counting = countingOf(spoken, [proposal]);
  if (counting.kind === 'refused') return counting.step;
  return doubtOfShown(spoken, [proposal]) ?? take(spoken, aim, remark.text, counting.rules.requiredApprovals);
}

/** Nothing stands for it where nothing was worked out. */
const NOT_READ = { kind: 'refused', refusal: { why: 'no-place' } } as const;

function hint(spoken: Spoken, { id }: Proposal, problem: OwnTextProblem): Step {
  return reply(spoken, { kind: 'own-text', id, problem }, 'own-text-refused');
}

function take(spoken: Spoken, aim: OwnTextAim, words: string, required: number): Step {
  const { proposal } = aim;
  const own = spoken.facts.ownText ?? NOT_READ;
  switch (own.kind) {
    case 'same':
      return onApprove(spoken, { name: 'approve', targets: { by: 'ids', ids: [proposal.id] }, note: words });
    case 'refused':
      return hint(spoken, proposal, own.refusal);
    case 'change': {
      const problem = problemOf(spoken, proposal, own);
      if (problem !== null) return hint(spoken, proposal, problem);
      const note = cleanText(words).text;
      const theirs = { ...proposal, requiredApprovals: required };
      // Where another person's own text stands on the page, that is what would have to come back should this vote lapse.
      const anew = required > 1 || proposal.modified !== null;
      return anew ? proposeAnew(spoken, theirs, own, note) : make(spoken, theirs, own, note);
    }
  }
}

/** What the model's own change was checked for as well. */
function problemOf({ pull }: Spoken, proposal: Proposal, { change }: Own): OwnTextProblem | null {
  const rule = writeDenied(change.path);
  if (rule !== null) return { why: 'denied-path', rule };
  const others = openProposals(pull.proposals).filter((one) => one.id !== proposal.id);
  const touched = conflictingChange(change, others);
  const other = others.find((one) => one.id === touched?.id);
  return other === undefined ? null : { why: 'touches', other: named(other) };
}

/** The person's word is enough: their lines take the place of the proposed ones, and go the way of every approved change. */
function make(spoken: Spoken, proposal: Proposal, own: Own, note: string): Step {
  const theirs = withOwnText(proposal, own, false);
  const changed = withProposal(draftOf(spoken.pull), theirs);
  const voted = withVote(changed, voteFor(spoken, theirs, note));
  const current = voted.pull.proposals.find((one) => one.id === proposal.id) ?? theirs;
  const approved =
    current.state === 'approved' ? voted : withProposal(voted, moved(current, 'approved', spoken.intent.createdAt));
  return finish(withCommit(acknowledged(approved, spoken), [theirs], spoken), 'modified');
}

/** Others have to approve it too, so it is put before them: under its own id, with the person's vote. */
function proposeAnew(spoken: Spoken, proposal: Proposal, own: Own, note: string): Step {
  const { pull, person, intent, facts } = spoken;
  const id = proposalId(pullKey(pull.ref), pull.proposalCount);
  const anew: Proposal = { ...withOwnText(proposal, own, true), ...UNSEEN, id, modelReason: null };
  const why = `${person.login} wrote other lines instead`;
  const gone = { ...moved(proposal, 'superseded', intent.createdAt), note: why, replacedBy: anew.id };
  const replaced = showing(withProposal(draftOf(pull), gone), proposal);
  const added = withPull(replaced, {
    proposals: [...replaced.pull.proposals, anew],
    proposalCount: pull.proposalCount + 1,
  });
  const voted = withVote(added, voteFor(spoken, anew, note));
  const waiting = withCallOf(voted, proposal, { kind: 'proposed', proposalId: anew.id });
  const posting = withPosting(acknowledged(waiting, spoken), anew);
  return finish(settleBatch(posting, facts.now), 'modified');
}

function withOwnText(proposal: Proposal, { change, difference }: Own, shownAnew: boolean): Proposal {
  const proposed = proposal.modified?.proposed ?? proposal.change;
  return { ...proposal, change, modified: difference === null ? null : { ...difference, proposed, shownAnew } };
}

function voteFor(spoken: Spoken, theirs: Proposal, note: string): ReturnType<typeof voteOf> {
  return { ...voteOf(spoken, theirs, 'modify', note), digest: theirs.change.digest };
}

function acknowledged(draft: Draft, spoken: Spoken): Draft {
  return withEffects(draft, { type: 'react', place: spoken.intent.place, content: '+1' });
}
