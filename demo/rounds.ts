import { OperationRefusedError } from '../fakes/github/fake-github.ts';
import type { FakeAccount } from '../fakes/github/state/github-state.ts';
import { createPerson, type FakePerson } from '../fakes/people/person.ts';
import type { DemoEnvironment } from './environment.ts';
import { type DemoPull, type PageProposal, parsePageProposals, readPullPage } from './pull-request.ts';
import type { PlannedChange, PlannedDecision } from './script.ts';

/** A person's decision on a proposal. `proposal` is the proposal at the time of the decision. */
export type DemoDecision = {
  readonly proposal: PageProposal;
  readonly outcome: 'approved' | 'suggestion-committed' | 'denied' | 'changes-requested';
  readonly by: string;
  /** The words of the comment; empty for the button. */
  readonly words: string;
};

type RoundsContext = {
  readonly environment: DemoEnvironment;
  readonly demoPull: DemoPull;
  /** Told each decision once the App has reacted to it. */
  readonly onDecision: (decision: DemoDecision) => void;
  readonly task: string;
  /** The changes of the scripted model with the decision on each; null for a real model. */
  readonly plan: (() => readonly PlannedChange[]) | null;
};

/** A real model might propose changes forever, so the run is stopped after this many rounds. */
const MAX_ROUNDS = 5;

const DEFAULT_OBJECTION = 'let’s leave this one as it is';

const DEFAULT_INSTRUCTION = 'Please keep it smaller: change only what is needed, and say why in the reason.';

/** Plays all people, from the task to the end of the run. Returns their decisions in order. */
export async function playRounds(context: RoundsContext): Promise<readonly DemoDecision[]> {
  const [ana, ben] = [createReviewer(context, context.demoPull.ana), createReviewer(context, context.demoPull.ben)];
  const decisions: DemoDecision[] = [];
  await ana.act((person) => person.says(`/countersign ${context.task}`));
  for (let round = 1; ; round += 1) {
    const open = listOpenProposals(context);
    if (open.length === 0) return decisions;
    if (round > MAX_ROUNDS) {
      await ana.act((person) => person.says('/stop'));
      return decisions;
    }
    for (const { proposal, planned } of assignDecisions(context, open, decisions)) {
      // An earlier decision in this round can also close this proposal.
      if (!listOpenProposals(context).some(({ id }) => id === proposal.id)) continue;
      const decision = await makeDecision({ ana, ben }, proposal, planned);
      decisions.push(decision);
      context.onDecision(decision);
    }
  }
}

function listOpenProposals({ environment, demoPull }: RoundsContext): readonly PageProposal[] {
  return parsePageProposals(readPullPage(environment.github, demoPull)).filter(({ isOpen }) => isOpen);
}

/** A person on the pull request. `act` resolves when the App has finished its reaction. */
type Reviewer = { readonly login: string; readonly act: (action: (person: FakePerson) => unknown) => Promise<void> };

function createReviewer({ environment, demoPull }: RoundsContext, account: FakeAccount): Reviewer {
  const { repositoryId, number, branch } = demoPull;
  const person = createPerson(environment.github.apply, { accountId: account.id, repositoryId, number, branch });
  const act = async (action: (person: FakePerson) => unknown): Promise<void> => {
    environment.advanceClock(2);
    action(person);
    environment.advanceClock(2);
    await environment.waitUntilIdle();
  };
  return { login: account.login, act };
}

type AssignedDecision = { readonly proposal: PageProposal; readonly planned: PlannedDecision };

const DECISION_ORDER: readonly PlannedDecision['kind'][] = ['commit-suggestion', 'deny', 'instruct', 'approve'];

/**
 * Assigns a decision to each open proposal: the planned one, or for a real model one of each kind and then approvals.
 * Suggestions come first, because other commits can make them outdated.
 */
