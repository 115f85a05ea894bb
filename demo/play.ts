import { OperationRefusedError } from '../fakes/github/fake-github.ts';
import type { FakeAccount } from '../fakes/github/state/github-state.ts';
import { createPerson, type FakePerson } from '../fakes/people/person.ts';
import type { Narrator } from './narrator.ts';
import { type DemoPull, type PageProposal, parsePageProposals, readPullPage } from './pull-request.ts';
import type { PlannedChange, PlannedDecision } from './script.ts';
import type { DemoStage } from './stage.ts';

/** A person's decision on a proposal; `proposal` is the state of the page at that moment. */
export type DemoDecision = {
  readonly proposal: PageProposal;
  readonly outcome: 'approved' | 'suggestion-committed' | 'denied' | 'sent-back';
  readonly by: string;
};

type PlayContext = {
  readonly stage: DemoStage;
  readonly demoPull: DemoPull;
  readonly narrator: Narrator;
  readonly task: string;
  /** The changes of the scripted model with the decision on each; null for a real model. */
  readonly plan: (() => readonly PlannedChange[]) | null;
};

/** A real model might propose changes forever, so the run is stopped after this many rounds. */
const MAX_ROUNDS = 5;

const DEFAULT_OBJECTION = 'let’s leave this one as it is';

const DEFAULT_INSTRUCTION = 'Please keep it smaller: change only what is needed, and say why in the reason.';

/** Plays every person from the task to the end of the run. Returns the decisions in order. */
export async function playRounds(play: PlayContext): Promise<readonly DemoDecision[]> {
  const [ana, ben] = [createPlayer(play, play.demoPull.ana), createPlayer(play, play.demoPull.ben)];
  const decisions: DemoDecision[] = [];
  await ana.act((person) => person.says(`/countersign ${play.task}`));
  for (let round = 1; ; round += 1) {
    const open = listOpenProposals(play);
    if (open.length === 0) return decisions;
    if (round > MAX_ROUNDS) {
      await ana.act((person) => person.says('/stop'));
      return decisions;
    }
    for (const { proposal, planned } of assignDecisions(play, open, decisions)) {
      // An earlier decision can close this proposal too.
      if (!listOpenProposals(play).some(({ id }) => id === proposal.id)) continue;
      decisions.push(await makeDecision(play, { ana, ben }, proposal, planned));
    }
  }
}

function listOpenProposals({ stage, demoPull }: PlayContext): readonly PageProposal[] {
  return parsePageProposals(readPullPage(stage.github, demoPull)).filter(({ isOpen }) => isOpen);
}

/** A person on the page. `act` resolves when the App has finished its reaction. */
type Player = { readonly login: string; readonly act: (action: (person: FakePerson) => unknown) => Promise<void> };

function createPlayer({ stage, demoPull, narrator }: PlayContext, account: FakeAccount): Player {
  const { repositoryId, number, branch } = demoPull;
  const person = createPerson(stage.github.apply, { accountId: account.id, repositoryId, number, branch });
  const act = async (action: (person: FakePerson) => unknown): Promise<void> => {
    stage.advanceClock(2);
    action(person);
    narrator.showComments(readPullPage(stage.github, demoPull));
    stage.advanceClock(2);
    await stage.waitUntilIdle();
    narrator.showComments(readPullPage(stage.github, demoPull));
  };
  return { login: account.login, act };
}

type AssignedDecision = { readonly proposal: PageProposal; readonly planned: PlannedDecision };

const DECISION_ORDER: readonly PlannedDecision['kind'][] = ['commit-suggestion', 'deny', 'instruct', 'approve'];

/**
 * Assigns a decision to each open proposal: the script's plan, or for a real model one of each kind and approval for the
 * rest. Suggestions come first, because other commits would outdate them.
 */
function assignDecisions(
  play: PlayContext,
  open: readonly PageProposal[],
  decisions: readonly DemoDecision[],
): readonly AssignedDecision[] {
  const assigned =
    play.plan === null
      ? dealDecisions(open, decisions)
      : open.map((proposal) => planDecision(play, proposal, decisions));
  return assigned.toSorted(
    (left, right) => DECISION_ORDER.indexOf(left.planned.kind) - DECISION_ORDER.indexOf(right.planned.kind),
  );
}

function planDecision(
  { plan }: PlayContext,
  proposal: PageProposal,
  decisions: readonly DemoDecision[],
): AssignedDecision {
  const planned = plan?.().find(({ path, line }) => path === proposal.path && line === proposal.line);
  const isRevision = decisions.some((one) => one.proposal.path === proposal.path && one.outcome === 'sent-back');
  if (planned === undefined || isRevision) return { proposal, planned: { kind: 'approve' } };
  const canCommit = planned.decision.kind !== 'commit-suggestion' || proposal.hasSuggestion;
  return { proposal, planned: canCommit ? planned.decision : { kind: 'approve' } };
}

function dealDecisions(open: readonly PageProposal[], decisions: readonly DemoDecision[]): readonly AssignedDecision[] {
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
    if (!done.has('sent-back')) {
      done.add('sent-back');
      return { proposal, planned: { kind: 'instruct', comment: DEFAULT_INSTRUCTION } };
    }
    return { proposal, planned: { kind: 'approve' } };
  });
}

type Players = { readonly ana: Player; readonly ben: Player };

async function makeDecision(
  play: PlayContext,
  { ana, ben }: Players,
  proposal: PageProposal,
  planned: PlannedDecision,
): Promise<DemoDecision> {
  switch (planned.kind) {
    case 'commit-suggestion':
      return commitSuggestedChange(play, { ana, ben }, proposal);
    case 'approve':
      await ana.act((person) => postDecision(person, proposal, '/approve', ''));
      return { proposal, outcome: 'approved', by: ana.login };
    case 'deny':
      await ben.act((person) => postDecision(person, proposal, '/deny', planned.comment));
      return { proposal, outcome: 'denied', by: ben.login };
    case 'instruct': {
      const command = proposal.entry.kind === 'comment' ? '/edit' : '';
      await ben.act((person) => postDecision(person, proposal, command, planned.comment));
      return { proposal, outcome: 'sent-back', by: ben.login };
    }
  }
}

async function commitSuggestedChange(
  play: PlayContext,
  { ana, ben }: Players,
  proposal: PageProposal,
): Promise<DemoDecision> {
  try {
    await ben.act((person) => {
      play.narrator.announceAction(ben.login, `presses “Commit suggestion” on ${proposal.id}`);
      person.commitsSuggestions(proposal.entry.id);
    });
    return { proposal, outcome: 'suggestion-committed', by: ben.login };
  } catch (error) {
    if (!(error instanceof OperationRefusedError)) throw error;
    play.narrator.printNote(`  GitHub refused the suggestion: ${error.apiError.message}`);
    return makeDecision(play, { ana, ben }, proposal, { kind: 'approve' });
  }
}

/** Replies in the proposal's thread; in the conversation the command needs the proposal's id. */
function postDecision(person: FakePerson, { id, entry }: PageProposal, command: string, comment: string): void {
  const inThread = entry.kind === 'in-thread';
  const text = [command, ...(inThread ? [] : [id]), comment].filter((part) => part !== '').join(' ');
  if (inThread) person.replies(entry.id, text);
  else person.says(text);
}
