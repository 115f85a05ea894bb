import { readBlobText } from '../../../fakes/github/git/objects.ts';
import type { Operation } from '../../../fakes/github/state/operation.ts';
import { createPerson } from '../../../fakes/people/person.ts';
import { PENDING_LABEL } from '../../../src/core/messages/proposal/proposal-status.ts';
import { SETTINGS_PATH } from '../../../src/core/settings/repo-settings.ts';
import { type CaseFixture, FILE_PATHS, HEAD_BRANCH, type Login, OTHER_BASE } from './fixture.ts';
import {
  addBranchRule,
  changeSettings,
  openSecondPull,
  removeInstallation,
  suspendInstallation,
  toggleWriteAccess,
} from './owner-actions.ts';
import type { Random } from './random.ts';
import { HOSTILE_MARKDOWN } from './random-model.ts';
import {
  listBotComments,
  type PullSnapshot,
  readFullTree,
  type SimulatedGitHub,
  snapshotPull,
} from './simulated-github.ts';

/** Returns a description of the action, or null if it does not apply to the current state. */
export type PersonAction = (context: ActionContext) => string | null;

/** GitHub refuses the action. */
class NotAllowedError extends Error {}

/** A person on the page of the pull request. */
type ActionContext = ReturnType<typeof createActionContext>;

export function createActionContext(
  simulatedGitHub: SimulatedGitHub,
  fixture: CaseFixture,
  random: Random,
  actor: Login,
) {
  const snapshot = snapshotPull(simulatedGitHub, fixture);
  const proposals = findVisibleProposals(snapshot, fixture.botId);
  const accountId = fixture.people[actor];
  const apply = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    const outcome = simulatedGitHub.apply(operation, input);
    if (!outcome.ok) throw new NotAllowedError(outcome.error.message);
    return outcome.value;
  };
  const { repositoryId, ref } = fixture;
  const target = { accountId, branch: HEAD_BRANCH, repositoryId, number: ref.number };
  const { repositoryId: headRepositoryId } = snapshot.pull.head;
  const owner = headRepositoryId === repositoryId ? accountId : snapshot.pull.authorId;
  return {
    ...{ simulatedGitHub, fixture, random, snapshot, accountId, proposals },
    person: createPerson(apply, target),
    // The person who pushes to the branch. Only its owner can push to a fork.
    pusher: createPerson(apply, { ...target, accountId: owner, repositoryId: headRepositoryId }),
    open: proposals.filter(({ isPending }) => isPending),
  };
}

/** Performs an action. Returns its description, also if GitHub refuses it. */
export function tryAction(action: PersonAction, context: ActionContext): string | null {
  try {
    return action(context);
  } catch (error) {
    if (error instanceof NotAllowedError) return `(refused: ${error.message})`;
    throw error;
  }
}

function postComment({ person }: ActionContext, body: string): string {
  const { id } = person.says(body);
  return `says ${JSON.stringify(body)} (${id})`;
}

function replyInThread({ person }: ActionContext, { id, commentId }: VisibleProposal, body: string): string {
  const reply = person.replies(commentId, body);
  return `replies to ${id} ${JSON.stringify(body)} (${reply.id})`;
}

/** Posts the command in the proposal's thread, or in the conversation with the proposal's id. */
function giveCommand(context: ActionContext, proposal: VisibleProposal, command: string, argument = ''): string {
  if (proposal.inThread && context.random.chance(0.7)) return replyInThread(context, proposal, `${command}${argument}`);
  return postComment(context, `${command} ${proposal.id}${argument}`);
}

/** Picks mostly a pending proposal, sometimes any. */
function pickProposal({ random, open, proposals }: ActionContext): VisibleProposal | null {
  const candidates = open.length > 0 && random.chance(0.9) ? open : proposals;
  return candidates.length === 0 ? null : random.pick(candidates);
}

function onAnyProposal(action: (context: ActionContext, proposal: VisibleProposal) => string): PersonAction {
  return (context) => {
    const proposal = pickProposal(context);
    return proposal === null ? null : action(context, proposal);
  };
}

function onThreadProposal(action: (context: ActionContext, proposal: VisibleProposal) => string | null): PersonAction {
  return (context) => {
    const threads = context.open.filter((proposal) => proposal.inThread);
    return threads.length === 0 ? null : action(context, context.random.pick(threads));
  };
}

function headText({ snapshot: { state, pull } }: ActionContext, path: string): string {
  return readBlobText(state.store, readFullTree(state.store, pull.head.sha).get(path)?.sha);
}

const OWN_SETTINGS: readonly (string | null)[] = ['required_approvals: 3\n', 'broken: [\n', null];

