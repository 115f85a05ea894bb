import type { Person } from '../simulator/people/person.ts';
import { personOn } from '../simulator/people/person.ts';
import { RefusedWrite } from '../simulator/simulator.ts';
import type { Account } from '../simulator/world/state.ts';
import type { LoadedPull } from './load-pull.ts';
import type { Narrator } from './narrate.ts';
import { proposalsOn, readPage, type ShownProposal } from './page.ts';
import type { Part, PlannedChange } from './plan-changes.ts';
import type { Stage } from './stage.ts';

/** What somebody decided about a proposal, which is kept as it stood on the page at that moment. */
export type Decision = {
  readonly proposal: ShownProposal;
  readonly verdict: 'approved' | 'pressed' | 'denied' | 'instructed';
  readonly by: string;
};

export type Play = {
  readonly stage: Stage;
  readonly loaded: LoadedPull;
  readonly narrator: Narrator;
  readonly task: string;
  /** What the scripted model proposed, with the part of people in it; null for a real model. */
  readonly plan: (() => readonly PlannedChange[]) | null;
};

/** After so many responses with changes the run is stopped: nobody watches it. */
const MOST_ROUNDS = 5;

const OBJECTION = 'let us leave this one as it is';
const WISH = 'Keep it smaller, please: only what is really needed, and say why in the reason.';

/** Plays all people from the task to the end of the run, and tells everything. Gives back every decision, in order. */
export async function playAll(play: Play): Promise<readonly Decision[]> {
  const [ana, ben] = [playerOf(play, play.loaded.ana), playerOf(play, play.loaded.ben)];
  const decisions: Decision[] = [];
  await ana.does((person) => person.says(`/countersign ${play.task}`));
  for (let round = 1; ; round += 1) {
    const open = pending(play);
    if (open.length === 0) return decisions;
    if (round > MOST_ROUNDS) {
      await ana.does((person) => person.says('/stop'));
      return decisions;
    }
    for (const { proposal, part } of partsFor(play, open, decisions)) {
      // What was decided before may have taken this one away.
      if (!pending(play).some(({ id }) => id === proposal.id)) continue;
      decisions.push(await decide(play, { ana, ben }, proposal, part));
    }
  }
}

function pending({ stage, loaded }: Play): readonly ShownProposal[] {
  return proposalsOn(readPage(stage.github, loaded)).filter(({ isOpen }) => isOpen);
}

/** A person, each of whose deeds takes a moment, and is over when the App has done all it will do about it. */
type Player = { readonly login: string; readonly does: (deed: (person: Person) => unknown) => Promise<void> };

function playerOf({ stage, loaded, narrator }: Play, account: Account): Player {
  const { repositoryId, number, branch } = loaded;
  const person = personOn(stage.github.apply, { accountId: account.id, repositoryId, number, branch });
  const does = async (deed: (person: Person) => unknown): Promise<void> => {
    stage.pass(2);
    deed(person);
    narrator.tell(readPage(stage.github, loaded));
    stage.pass(2);
    await stage.settle();
    narrator.tell(readPage(stage.github, loaded));
  };
  return { login: account.login, does };
}

type Assigned = { readonly proposal: ShownProposal; readonly part: Part };

const ORDER: readonly Part['part'][] = ['button', 'deny', 'instruct', 'approve'];

/** Who of the open ones gets what: by the script's plan, else one of each and the rest approved. Buttons come first. */
function partsFor(play: Play, open: readonly ShownProposal[], decisions: readonly Decision[]): readonly Assigned[] {
  const assigned =
    play.plan === null ? dealt(open, decisions) : open.map((proposal) => fromPlan(play, proposal, decisions));
  return assigned.toSorted((left, right) => ORDER.indexOf(left.part.part) - ORDER.indexOf(right.part.part));
}

function fromPlan({ plan }: Play, proposal: ShownProposal, decisions: readonly Decision[]): Assigned {
  const planned = plan?.().find(({ path, line }) => path === proposal.path && line === proposal.line);
  const again = decisions.some((one) => one.proposal.path === proposal.path && one.verdict === 'instructed');
  if (planned === undefined || again) return { proposal, part: { part: 'approve' } };
  const canPress = planned.role.part !== 'button' || proposal.hasButton;
  return { proposal, part: canPress ? planned.role : { part: 'approve' } };
}

function dealt(open: readonly ShownProposal[], decisions: readonly Decision[]): readonly Assigned[] {
  const done = new Set<string>(decisions.map(({ verdict }) => verdict));
  return open.map((proposal) => {
    if (proposal.hasButton && !done.has('pressed')) {
      done.add('pressed');
      return { proposal, part: { part: 'button' } };
    }
    if (!done.has('denied')) {
      done.add('denied');
      return { proposal, part: { part: 'deny', words: OBJECTION } };
    }
    if (!done.has('instructed')) {
      done.add('instructed');
      return { proposal, part: { part: 'instruct', words: WISH } };
    }
    return { proposal, part: { part: 'approve' } };
  });
}

type Players = { readonly ana: Player; readonly ben: Player };

async function decide(play: Play, { ana, ben }: Players, proposal: ShownProposal, part: Part): Promise<Decision> {
  switch (part.part) {
    case 'button':
      return press(play, { ana, ben }, proposal);
    case 'approve':
      await ana.does((person) => say(person, proposal, '/approve', ''));
      return { proposal, verdict: 'approved', by: ana.login };
    case 'deny':
      await ben.does((person) => say(person, proposal, '/deny', part.words));
      return { proposal, verdict: 'denied', by: ben.login };
    case 'instruct': {
      const command = proposal.entry.kind === 'comment' ? '/edit' : '';
      await ben.does((person) => say(person, proposal, command, part.words));
      return { proposal, verdict: 'instructed', by: ben.login };
    }
  }
}

async function press(play: Play, { ana, ben }: Players, proposal: ShownProposal): Promise<Decision> {
  try {
    await ben.does((person) => {
      play.narrator.act(ben.login, `presses “Commit suggestion” on ${proposal.id}`);
      person.commitsSuggestions(proposal.entry.id);
    });
    return { proposal, verdict: 'pressed', by: ben.login };
  } catch (error) {
    if (!(error instanceof RefusedWrite)) throw error;
    play.narrator.step(`  GitHub does not let him: ${error.refusal.message}`);
    return decide(play, { ana, ben }, proposal, { part: 'approve' });
  }
}

/** In the proposal's thread, or with its id where it stands in the conversation. */
function say(person: Person, { id, entry }: ShownProposal, command: string, words: string): void {
  const inThread = entry.kind === 'in-thread';
  const said = [command, ...(inThread ? [] : [id]), words].filter((part) => part !== '').join(' ');
  if (inThread) person.replies(entry.id, said);
  else person.says(said);
}
