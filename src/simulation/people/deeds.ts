import { blobText } from '../../simulator/git/blob.ts';
import { type Person, personOn } from '../../simulator/people/person.ts';
import type { Operation } from '../../simulator/world/outcome.ts';
import type { Chance } from '../chance.ts';
import { standingOf } from '../github/port.ts';
import { type Standing, treeAt } from '../github/reading.ts';
import type { Hub } from '../hub.ts';
import { HOSTILE } from '../model.ts';
import { BRANCH, type Name, OTHER_BASE, PATHS, type Scene } from '../scene.ts';
import { removes, suspends } from './owner.ts';
import { type SeenProposal, seenProposals } from './page.ts';
import { addsRule, configures, grants, opensAnother } from './surroundings.ts';

/** Somebody in front of the page, and what is to be seen there. */
export type Moment = {
  readonly hub: Hub;
  readonly scene: Scene;
  readonly chance: Chance;
  readonly standing: Standing;
  readonly person: Person;
  /** Whoever pushes to the branch: to a fork only its owner may. */
  readonly pusher: Person;
  readonly accountId: number;
  readonly proposals: readonly SeenProposal[];
  readonly open: readonly SeenProposal[];
};

/** What people do; says what it was in words, or null where there is nothing to do it to. */
export type Deed = (moment: Moment) => string | null;

/** GitHub's page would not have let them. */
class NotPossible extends Error {}

export function momentOf(hub: Hub, scene: Scene, chance: Chance, who: Name): Moment {
  const standing = standingOf(hub, scene);
  const proposals = seenProposals(standing, scene.botId);
  const accountId = scene.people[who];
  const apply = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    const outcome = hub.apply(operation, input);
    if (!outcome.ok) throw new NotPossible(outcome.error.message);
    return outcome.value;
  };
  const { repositoryId, ref } = scene;
  const here = { accountId, branch: BRANCH, repositoryId, number: ref.number };
  const { repositoryId: source } = standing.pull.head;
  const owner = source === repositoryId ? accountId : standing.pull.authorId;
  return {
    ...{ hub, scene, chance, standing, accountId, proposals },
    person: personOn(apply, here),
    pusher: personOn(apply, { ...here, accountId: owner, repositoryId: source }),
    open: proposals.filter(({ open }) => open),
  };
}

/** Does it; what the page would not have allowed is told as such. */
export function doIt(deed: Deed, moment: Moment): string | null {
  try {
    return deed(moment);
  } catch (error) {
    if (error instanceof NotPossible) return `(refused: ${error.message})`;
    throw error;
  }
}

function says({ person }: Moment, body: string): string {
  const { id } = person.says(body);
  return `says ${JSON.stringify(body)} (${id})`;
}

function replies({ person }: Moment, { id, commentId }: SeenProposal, body: string): string {
  const said = person.replies(commentId, body);
  return `replies to ${id} ${JSON.stringify(body)} (${said.id})`;
}

/** In a thread the words alone, in the conversation with the proposal's id. */
function commands(moment: Moment, proposal: SeenProposal, word: string, rest = ''): string {
  if (proposal.inThread && moment.chance.happens(0.7)) return replies(moment, proposal, `${word}${rest}`);
  return says(moment, `${word} ${proposal.id}${rest}`);
}

/** Mostly one that is open; now and then one that was decided long ago. */
function anyProposal({ chance, open, proposals }: Moment): SeenProposal | null {
  const from = open.length > 0 && chance.happens(0.9) ? open : proposals;
  return from.length === 0 ? null : chance.pick(from);
}

function about(deed: (moment: Moment, proposal: SeenProposal) => string): Deed {
  return (moment) => {
    const proposal = anyProposal(moment);
    return proposal === null ? null : deed(moment, proposal);
  };
}

function inThread(deed: (moment: Moment, proposal: SeenProposal) => string | null): Deed {
  return (moment) => {
    const threads = moment.open.filter((proposal) => proposal.inThread);
    return threads.length === 0 ? null : deed(moment, moment.chance.pick(threads));
  };
}

function textOf({ standing: { world, pull } }: Moment, path: string): string {
  return blobText(world.store, treeAt(world.store, pull.head.sha).get(path)?.sha);
}

/** A push that changes one line, puts one on top, or takes one away, in a file that proposals may be about. */
function pushes(moment: Moment): string {
  const { chance, pusher } = moment;
  const path = chance.pick(PATHS);
  const lines = textOf(moment, path).split('\n');
  const at = chance.whole(Math.max(1, lines.length - 1));
  const way = chance.pick(['changes', 'adds', 'removes'] as const);
  if (way === 'changes') lines[at] = `${lines[at] ?? ''} pushed`;
  if (way === 'adds') lines.splice(chance.pick([0, at]), 0, `pushed line ${moment.standing.world.nextId}`);
  if (way === 'removes') lines.splice(at, 1);
  pusher.pushes({ [path]: lines.join('\n') });
  return `pushes: ${way} line ${at + 1} of ${path}`;
}