/** Changes the settings file on the pull request's own branch, where it decides nothing. */
function pushOwnSettings({ random, pusher }: ActionContext): string {
  const settings = random.pick(OWN_SETTINGS);
  pusher.pushes({ [SETTINGS_PATH]: settings });
  return `pushes ${JSON.stringify(settings)} as the branch's own settings`;
}

/** Approves in advance: the path, or globs that reach enough, something else, or too much. */
function approveAlways(context: ActionContext, proposal: VisibleProposal): string {
  const glob = context.random.pick(['', '', ' src/*.ts', ' src/*.ts', ' docs/*.md', ' **', ' /src/*.ts']);
  return proposal.inThread && context.random.chance(0.7)
    ? replyInThread(context, proposal, `/approve always${glob}`)
    : postComment(context, `/approve ${proposal.id} always${glob}`);
}

/** Takes back one of the first standing approvals, or lists them. */
function revokeStanding(context: ActionContext): string {
  const { random } = context;
  return postComment(context, random.chance(0.8) ? `/revoke ${1 + random.integer(3)}` : '/approvals');
}

/** Pushes a commit that changes, adds or removes one line of a file that proposals can change. */
function pushCommit(context: ActionContext): string {
  const { random, pusher } = context;
  const path = random.pick(FILE_PATHS);
  const lines = headText(context, path).split('\n');
  const at = random.integer(Math.max(1, lines.length - 1));
  const kind = random.pick(['changes', 'adds', 'removes'] as const);
  if (kind === 'changes') lines[at] = `${lines[at] ?? ''} pushed`;
  if (kind === 'adds') lines.splice(random.pick([0, at]), 0, `pushed line ${context.snapshot.state.nextId}`);
  if (kind === 'removes') lines.splice(at, 1);
  pusher.pushes({ [path]: lines.join('\n') });
  return `pushes: ${kind} line ${at + 1} of ${path}`;
}

function submitReview(context: ActionContext): string | null {
  const { random, person, open } = context;
  const threads = open.filter((proposal) => proposal.inThread);
  const event = random.pick(['COMMENT', 'APPROVE', 'REQUEST_CHANGES'] as const);
  const body =
    event === 'COMMENT' ? random.pick(['/approve all', '/deny all', 'Let us see.']) : random.pick(['', 'Well.']);
  const replyTexts = ['/approve', '/deny', 'please use another name', '/approve\nthanks'];
  const replies = threads.slice(0, 1 + random.integer(3)).map(({ commentId }) => ({
    inReplyTo: commentId,
    body: random.pick(replyTexts),
  }));
  if (event === 'REQUEST_CHANGES' && body === '') return null;
  person.reviews({ event, body, replies });
  return `reviews ${event} ${JSON.stringify(body)} with ${JSON.stringify(replies)}`;
}

/** Approves what another person approved: mostly everything, sometimes one proposal. */
export const approveToo: PersonAction = (context) => {
  const { open, random } = context;
  if (open.length === 0) return null;
  return random.chance(0.6)
    ? postComment(context, '/approve all')
    : giveCommand(context, random.pick(open), '/approve');
};

/** Presses a button of one of the App's check runs, mostly of the newest; an old page can name another run's list. */
function pressButton({ random, snapshot, person, fixture }: ActionContext): string | null {
  const runs = [...snapshot.repository.checkRuns.values()].filter(({ appId }) => appId === fixture.appId);
  const newest = runs.at(-1);
  if (newest === undefined) return null;
  const run = random.chance(0.8) ? newest : random.pick(runs);
  const named = random.chance(0.9) ? run : random.pick(runs);
  const digest = named.externalId.split(':')[1] ?? '';
  const identifier = `${random.chance(0.8) ? 'approve' : 'deny'}:${digest.slice(0, 12)}`;
  person.presses(run.id, identifier);
  return `presses ${identifier} of check run ${run.id}`;
}

/** Paths to decide on: of one folder, of all files, and of none. */
const GLOBS = ['src/*.ts', '**', 'docs/*.md', '*.md', 'none/**'];

export type WeightedActions = readonly (readonly [weight: number, action: PersonAction])[];

/** Actions right after an approval, before the commit. */
export const SECOND_THOUGHT_ACTIONS: WeightedActions = [
  [4, onAnyProposal((context, proposal) => giveCommand(context, proposal, '/deny', ' on second thoughts'))],
  [4, pushCommit],
  [1, (context) => postComment(context, '/stop')],
  [1, closePull],
  [1, (context) => changeBase(context)],
  [1, toggleWriteAccess],
  [1, onAnyProposal(tamperWithComment)],
  [4, withdrawApproval],
  [2, revokeStanding],
];

