import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { byteLength } from '../../../../src/core/edits/text/characters.ts';
import * as approvalReplies from '../../../../src/core/messages/approval-replies.ts';
import * as changeReplies from '../../../../src/core/messages/change-replies.ts';
import { questionClosed, questionHint } from '../../../../src/core/messages/question-comment.ts';
import * as replies from '../../../../src/core/messages/replies.ts';
import { queueDropped, runEnded } from '../../../../src/core/messages/run-ended.ts';
import { settingsShown } from '../../../../src/core/messages/settings-replies.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import type { SideQuestion } from '../../../../src/core/state/question.ts';
import type { StandingApproval } from '../../../../src/core/state/vote.ts';
import type { ApprovalBlock, UndoRefusal } from '../../../../src/core/step/reasons.ts';
import type { Reply } from '../../../../src/lib/trust.ts';
import { pullOf } from '../../../contracts/store/samples.ts';
import { foreignNodes } from './foreign-nodes.ts';
import { hostileText } from './hostile-text.ts';
import { liveText } from './markdown-tree.ts';
import { ana, ben, bigint, commit, origin, proposal, question, run, vote } from './sample.ts';

/** What each function of a module writes that makes replies. */
type EveryReply<Module> = {
  readonly [Name in keyof Module as Module[Name] extends (...args: never[]) => Reply ? Name : never]: readonly Reply[];
};

const ending = {
  reason: 'finished',
  by: null,
  note: null,
  pending: [],
  commits: [],
  summary: null,
  droppedTasks: [],
} as const;

/** Changes of a file with this name: pending, applied, asked for something else, and withdrawn with this reason. */
function changesOf(path: string): readonly Proposal[] {
  const change = { ...bigint, path };
  const comment = { kind: 'issue-comment', id: 1, nodeId: 'N', url: `${origin}ana/shop/pull/3#r1` } as const;
  return [
    proposal(change, { comment: { ...comment, createdAt: '2026-01-01T00:00:00Z', bodyHash: 'h' } }),
    proposal(change, { state: 'completed', commitSha: commit, votes: [vote('approve', { id: 1, login: path })] }),
    proposal(change, { state: 'rejected', replacedBy: 'm3x8', votes: [vote('edit', { id: 1, login: path }, path)] }),
    proposal(change, { state: 'superseded', note: path }),
  ];
}