function assignDecisions(
  context: RoundsContext,
  open: readonly PageProposal[],
  decisions: readonly DemoDecision[],
): readonly AssignedDecision[] {
  const assigned =
    context.plan === null
      ? assignOneOfEachKind(open, decisions)
      : open.map((proposal) => planDecision(context, proposal, decisions));
  return assigned.toSorted(
    (left, right) => DECISION_ORDER.indexOf(left.planned.kind) - DECISION_ORDER.indexOf(right.planned.kind),
  );
}

function planDecision(
  { plan }: RoundsContext,
  proposal: PageProposal,
  decisions: readonly DemoDecision[],
): AssignedDecision {
  const planned = plan?.().find(({ path, line }) => path === proposal.path && line === proposal.line);
  const isRevision = decisions.some(
    (one) => one.proposal.path === proposal.path && one.outcome === 'changes-requested',
  );
  if (planned === undefined || isRevision) return { proposal, planned: { kind: 'approve' } };
  const canCommit = planned.decision.kind !== 'commit-suggestion' || proposal.hasSuggestion;
  return { proposal, planned: canCommit ? planned.decision : { kind: 'approve' } };
}

function assignOneOfEachKind(
  open: readonly PageProposal[],
  decisions: readonly DemoDecision[],
): readonly AssignedDecision[] {
  const done = new Set<DemoDecision['outcome']>(decisions.map(({ outcome }) => outcome));
  return open.map((proposal) => {
    if (proposal.hasSuggestion && !done.has('suggestion-committed')) {
      done.add('suggestion-committed');
      return { proposal, planned: { kind: 'commit-suggestion' } };
    }
    if (!done.has('denied')) {
      done.add('denied');
      return { proposal, planned: { kind: 'deny', comment: DEFAULT_OBJECTION } };
    }
    if (!done.has('changes-requested')) {
      done.add('changes-requested');
      return { proposal, planned: { kind: 'instruct', comment: DEFAULT_INSTRUCTION } };
    }
    return { proposal, planned: { kind: 'approve' } };
  });
}

type Reviewers = { readonly ana: Reviewer; readonly ben: Reviewer };

async function makeDecision(
  { ana, ben }: Reviewers,
  proposal: PageProposal,
  planned: PlannedDecision,
): Promise<DemoDecision> {
  switch (planned.kind) {
    case 'commit-suggestion':
      return commitSuggestedChange({ ana, ben }, proposal);
    case 'approve':
      return decideWith(ana, proposal, 'approved', '/approve', '');
    case 'deny':
      return decideWith(ben, proposal, 'denied', '/deny', planned.comment);
    case 'instruct': {
      const command = proposal.entry.kind === 'comment' ? '/edit' : '';
      return decideWith(ben, proposal, 'changes-requested', command, planned.comment);
    }
  }
}

/** GitHub can have made the suggestion outdated meanwhile; its change is then approved. */
async function commitSuggestedChange({ ana, ben }: Reviewers, proposal: PageProposal): Promise<DemoDecision> {
  try {
    await ben.act((person) => person.commitsSuggestions(proposal.entry.id));
    return { proposal, outcome: 'suggestion-committed', by: ben.login, words: '' };
  } catch (error) {
    if (!(error instanceof OperationRefusedError)) throw error;
    return makeDecision({ ana, ben }, proposal, { kind: 'approve' });
  }
}

/** Replies in the proposal's thread. Without a thread, posts a comment with the proposal's id. */
async function decideWith(
  { login, act }: Reviewer,
  proposal: PageProposal,
  outcome: DemoDecision['outcome'],
  command: string,
  comment: string,
): Promise<DemoDecision> {
  const { id, entry } = proposal;
  const inThread = entry.kind === 'in-thread';
  const words = [command, ...(inThread ? [] : [id]), comment].filter((part) => part !== '').join(' ');
  await act((person) => (inThread ? person.replies(entry.id, words) : person.says(words)));
  return { proposal, outcome, by: login, words };
}