/** Actions that can be, or become, a vote for a change. */
const VOTING_ACTIONS: WeightedActions = [
  [20, onAnyProposal((context, proposal) => giveCommand(context, proposal, '/approve'))],
  [3, (context) => (context.open.length === 0 ? null : postComment(context, '/approve all'))],
  [3, (context) => postComment(context, `/approve ${context.random.pick(GLOBS)}`)],
  [24, onAnyProposal(approveAlways)],
  [
    2,
    (context) =>
      postComment(context, context.random.pick(['/approve', '/deny', 'lgtm', '👍', 'Approved!', 'approve', '1'])),
  ],
  [2, onThreadProposal((context, proposal) => replyInThread(context, proposal, pickReplyText(context)))],
  [4, onThreadProposal((context, proposal) => replyInThread(context, proposal, suggestionBlock(context)))],
  [5, submitReview],
  [4, onThreadProposal((context, proposal) => pressCommitSuggestion(context, proposal))],
  [10, answerQuestion],
  [1, changeOwnComment],
  [8, pressButton],
];

/** Actions that never are a vote for a change, even if a person with write permission takes them. */
export const OTHER_ACTIONS: WeightedActions = [
  [8, onAnyProposal((context, proposal) => giveCommand(context, proposal, '/deny', ' it is worse'))],
  [1, (context) => (context.open.length === 0 ? null : postComment(context, '/deny all'))],
  [1, (context) => postComment(context, `/deny ${context.random.pick(GLOBS)} it is worse`)],
  [3, onAnyProposal((context, proposal) => giveCommand(context, proposal, '/edit', ' use another word'))],
  [6, pushCommit],
  [1, closePull],
  [1, reopenPull],
  [1, (context) => changeBase(context)],
  [1, (context) => postComment(context, '/stop')],
  [2, (context) => postComment(context, '/continue')],
  [3, (context) => postComment(context, '/resume')],
  [1, (context) => postComment(context, context.random.pick(['/status', '/help', '/aprove']))],
  [2, revokeStanding],
  [1, askAgent],
  [1, onAnyProposal((context, proposal) => postComment(context, `/show ${proposal.id}`))],
  [4, (context) => postComment(context, context.random.pick(['/choose 1', '/choose 2', '/answer so']))],
  [3, (context) => requestUndo(context)],
  [
    4,
    (context) =>
      postComment(
        context,
        `/countersign ${context.random.pick(['make it simpler', `look at this: ${HOSTILE_MARKDOWN}`])}`,
      ),
  ],
  [1, (context) => postComment(context, '@countersign and keep it short')],
  [2, onThreadProposal(toggleThread)],
  [1, onAnyProposal(tamperWithComment)],
  [1, toggleWriteAccess],
  [1, changeSettings],
  [1, pushOwnSettings],
  [0.5, addBranchRule],
  [0.7, openSecondPull],
  [1, suspendInstallation],
  [0.8, removeInstallation],
];

export const PERSON_ACTIONS: WeightedActions = [...VOTING_ACTIONS, ...OTHER_ACTIONS];

/** The forms of a person's question, also where no run ever was. */
const QUESTIONS = ['/ask why?', `/ask ${HOSTILE_MARKDOWN}`, '/countersign ask how?', '@countersign why is it so?'];

/** Asks the agent in the conversation or in a thread, sometimes several times at once. */
function askAgent(context: ActionContext): string | null {
  const { random, open, person } = context;
  const threads = open.filter(({ inThread }) => inThread);
  if (threads.length > 0 && random.chance(0.3)) return replyInThread(context, random.pick(threads), '/ask why this?');
  for (let asked = 0; random.chance(0.3) && asked < 12; asked += 1) person.says(random.pick(QUESTIONS));
  return postComment(context, random.pick(QUESTIONS));
}

/** Answers a question that the page shows as open, or rarely one that is over. */
function answerQuestion(context: ActionContext): string | null {
  const { random, snapshot, fixture, person } = context;
  const questions = listBotComments(snapshot, fixture).flatMap(({ body }) => {
    const id = QUESTION_COMMENT.exec(body)?.[1];
    return id !== undefined && (body.includes('Waiting for an answer') || random.chance(0.1)) ? [{ id, body }] : [];
  });
  if (questions.length === 0) return null;
  const { id, body } = random.pick(questions);
  const quote = body.replace(/^<!--.*-->\n+/, '').replaceAll(/^/gm, '> ');
  const fitting = ['choose', 'answer', 'approve'].find((word) => body.includes(`/${word} ${id}`)) ?? 'answer';
  const argument = { choose: ' 1', answer: ` ${HOSTILE_MARKDOWN}`, approve: '' }[fitting] ?? '';
  const others = [`/choose ${id} 3`, `/answer ${id} one`, `/approve ${id}`, '/approve', '/reject', `${quote}\n\none`];
  const line = random.chance(0.6) ? `/${fitting} ${id}${argument}` : random.pick(others);
  const { id: commentId } = person.says(line);
  return `answers ${id} ${JSON.stringify(line)} (${commentId})`;
}