/** Every reply with the same text of others. */
function everyReply(text: string): readonly Reply[] {
  const by = { id: 1, login: text };
  const changes = changesOf(text);
  const [pending = proposal(bigint)] = changes;
  const asked = [question({ prompt: text, by }), question({ input: { type: 'text' }, state: 'answered', by })];
  const task = { text, quote: null, by, location: { at: 'conversation', commentId: 9 }, requestedAt: '' } as const;
  const aside: SideQuestion = { ...task, id: 'c9', runId: null, askedChange: null };
  const scope = { number: 1, tool: 'edit_file', path: text, glob: null, expiresAt: '2026-01-08T00:00:00Z' } as const;
  const standing: StandingApproval = { ...scope, vote: vote('approve-always', by), grantedAt: '2026-01-01T00:00:00Z' };
  const blocks: readonly ApprovalBlock[] = [
    { kind: 'settings-broken', problems: [`line 3: approvers must be write, not "${text}"`] },
    { kind: 'is-requester', login: text },
    { kind: 'not-owner', login: text, path: text, isTeamUnread: true },
    { kind: 'approvals-missing', missing: 3, path: text },
    { kind: 'denied-path', path: text, rule: text },
  ];
  const inReplies: EveryReply<typeof replies> = {
    ownerNotAllowed: [replies.ownerNotAllowed(text)],
    notAllowed: [replies.notAllowed(text, 'approve', false), replies.notAllowed(text, null, true)],
    permissionMissing: [replies.permissionMissing(['contents: write'])],
    tooManyRuns: [replies.tooManyRuns({ key: 'limits.runs_per_day', max: 50, freeAt: '2026-01-02T03:04:05.000Z' })],
    pullNotOpen: [replies.pullNotOpen('closed'), replies.pullNotOpen('merged')],
    cannotCommit: [
      replies.cannotCommit({ ...run().branch, ref: text, isFork: true }),
      replies.cannotCommit({ ...run().branch, ref: text, refusesCommits: true }),
    ],
    ambiguous: [
      replies.ambiguous('approve', changes, true, question({ prompt: text, by })),
      replies.ambiguous('show', [pending], false, null),
    ],
    idMissing: [replies.idMissing('undo', changes), replies.idMissing('show', [])],
    nothingPending: [replies.nothingPending('task')],
    unknownIds: [replies.unknownIds([text, 'zz99'], changes), replies.unknownIds([text], [])],
    decidedBefore: [replies.decidedBefore(changes)],
    malformedCommand: [replies.malformedCommand('/show [<id>]'), replies.malformedCommand(null)],
    affirmationDecidesNothing: [replies.affirmationDecidesNothing('k7q2')],
    consentDecidesNothing: [replies.consentDecidesNothing(changes)],
    wordsWithoutRun: [replies.wordsWithoutRun()],
    wordsKept: [replies.wordsKept(changes, question({ prompt: text, by })), replies.wordsKept([], question({}))],
    suggestionRefused: [replies.suggestionRefused('k7q2', text)],
    sameLinesBesideText: [replies.sameLinesBesideText('k7q2')],
    undoNotEditable: [replies.undoNotEditable(changes)],
    undoRefused: undoRefusals(text, pending).map((refusal) => replies.undoRefused('k7q2', refusal)),
    editedIntoCommand: [replies.editedIntoCommand()],
    notResumable: [replies.notResumable('run-active')],
    internalError: [replies.internalError('f00d', 'event'), replies.internalError('f00d', 'stored-schema')],
    taskQueued: [replies.taskQueued(1), replies.taskQueued(3)],
    queueFull: [replies.queueFull('task', '10 tasks of yours')],
    questionAnswered: [
      replies.questionAnswered(aside, { kind: 'answered', content: text, caveat: 'cut-off' }, changes),
      replies.questionAnswered(aside, { kind: 'answered', content: null, caveat: 'filtered' }, changes),
      replies.questionAnswered(aside, { kind: 'failed', message: text }, changes),
    ],
    changeShown: changes.map(replies.changeShown),
    statusShown: [
      replies.statusShown({ ...pullOf(1, { run: run(), proposals: changes }), queue: [task] }, asked[0] ?? null, false),
      replies.statusShown(pullOf(1), null, true),
    ],
    helpShown: [replies.helpShown(COMMAND_LIST)],
  };
  const aboutChanges: EveryReply<typeof changeReplies> = {
    postedAfterwards: [changeReplies.postedAfterwards(changes, false), changeReplies.postedAfterwards(changes, true)],
    listOutdated: [changeReplies.listOutdated(text, false), changeReplies.listOutdated(text, true)],
    takenByGlob: [changeReplies.takenByGlob(text, changes)],
    nothingOnPaths: [changeReplies.nothingOnPaths(text, changes), changeReplies.nothingOnPaths(text, [])],
    committed: [changeReplies.committed(commit, changes)],
    notAppliedStale: [changeReplies.notAppliedStale(changes)],
    commitFailed: [changeReplies.commitFailed(text, changes)],
    commitDelayed: [changeReplies.commitDelayed(changes)],
    commitMismatch: [changeReplies.commitMismatch(commit, text, changes)],
    pageChanged: [changeReplies.pageChanged(changes)],
    enoughReplies: [changeReplies.enoughReplies(10)],
    reminder: [changeReplies.reminder([by], { proposals: changes, questions: asked }, '2030-01-08T12:00:00.000Z')],
  };
  const aboutApprovals: EveryReply<typeof approvalReplies> = {
    approvalNotCounted: blocks.map((block) => approvalReplies.approvalNotCounted(block, changes)),
    approvalLapsed: blocks.map((block) => approvalReplies.approvalLapsed(block, changes)),
    unknownHere: [approvalReplies.unknownHere()],
    standingApprovalsShown: [approvalReplies.standingApprovalsShown([standing])],
    standingApprovalUnknown: [approvalReplies.standingApprovalUnknown(7, [{ ...standing, path: null, glob: text }])],
    standingApprovalGranted: [approvalReplies.standingApprovalGranted(standing)],
    standingApprovalRefused: [approvalReplies.standingApprovalRefused('k7q2', 'unclear-scope')],
    standingApprovalEnded: [approvalReplies.standingApprovalEnded(standing, { kind: 'revoked', by })],
  };
  return [
    ...[inReplies, aboutChanges, aboutApprovals].flatMap((one) => Object.values(one).flat()),
    ...asked.flatMap((one) => [questionHint(one), questionClosed(one)]),
    settingsShown({ text: `commit_message: ${text}\n`, problems: [`line 1: ${text}`] }),
    queueDropped([task]),
    runEnded({ ...ending, requester: by, proposals: changes, commits: [commit], summary: text, droppedTasks: [task] }),
    runEnded({ ...ending, requester: by, proposals: [], summary: text }),
    runEnded({ ...ending, requester: by, proposals: [], reason: 'model-failed', note: text }),
  ];
}

