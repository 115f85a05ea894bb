import { OperationRefusedError } from '../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakeReactionContent } from '../../fakes/github/state/github-state.ts';
import type { FakePerson } from '../../fakes/people/person.ts';
import { demoPullOf } from '../pull-request.ts';
import type { PersonName } from '../scenes/people.ts';
import type { SceneAct } from '../scenes/scenes.ts';
import { REACTIONS } from './comments.ts';
import { openProposalOf } from './progress.ts';
import type { Play, Session } from './session.ts';

/** The fields of a form. */
export type Fields = Readonly<Record<string, string>>;

type Action = (person: FakePerson, fields: Fields, session: Session, play: Play) => unknown;

function idIn(fields: Fields): number {
  return Number(fields['id'] ?? 0);
}

const REVIEW_EVENTS = ['COMMENT', 'APPROVE', 'REQUEST_CHANGES'] as const;

function isReaction(name: string): name is FakeReactionContent {
  return name in REACTIONS;
}

/** Everything that a person can do on the page, by the name of its form. */
const ACTIONS: Readonly<Record<string, Action>> = {
  comment: (person, { body = '' }) => person.says(body),
  reply: (person, { id, body = '' }) => person.replies(Number(id), body),
  'comment-line': ({ actor }, { path = '', line, body = '' }, { github }, play) => {
    const { repositoryId, number } = play;
    const place = { path, line: Number(line), side: 'RIGHT', commitSha: demoPullOf(github, play).head.sha } as const;
    return github.apply(OPERATIONS.createReviewComment, { actor, repositoryId, number, body, ...place });
  },
  'commit-suggestion': (person, fields) => person.commitsSuggestions(idIn(fields)),
  review: (person, { event: name, body = '' }) => {
    const event = REVIEW_EVENTS.find((one) => one === name);
    if (event === undefined) throw new PageError('Choose what the review says.');
    return person.reviews({ event, body });
  },
  react: (person, fields, { github }, { repositoryId }) => {
    const content = fields['content'] ?? '';
    if (!isReaction(content)) throw new PageError('There is no such reaction.');
    const { reactToIssueComment, reactToReviewComment } = OPERATIONS;
    const react = fields['place'] === 'thread' ? reactToReviewComment : reactToIssueComment;
    return github.apply(react, { actor: person.actor, repositoryId, commentId: idIn(fields), content });
  },
  edit: (person, { place, id, body = '' }) => {
    const edits = { conversation: person.edits, thread: person.editsInThread, review: person.editsReview };
    if (place === 'conversation' || place === 'thread' || place === 'review') edits[place](Number(id), body);
  },
  delete: (person, fields) =>
    fields['place'] === 'thread' ? person.deletesInThread(idIn(fields)) : person.deletes(idIn(fields)),
  resolve: (person, fields) => person.resolves(fields['thread'] ?? ''),
  unresolve: (person, fields) => person.unresolves(fields['thread'] ?? ''),
  press: (person, fields) => person.presses(idIn(fields), fields['identifier'] ?? ''),
  close: (person) => person.closes(),
  reopen: (person) => person.reopens(),
};

/** A mistake of the person at the page, told in one line. */
export class PageError extends Error {}

/** Runs the action of a form as this person. Throws `PageError` where GitHub refuses it. */
export function runAction(session: Session, play: Play, name: PersonName, kind: string, fields: Fields): void {
  const action = ACTIONS[kind];
  if (action === undefined) throw new PageError('There is no such action.');
  actOrExplain(session, play, name, (person) => action(person, fields, session, play));
}

function actOrExplain(session: Session, play: Play, name: PersonName, action: (person: FakePerson) => unknown): void {
  try {
    session.act(play, name, action);
  } catch (error) {
    if (!(error instanceof OperationRefusedError)) throw error;
    const { message, errors = [] } = error.apiError;
    const reasons = errors.flatMap((one) => (typeof one === 'string' ? one : (one.message ?? [])));
    throw new PageError(`GitHub refuses it: ${[message, ...reasons].join(' ')}`);
  }
}

/** Does a step of a story. */
export function runSceneAct(session: Session, play: Play, name: PersonName, act: SceneAct): void {
  actOrExplain(session, play, name, (person) => {
    switch (act.kind) {
      case 'comment':
        return person.says(act.body);
      case 'push':
        return person.pushes(act.files, { message: act.message });
      case 'reply': {
        const { entry } = requireOpen(session, play, act.path);
        return person.replies(entry.id, act.body);
      }
      case 'commit-suggestion':
        return person.commitsSuggestions(requireOpen(session, play, act.path).entry.id);
      case 'look':
        return null;
    }
  });
}

function requireOpen(session: Session, play: Play, path: string) {
  const proposal = openProposalOf(session.github, play, path);
  if (proposal === undefined) throw new PageError(`No change of ${path} waits for a decision.`);
  return proposal;
}