const QUESTION_COMMENT = /^<!-- countersign:question:([a-z0-9]+) -->/;

function pickReplyText({ random }: ActionContext): string {
  return random.pick([
    'please use another name',
    `no: ${HOSTILE_MARKDOWN}`,
    'lgtm',
    '/approve but shorter',
    '@ana what is this?',
  ]);
}

function suggestionBlock({ random, snapshot }: ActionContext): string {
  return `${random.pick(['', 'Rather so:\n'])}\`\`\`suggestion\nmine ${snapshot.state.nextId}\n\`\`\``;
}

function pressCommitSuggestion(
  { person }: ActionContext,
  { id, commentId, hasButton }: VisibleProposal,
): string | null {
  if (!hasButton) return null;
  person.commitsSuggestions(commentId);
  return `presses Commit suggestion on ${id}`;
}

function closePull({ person }: ActionContext): string {
  person.closes();
  return 'closes';
}

function reopenPull({ person }: ActionContext): string {
  person.reopens();
  return 'reopens';
}

function requestUndo(context: ActionContext): string | null {
  const { proposals, random } = context;
  const decided = proposals.filter(({ isPending }) => !isPending);
  return decided.length === 0 ? null : giveCommand(context, random.pick(decided), '/undo');
}

function changeBase({ person, snapshot }: ActionContext): string {
  const base = snapshot.pull.base.branch === OTHER_BASE ? 'main' : OTHER_BASE;
  person.retargets(base);
  return `retargets to ${base}`;
}

function toggleThread({ person }: ActionContext, { id, threadNodeId, isResolved }: VisibleProposal): string | null {
  if (threadNodeId === null) return null;
  if (isResolved) person.unresolves(threadNodeId);
  else person.resolves(threadNodeId);
  return `${isResolved ? 'unresolves' : 'resolves'} the thread of ${id}`;
}

/** Edits or deletes a comment of the App. */
function tamperWithComment({ person, random }: ActionContext, { id, commentId, inThread }: VisibleProposal): string {
  const deletes = random.chance(0.3);
  if (deletes) (inThread ? person.deletesInThread : person.deletes)(commentId);
  else (inThread ? person.editsInThread : person.edits)(commentId, 'Nothing to see here.');
  return `${deletes ? 'deletes' : 'edits'} the comment of ${id}`;
}

function changeOwnComment({ person, random, snapshot, accountId }: ActionContext): string | null {
  const ownComments = [...snapshot.pull.comments.values()].filter(({ authorId }) => authorId === accountId);
  if (ownComments.length === 0) return null;
  const { id } = random.pick(ownComments);
  if (random.chance(0.5)) person.deletes(id);
  else person.edits(id, '/approve all');
  return `changes own comment (${id})`;
}

/** Edits or deletes the newest comment that begins with `/approve`, before or after the App reads it. */
export function withdrawApproval({ person, random, snapshot: { pull } }: ActionContext): string | null {
  const inConversation = [...pull.comments.values()].map((comment) => ({ ...comment, inThread: false }));
  const inThreads = [...pull.reviewComments.values()].map((comment) => ({ ...comment, inThread: true }));
  const approvals = [...inConversation, ...inThreads].filter(({ body }) => body.startsWith('/approve'));
  const last = approvals.toSorted((left, right) => left.id - right.id).at(-1);
  if (last === undefined) return null;
  const deletes = random.chance(0.5);
  if (deletes) (last.inThread ? person.deletesInThread : person.deletes)(last.id);
  else (last.inThread ? person.editsInThread : person.edits)(last.id, 'No, wait.');
  return `${deletes ? 'deletes' : 'edits'} the approval ${last.id}`;
}

/** A proposal of the App, read from its comment. */
type VisibleProposal = ReturnType<typeof findVisibleProposals>[number];

const PROPOSAL_COMMENT = /^<!-- countersign:proposal:([a-z0-9]+) -->/;

function findVisibleProposals(snapshot: PullSnapshot, botId: number) {
  return listBotComments(snapshot, { botId }).flatMap(({ kind, id: commentId, body }) => {
    const id = PROPOSAL_COMMENT.exec(body)?.[1];
    if (id === undefined) return [];
    const thread = kind === 'issue-comment' ? undefined : snapshot.pull.threads.get(commentId);
    return [
      {
        ...{ id, commentId, inThread: kind !== 'issue-comment', isPending: body.includes(PENDING_LABEL) },
        hasButton: body.includes('```suggestion'),
        threadNodeId: thread?.nodeId ?? null,
        isResolved: (thread?.resolvedById ?? null) !== null,
      },
    ];
  });
}