function undoRefusals(text: string, other: Proposal): readonly UndoRefusal[] {
  return [
    { kind: 'pending', other },
    ...(['already-undone', 'changed-since'] as const).map((kind) => ({ kind, path: text })),
    { kind: 'refused', message: text },
  ];
}

describe('replies', () => {
  it('begin with the hidden line, so that they are never read as a command (C4)', () => {
    for (const reply of everyReply('x')) expect(reply.split('\n')[0]).toBe('<!-- countersign:reply -->');
  });

  it('name the outcome of a decided change (T12)', () => {
    const applied = proposal(bigint, { state: 'completed', commitSha: commit, votes: [vote('approve', ana)] });
    expect(replies.decidedBefore([applied])).toContain(
      'Execution not found or not in proposed state: k7q2 was already applied by ana in 1a2b3c4.',
    );
  });

  it('announce a stop to the requester with this text (T10, S51, S89a)', () => {
    const task = { ...run().task, text: 'fix it' };
    const stopped = { ...ending, reason: 'stopped', requester: ana, by: ben, droppedTasks: [task] } as const;
    expect(runEnded({ ...stopped, proposals: [proposal(bigint, { state: 'cancelled' })] })).toMatchInlineSnapshot(`
      "<!-- countersign:reply -->

      Rejected. Agent response cancelled.

      @ana, the run was stopped by ben-k: nothing was changed, 1 cancelled.

      These queued tasks were dropped:

      - fix it

      Use \`/countersign <task>\` to start a new run."
    `);
  });

  it('quote the whole closing text, and shorten it only if the reply would be too long (S30)', () => {
    const end = (summary: string) => runEnded({ ...ending, requester: ana, proposals: [], summary });
    expect(end('語'.repeat(8_000))).not.toContain('showing');
    expect(end('\u{E0041}'.repeat(8_000))).toContain('(showing 4000 of 8000 characters)');
  });

  it('contain nothing foreign, with any content (C1, C2, C3, C5, C6, C7, A4)', () => {
    fc.assert(
      fc.property(hostileText, (words) => {
        for (const reply of everyReply(words)) {
          expect(foreignNodes(reply, origin)).toEqual([]);
          expect(reply).not.toMatch(/^\s*\/\w/m);
          expect(byteLength(reply)).toBeLessThanOrEqual(60_000);
          // A reminder and the end of a run mention people, at the start.
          const live = liveText(reply).map((part) => part.replace(/^@[\w-]*,/, ''));
          for (const part of live) expect(part).not.toMatch(/@|#\d|:\/\/|www\.\S|<!--/);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('stay below the limit with long lists and long words (S30)', () => {
    const long = '@a `'.repeat(20_000);
    for (const reply of everyReply(long)) expect(byteLength(reply)).toBeLessThanOrEqual(60_000);
    const many = Array.from({ length: 900 }, (_, index) => proposal({ ...bigint, path: long }, { id: `k${index}` }));
    expect(byteLength(replies.ambiguous('approve', many, true, null))).toBeLessThanOrEqual(60_000);
    expect(replies.ambiguous('approve', many, true, null)).toContain('- and 870 more');
  });
});