function reviews(moment: Moment): string | null {
  const { chance, person, open } = moment;
  const threads = open.filter((proposal) => proposal.inThread);
  const event = chance.pick(['COMMENT', 'APPROVE', 'REQUEST_CHANGES'] as const);
  const body =
    event === 'COMMENT' ? chance.pick(['/approve all', '/deny all', 'Let us see.']) : chance.pick(['', 'Well.']);
  const words = ['/approve', '/deny', 'please use another name', '/approve\nthanks'];
  const answers = threads.slice(0, 1 + chance.whole(3)).map(({ commentId }) => ({
    inReplyTo: commentId,
    body: chance.pick(words),
  }));
  if (event === 'REQUEST_CHANGES' && body === '') return null;
  person.reviews({ event, body, replies: answers });
  return `reviews ${event} ${JSON.stringify(body)} with ${JSON.stringify(answers)}`;
}

/** What people do right after an approval, before it can have come to its end. */
export const SECOND_THOUGHTS: readonly (readonly [weight: number, deed: Deed])[] = [
  [4, about((moment, proposal) => commands(moment, proposal, '/deny', ' on second thoughts'))],
  [4, pushes],
  [1, (moment) => says(moment, '/stop')],
  [1, closes],
  [1, (moment) => retargets(moment)],
  [1, grants],
  [1, about(tampers)],
];

/** Each deed with how often it is done. */
export const DEEDS: readonly (readonly [weight: number, deed: Deed])[] = [
  [14, about((moment, proposal) => commands(moment, proposal, '/approve'))],
  [3, (moment) => (moment.open.length === 0 ? null : says(moment, '/approve all'))],
  [2, (moment) => says(moment, moment.chance.pick(['/approve', '/deny', 'lgtm', '👍', 'Approved!']))],
  [8, about((moment, proposal) => commands(moment, proposal, '/deny', ' it is worse'))],
  [1, (moment) => (moment.open.length === 0 ? null : says(moment, '/deny all'))],
  [3, about((moment, proposal) => commands(moment, proposal, '/edit', ' use another word'))],
  [2, inThread((moment, proposal) => replies(moment, proposal, chosenWords(moment)))],
  [4, inThread((moment, proposal) => replies(moment, proposal, ownLines(moment)))],
  [5, reviews],
  [4, inThread((moment, proposal) => commits(moment, proposal))],
  [6, pushes],
  [1, closes],
  [1, reopens],
  [1, (moment) => retargets(moment)],
  [1, (moment) => says(moment, '/stop')],
  [2, (moment) => says(moment, '/continue')],
  [3, (moment) => says(moment, '/resume')],
  [1, (moment) => says(moment, moment.chance.pick(['/status', '/help', '/ask why?', '/aprove']))],
  [1, about((moment, proposal) => says(moment, `/show ${proposal.id}`))],
  [3, (moment) => undoes(moment)],
  [4, (moment) => says(moment, `/countersign ${moment.chance.pick(['make it simpler', `look at this: ${HOSTILE}`])}`)],
  [1, (moment) => says(moment, '@countersign and keep it short')],
  [2, inThread(togglesThread)],
  [1, about(tampers)],
  [1, changesOwnWords],
  [1, grants],
  [1, configures],
  [0.5, addsRule],
  [0.7, opensAnother],
  [1, suspends],
  [0.8, removes],
];

function chosenWords({ chance }: Moment): string {
  return chance.pick([
    'please use another name',
    `no: ${HOSTILE}`,
    'lgtm',
    '/approve but shorter',
    '@ana what is this?',
  ]);
}

function ownLines({ chance, standing }: Moment): string {
  return `${chance.pick(['', 'Rather so:\n'])}\`\`\`suggestion\nmine ${standing.world.nextId}\n\`\`\``;
}

function commits({ person }: Moment, { id, commentId, hasButton }: SeenProposal): string | null {
  if (!hasButton) return null;
  person.commitsSuggestions(commentId);
  return `presses Commit suggestion on ${id}`;
}

function closes({ person }: Moment): string {
  person.closes();
  return 'closes';
}

function reopens({ person }: Moment): string {
  person.reopens();
  return 'reopens';
}

function undoes(moment: Moment): string | null {
  const { proposals, chance } = moment;
  const decided = proposals.filter(({ open }) => !open);
  return decided.length === 0 ? null : commands(moment, chance.pick(decided), '/undo');
}

function retargets({ person, standing }: Moment): string {
  const base = standing.pull.base.branch === OTHER_BASE ? 'main' : OTHER_BASE;
  person.retargets(base);
  return `retargets to ${base}`;
}

function togglesThread({ person }: Moment, { id, threadNodeId, resolved }: SeenProposal): string | null {
  if (threadNodeId === null) return null;
  if (resolved) person.unresolves(threadNodeId);
  else person.resolves(threadNodeId);
  return `${resolved ? 'unresolves' : 'resolves'} the thread of ${id}`;
}

/** Puts other words into a comment of the App, or takes it away. */
function tampers({ person, chance }: Moment, { id, commentId, inThread: isThread }: SeenProposal): string {
  const deletes = chance.happens(0.3);
  if (deletes) (isThread ? person.deletesInThread : person.deletes)(commentId);
  else (isThread ? person.editsInThread : person.edits)(commentId, 'Nothing to see here.');
  return `${deletes ? 'deletes' : 'edits'} the comment of ${id}`;
}

function changesOwnWords({ person, chance, standing, accountId }: Moment): string | null {
  const own = [...standing.pull.comments.values()].filter(({ authorId }) => authorId === accountId);
  if (own.length === 0) return null;
  const { id } = chance.pick(own);
  if (chance.happens(0.5)) person.deletes(id);
  else person.edits(id, '/approve all');
  return `changes own words (${id})`;
}
