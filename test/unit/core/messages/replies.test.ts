import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { byteLength } from '../../../../src/core/edits/text/characters.ts';
import { renderReply } from '../../../../src/core/messages/replies.ts';
import type { VoteProblem } from '../../../../src/core/state/vote-source.ts';
import type {
  ApprovalBlock,
  StandingObstacle,
  UndoRefusal,
  UserEditProblem,
} from '../../../../src/core/step/refusals.ts';
import type { Reply } from '../../../../src/core/step/replies.ts';
import { foreignNodes } from './foreign-nodes.ts';
import { hostileText } from './hostile-text.ts';
import { liveText } from './markdown-tree.ts';
import { ana, ben, commit, links, origin } from './sample.ts';

const context = { links, commands: COMMAND_LIST };

function ownTextProblems(text: string): readonly UserEditProblem[] {
  return [
    { reason: 'same-lines-beside-text' },
    { reason: 'unclear-block' },
    { reason: 'not-one-place' },
    { reason: 'anchor-missing', line: 4, text },
    { reason: 'unchanged' },
    { reason: 'refused', output: text },
    { reason: 'hidden-character', line: 2, codePoint: 0x200b },
    { reason: 'denied-path', rule: text },
    { reason: 'overlaps', other: { id: 'm3x8', title: text, url: `${origin}ana/shop/pull/1#discussion_r1` } },
    { reason: 'overlaps', other: { id: 'm3x8', title: text, url: null } },
  ];
}

function say(answer: Reply): string {
  return renderReply(answer, context);
}

const OBSTACLES: readonly StandingObstacle[] = [
  ...(['switched-off', 'not-your-run', 'needs-others', 'needs-a-look', 'unclear-scope', 'too-many'] as const),
];

const VOTE_PROBLEMS: readonly VoteProblem[] = [
  ...(['missing', 'edited', 'dismissed', 'not-theirs', 'standing-ended'] as const),
];

type EveryAnswer = { readonly [Kind in Reply['kind']]: readonly Omit<Extract<Reply, { kind: Kind }>, 'kind'>[] };

/** Replies of every kind with the same texts. */
function everyAnswer(text: string): readonly Reply[] {
  const named = [
    { id: 'k7q2', title: text, url: 'https://github.com/ana/shop/pull/3#r1' },
    { id: 'm3x8', title: text, url: null },
  ] as const;
  const by = { id: 1, login: text };
  const question = {
    id: 'q4w8',
    state: 'asked',
    type: 'choice',
    choices: 3,
    url: 'https://github.com/ana/shop/pull/3#issuecomment-1',
  } as const;
  const outcome = {
    id: 'k7q2',
    state: 'completed',
    by,
    commitSha: commit,
    replacedBy: 'm3x8',
    isInstructed: false,
    note: null,
  } as const;
  const doubts: readonly ApprovalBlock[] = [
    { kind: 'settings-broken', problems: [`line 3: approvers must be write, not "${text}"`] },
    { kind: 'is-requester', login: text },
    { kind: 'role-missing', login: text, role: 'maintain' },
    { kind: 'not-owner', login: text, path: text, isTeamUnread: true },
    { kind: 'approvals-missing', missing: 1, path: null },
    { kind: 'approvals-missing', missing: 3, path: text },
  ];
  const ended = {
    ...{ requester: by, by: null, proposed: 3, applied: 0, denied: 0, replaced: 0, instructed: 0, withdrawn: 0 },
    ...{ commits: [], note: null, summary: null, droppedTasks: [] },
  } as const;
  const standing = {
    ...({ number: 1, tool: 'edit_file', path: text, glob: null, by } as const),
    ...{ grantedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-01-08T00:00:00.000Z' },
  } as const;
  const every: EveryAnswer = {
    'owner-not-allowed': [{ owner: text }],
    'not-allowed': [
      { login: text, command: 'approve' },
      { login: text, command: 'deny' },
    ],
    'permission-missing': [{ permissions: ['contents: write'] }],
    'runs-per-day': [
      { limit: { key: 'limits.runs_per_day', max: 50, freeAt: '2026-01-02T03:04:05.000Z' } },
      { limit: { key: 'limits.runs_per_person_per_day', max: 1, freeAt: '2026-01-02T03:04:05.000Z' } },
    ],
    'pull-not-open': [{ state: 'closed' }, { state: 'merged' }],
    ambiguous: [
      { command: 'approve', isBelowQuote: false, pending: named },
      { command: 'approve', isBelowQuote: true, pending: named.slice(0, 1) },
    ],
    'nothing-pending': [{ command: 'approve' }],
    'posted-later': [{ postedLater: named }],
    'decided-in-threads': [{}],
    'unknown-ids': [
      { ids: [text, 'zz99'], pending: named },
      { ids: [text], pending: [] },
    ],
    'id-missing': [
      { command: 'undo', changes: named },
      { command: 'show', changes: [] },
    ],
    'already-decided': [{ proposals: [outcome] }],
    'edit-too-late': [{ proposals: [outcome] }],
    'malformed-command': [{ form: '/show [<id>]' }, { form: null }],
    affirmation: [{ id: 'k7q2' }],
    'user-edit-refused': ownTextProblems(text).map((problem) => ({ id: 'k7q2', problem })),
    'edited-into-command': [{}],
    'page-changed': [{ proposals: named }],
    fork: [{ headRef: text }],
    'push-refused': [{ headRef: text }],
    'task-queued': [{ position: 1 }, { position: 3 }],
    'task-queue-full': [
      { max: 10, whose: 'own' },
      { max: 20, whose: 'all' },
    ],
    'queue-dropped': [{ droppedTasks: [text] }],
    'no-run': [{ command: 'stop' }],
    committed: [{ sha: commit, proposals: named }],
    'user-edit-stale': [{ by, proposals: named }],
    stale: [
      { proposals: named, undoneProposalIds: [] },
      { proposals: named, undoneProposalIds: ['k7q2'] },
    ],
    'commit-failed': [{ proposals: named, message: text }],
    'commit-delayed': [{ proposals: named }],
    'commit-mismatch': [{ sha: commit, proposals: named, summary: text }],
    'approval-lapsed': doubts.map((block) => ({ proposals: named, block })),
    'approval-withdrawn': VOTE_PROBLEMS.flatMap((problem) =>
      [true, false].map((isPending) => ({ login: text, problem, isPending, proposals: named })),
    ),
    'approval-not-counted': doubts.map((block) => ({ proposals: named, block })),
    'approvals-suspended': [{ errorId: 'f00df00df00d', proposals: named }],
    'undo-refused': notUndone(text).map((refusal) => ({ proposalId: 'k7q2', refusal })),
    'undo-not-editable': [{ proposals: named }],
    'resume-refused': [{ refusal: 'no-resumable-run' }, { refusal: 'run-active' }, { refusal: 'written-before-end' }],
    'proposal-details': [
      {
        proposal: named[0],
        outcome,
        digest: '32bd90867137aaaa',
        diff: `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${text.replaceAll('\n', '\n+')}\n`,
      },
      { proposal: { ...named[0], url: null }, outcome, digest: '32bd90867137aaaa', diff: null },
    ],
    'side-question-answered': [
      { by, question: text, content: text, caveat: null },
      { by, question: text, content: text, caveat: 'responses-used-up' },
      { by, question: text, content: text, caveat: 'cut-off' },
      { by, question: text, content: null, caveat: 'filtered' },
    ],
    'side-question-failed': [{ by, question: text, message: text }],
    'side-question-queue-full': [{ max: 10 }],
    'internal-error': [
      { errorId: 'f00df00df00d', about: 'comment' },
      { errorId: 'f00df00df00d', about: 'event' },
      { errorId: 'f00df00df00d', about: 'stored-schema' },
    ],
    reminder: [
      { requesters: [by], proposals: named, questions: [], expiresAt: '2030-01-08T12:00:00.000Z' },
      { requesters: [by], proposals: named, questions: [question], expiresAt: '2030-01-08T12:00:00.000Z' },
      { requesters: [by], proposals: [], questions: [question], expiresAt: '2030-01-08T12:00:00.000Z' },
    ],
    'question-hint': [
      { question },
      { question: { ...question, type: 'approval' } },
      { question: { ...question, type: 'text', choices: 0 } },
    ],
    'question-closed': [
      { question: { ...question, state: 'answered' }, by },
      { question: { ...question, state: 'expired' }, by: null },
    ],
    'no-question': [{ id: null }, { id: 'k7q2' }],
    'standing-granted': [{ approval: standing }, { approval: { ...standing, path: null, glob: text } }],
    'standing-refused': OBSTACLES.map((obstacle) => ({ id: 'k7q2', obstacle })),
    'standing-approvals': [{ approvals: [standing] }, { approvals: [] }],
    'standing-unknown': [{ number: 7, approvals: [standing] }],
    'standing-ended': [
      { approval: standing, cause: { kind: 'revoked', by }, proposals: named },
      { approval: standing, cause: { kind: 'comment-unread' }, proposals: [] },
    ],
    help: [{}],
    config: [
      { text: `commit_message: ${text}\n`, problems: [] },
      { text: 'expiry: 3d\n', problems: [`line 1: ${text}`] },
    ],
    status: [
      {
        pending: named,
        question,
        activity: {
          phase: { kind: 'awaiting-decisions', turn: 1 },
          url: null,
          decided: 1,
          proposed: 3,
          deciders: [ana],
        },
        queuedTasks: 2,
        pendingSideQuestions: 1,
        canResume: false,
      },
      { pending: [], question: null, activity: null, queuedTasks: 0, pendingSideQuestions: 0, canResume: true },
    ],
    'run-ended': [
      {
        ...ended,
        reason: 'finished',
        applied: 2,
        denied: 1,
        replaced: 0,
        instructed: 1,
        withdrawn: 1,
        commits: [commit],
        summary: text,
        droppedTasks: [text],
      },
      { ...ended, reason: 'finished', proposed: 0, summary: text },
      { ...ended, reason: 'model-failed', note: text, summary: text },
      { ...ended, reason: 'expired' },
    ],
  };
  return Object.entries(every).flatMap(([kind, answers]) => answers.map((answer) => ({ kind, ...answer }) as Reply));
}

function notUndone(text: string): readonly UndoRefusal[] {
  const other = { id: 'm3x8', title: text, url: null };
  return [
    { kind: 'pending', other },
    { kind: 'already-undone', path: text },
    { kind: 'changed-since', path: text },
    { kind: 'refused', message: text },
  ];
}

describe('answers', () => {
  it('each states outcome, reason and next step (J10)', () => {
    const texts = everyAnswer('total').map(
      (answer) => `[${answer.kind}]\n${say(answer).replace('<!-- countersign:reply -->\n\n', '')}`,
    );
    expect(texts.join('\n\n')).toMatchInlineSnapshot(`
      "[owner-not-allowed]
      Countersign is not enabled for repositories of total, so nothing was read or changed. Ask its operator to add that account to \`ALLOWED_OWNERS\`.

      [not-allowed]
      Sorry, total: \`/approve\` needs write access to this repository. Nothing was decided. Ask a maintainer to post it.

      [not-allowed]
      Sorry, total: \`/deny\` needs write access to this repository, unless you opened the pull request. Nothing was decided. Ask a maintainer to post it.

      [permission-missing]
      Nothing was started, and the model was not asked: the App lacks the permission \`contents: write\` here, and could not commit. An owner of this repository’s account can grant it: open [the installed Apps](https://github.com/ana/shop/settings/installations), choose **Configure** beside this App, and accept **Review request**. If no request is shown there, tell the operator of this App. Then post your comment again.

      [runs-per-day]
      Nothing was started: this repository has started 50 runs within 24 hours, which is the limit, and going on with an ended run counts like a start. The next one can start after 2026-01-02 03:04 UTC; then write it again. People who can change \`.github/countersign.yml\` on the default branch can change \`limits.runs_per_day\`, within the bounds of this App’s operator.

      [runs-per-day]
      Nothing was started: the person who asked has started 1 run within 24 hours, which is the limit, and going on with an ended run counts like a start. The next one can start after 2026-01-02 03:04 UTC; then write it again. People who can change \`.github/countersign.yml\` on the default branch can change \`limits.runs_per_person_per_day\`, within the bounds of this App’s operator.

      [pull-not-open]
      This pull request is closed, so Countersign can’t change it. Reopen it and ask again.

      [pull-not-open]
      This pull request is merged, so Countersign can’t change it. Open a new pull request and ask there.

      [ambiguous]
      \`/approve\` had no effect: several changes are pending, and it names none of them.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Reply in the change’s own thread, or use \`/approve k7q2\` or \`/approve all\`.

      [ambiguous]
      \`/approve\` had no effect: one change is pending, and your comment doesn’t name it.

      A quote never approves: name the change by its id.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total

      Reply in the change’s own thread, or use \`/approve k7q2\` or \`/approve all\`.

      [nothing-pending]
      \`/approve\` had no effect: no change was pending when you posted it. \`/status\` lists pending changes.

      [posted-later]
      Your comment doesn’t cover these changes, because they were posted later or in the same second. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Review them, then post the command again.

      [decided-in-threads]
      The review’s summary had no effect: its inline comments already answer every change it could apply to. \`/status\` lists pending changes.

      [unknown-ids]
      Execution not found or not in proposed state: no change of this pull request has the id \`total\` or \`zz99\`. Nothing was decided.

      Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Post the command again with one of these ids.

      [unknown-ids]
      Execution not found or not in proposed state: no change of this pull request has the id \`total\`. Nothing was decided.

      No change is pending.

      Use \`/countersign <task>\` to start a run.

      [id-missing]
      \`/undo\` needs the id of an applied change here, as in \`/undo k7q2\`. The applied changes of the last run, newest first:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [id-missing]
      \`/show\` needs the id of a change here, as in \`/show <id>\`. The last run has none.

      [already-decided]
      Execution not found or not in proposed state: k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`.

      A decision is final. \`/status\` lists pending changes.

      [edit-too-late]
      Execution not found or not in proposed state: k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`.

      A decision is final. To have something else, reply to the change, or quote it, with your words and without a command, or use \`/countersign <task>\`.

      [malformed-command]
      Nothing was decided. A command stands alone on the first line of a comment, in this form: \`/show [<id>]\`. \`/help\` lists all commands.

      [malformed-command]
      Nothing was decided: this is no command of Countersign. \`/help\` lists all commands.

      [affirmation]
      \`k7q2\` is still pending, because this reply decides nothing. To approve it, write \`/approve\` as the first line; \`/deny\` leaves the file as it is, and any other sentence says what to change.

      [user-edit-refused]
      Nothing was approved: your block has exactly the proposed lines, but it does not stand alone. To approve them, use \`/approve k7q2\`, with a note for the agent below it if you like. For other lines, reply with these in a block, or say what to change in words without a block.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because your reply has several blocks, or one that is not closed, indented, or below other code or a tag. Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because its page has no suggestion block that it could replace. Reply with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: did you mean to delete line 4, \`total\`? The change keeps it, and your suggestion leaves it out. Reply with a block that has this line too, or say in words that it should go, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because the file already has these lines. Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending. total Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because it adds a character that nobody sees, \`U+200B in line 2\`; write it as an escape of the language. Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because Countersign may not write this file (\`total\`). Reply with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because it touches the lines of [\`m3x8\`](https://github.com/ana/shop/pull/1#discussion_r1), which must be decided first. Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [user-edit-refused]
      \`k7q2\` is still pending: your suggestion can’t replace it, because it touches the lines of \`m3x8\`, which must be decided first. Reply with one \`suggestion\` block at the left margin or with what to change, or use \`/approve\` or \`/deny [reason]\`.

      [edited-into-command]
      An edited comment has no effect, because it might have been read before the edit. Post a new comment instead.

      [page-changed]
      Nothing was approved: the comment that shows this change was edited or deleted, so you might have seen something else. It is written again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Review it again, then post \`/approve\` again.

      [fork]
      Nothing was approved: the branch \`total\` is in a fork, and Countersign never writes to forks. Press **Commit suggestion** where a change has that button, or apply the diff by hand and push it. Countersign recognizes the change on the branch.

      [push-refused]
      Nothing was approved: the rules of \`total\` refused a commit of this run, so Countersign commits nothing more. Press **Commit suggestion** where a change has that button, or apply the diff by hand and push it. Countersign recognizes the change on the branch.

      [task-queued]
      Your task is queued and starts by itself when the active run ends. \`/stop\` ends the active run and drops the queue.

      [task-queued]
      Your task is queued and starts by itself after the 3 tasks before it. \`/stop\` ends the active run and drops the queue.

      [task-queue-full]
      Your task was not taken: 10 tasks of yours already wait on this pull request. Write it again once one of them has started, or drop them all with \`/stop\`.

      [task-queue-full]
      Your task was not taken: 20 tasks already wait on this pull request. Write it again once one of them has started, or drop them all with \`/stop\`.

      [queue-dropped]
      These queued tasks were dropped:

      - total

      Use \`/countersign <task>\` to start a run.

      [no-run]
      \`/stop\` had no effect: no run is active here. Use \`/countersign <task>\` to start a run.

      [committed]
      Applied in [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d) (2 changes):

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [user-edit-stale]
      Not applied: the file changed after total wrote these lines, so they were withdrawn.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent has been told and may propose an update. You can replace that one with your own lines again.

      [stale]
      Not applied: the file changed after these were proposed.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent has been told and may propose an update.

      [stale]
      Not applied: the file changed after these were proposed.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent has been told and may propose an update.

      To undo again, use \`/undo k7q2\`.

      [commit-failed]
      Not applied, because the commit failed: total

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Fix the cause, then ask again.

      [commit-delayed]
      Approved, but not committed yet. Countersign keeps trying; \`/deny\` still withdraws the change.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [commit-mismatch]
      ⚠️ The commit [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d) is not exactly what was approved: total.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      A maintainer must check it; Countersign commits nothing further.

      [approval-lapsed]
      Not applied: the settings that say who may approve are broken. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      \`.github/countersign.yml\` on the default branch has these problems:

      \`\`\`text
      line 3: approvers must be write, not "total"
      \`\`\`

      You can still deny changes. Fix the file on the default branch, then approve again.

      [approval-lapsed]
      Not applied: total requested this change or wrote lines of it, and \`require_non_requester\` is set. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-lapsed]
      Not applied: total doesn’t have the maintain or admin role that approvers of this change need. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-lapsed]
      Not applied: total is no known code owner of \`total\`, as its approvers must be. Countersign cannot see the members of a team that owns it: its installation lacks the permission \`members: read\`. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-lapsed]
      Not applied: 1 more approval is needed. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-lapsed]
      Not applied: 3 more approvals are needed, also of a code owner of \`total\`. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-withdrawn]
      Not applied: the comment with the approval of total is not on this pull request. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Only a new comment approves, such as \`/approve k7q2\`.

      [approval-withdrawn]
      One approval doesn’t count: the comment with the approval of total is not on this pull request. The other approvals are enough for:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-withdrawn]
      Not applied: the comment with the approval of total was edited before the commit. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Only a new comment approves, such as \`/approve k7q2\`.

      [approval-withdrawn]
      One approval doesn’t count: the comment with the approval of total was edited before the commit. The other approvals are enough for:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-withdrawn]
      Not applied: the approving review of total was dismissed. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Only a new comment approves, such as \`/approve k7q2\`.

      [approval-withdrawn]
      One approval doesn’t count: the approving review of total was dismissed. The other approvals are enough for:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-withdrawn]
      Not applied: GitHub doesn’t show that approval as one of total any more. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Only a new comment approves, such as \`/approve k7q2\`.

      [approval-withdrawn]
      One approval doesn’t count: GitHub doesn’t show that approval as one of total any more. The other approvals are enough for:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-withdrawn]
      Not applied: the standing approval of total has ended, or does not cover this change any more. Pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Only a new comment approves, such as \`/approve k7q2\`.

      [approval-withdrawn]
      One approval doesn’t count: the standing approval of total has ended, or does not cover this change any more. The other approvals are enough for:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-not-counted]
      That approval doesn’t count: the settings that say who may approve are broken. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      \`.github/countersign.yml\` on the default branch has these problems:

      \`\`\`text
      line 3: approvers must be write, not "total"
      \`\`\`

      You can still deny changes. Fix the file on the default branch, then approve again.

      [approval-not-counted]
      That approval doesn’t count: total requested this change or wrote lines of it, and \`require_non_requester\` is set. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-not-counted]
      That approval doesn’t count: total doesn’t have the maintain or admin role that approvers of this change need. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-not-counted]
      That approval doesn’t count: total is no known code owner of \`total\`, as its approvers must be. Countersign cannot see the members of a team that owns it: its installation lacks the permission \`members: read\`. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-not-counted]
      Your approval counts, but 1 more approval is needed:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approval-not-counted]
      Your approval counts, but 3 more approvals are needed, also of a code owner of \`total\`:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approvals-suspended]
      A later comment or event might have been a denial, but an internal error (\`f00df00df00d\`) kept Countersign from reading it. Earlier approvals of these changes no longer count:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Review them again, then use \`/approve\` or \`/deny\`.

      [undo-refused]
      The reverse of \`k7q2\` touches the lines or paths of a pending change. Decide on that one first, then use \`/undo k7q2\` again:

      - \`m3x8\` total

      [undo-refused]
      There is nothing to undo: \`total\` is already as it was before \`k7q2\`.

      [undo-refused]
      \`total\` has changed since: the lines of \`k7q2\` are gone or occur more than once, or another file is in the way. Nothing was proposed. Use \`/countersign <task>\` to say what to do instead.

      [undo-refused]
      total Nothing was proposed. Use \`/countersign <task>\` to say what to do instead.

      [undo-not-editable]
      An undo is the exact reverse of a change, so you can only approve or deny it. Still pending:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      For anything else, deny it and use \`/countersign <task>\`.

      [resume-refused]
      There is no run to resume: \`/resume\` continues one that expired, reached a limit, or ended because the model failed. Use \`/countersign <task>\` to start a run.

      [resume-refused]
      \`/resume\` had no effect: a run is active or about to start. \`/status\` lists pending changes.

      [resume-refused]
      \`/resume\` had no effect: it was posted before the run ended, or in the same second. Post it again.

      [proposal-details]
      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total

      k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`. Digest \`32bd90867137\`.

      \`\`\`diff
      --- a/x
      +++ b/x
      @@ -1 +1 @@
      -old
      +total
      \`\`\`

      [proposal-details]
      - \`k7q2\` total

      k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`. Digest \`32bd90867137\`.

      It has no diff.

      [side-question-answered]
      total asked:

      > total

      Answer, written by the model:

      > total

      Nothing was decided.

      [side-question-answered]
      total asked:

      > total

      Answer, written by the model:

      > total

      The model used all 8 responses that a question has, so the answer can be incomplete.

      Nothing was decided.

      [side-question-answered]
      total asked:

      > total

      Answer, written by the model:

      > total

      The answer was cut off, because it reached the length limit of the model endpoint.

      Nothing was decided.

      [side-question-answered]
      total asked:

      > total

      The model’s answer was empty.

      The answer was withheld by the content filter of the model endpoint.

      Nothing was decided.

      [side-question-failed]
      total asked:

      > total

      The model gave no answer: total

      Nothing was decided. Try again later.

      [side-question-queue-full]
      Your question was not taken, because 10 questions are already pending. Ask again once they are answered.

      [internal-error]
      Countersign failed to process that comment because of an internal error, so it had no effect. Everything else continues. Please post it again; if that fails too, tell the operator of this App the error id \`f00df00df00d\`.

      [internal-error]
      Countersign failed to process an event of this pull request because of an internal error. If the run doesn’t continue, use \`/stop\` and start a new one; if that fails too, tell the operator of this App the error id \`f00df00df00d\`.

      [internal-error]
      This pull request’s state was stored by another version of Countersign, so comments have no effect until that version runs again. Pending changes are kept. Tell the operator of this App the error id \`f00df00df00d\`.

      [reminder]
      @total, 2 changes are still pending and expire on 2030-01-08 12:00 UTC:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Use \`/approve <id>\` or \`/deny <id>\` to decide.

      [reminder]
      @total, a question and changes still wait and expire on 2030-01-08 12:00 UTC:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      - [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1) a question of the agent

      Use \`/approve <id>\` or \`/deny <id>\` to decide.

      The question’s comment says how to answer it.

      [reminder]
      @total, a question still waits and expires on 2030-01-08 12:00 UTC:

      - [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1) a question of the agent

      The question’s comment says how to answer it.

      [question-hint]
      Your comment is no answer to the question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1), which still waits. In a new comment, write \`/choose q4w8 <number>\` with a number from 1 to 3, or the exact text of one choice; \`/reject q4w8\` ends the run.

      [question-hint]
      Your comment is no answer to the question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1), which still waits. In a new comment, write \`/approve q4w8\`; \`/reject q4w8\` ends the run.

      [question-hint]
      Your comment is no answer to the question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1), which still waits. In a new comment, write \`/answer q4w8 <text>\`; \`/reject q4w8\` ends the run.

      [question-closed]
      The question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1) is already answered by total, so your answer had no effect.

      [question-closed]
      The question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1) is already expired, so your answer had no effect.

      [no-question]
      Your answer had no effect: no question of the agent waits for an answer here. \`/status\` shows an open one.

      [no-question]
      Your answer had no effect: the last run has no question with the id \`k7q2\`, and questions of earlier runs are closed. \`/status\` shows an open one.

      [standing-granted]
      Standing approval **1** of total: later \`edit_file\` changes of \`total\` in this pull request, in runs that this person starts count as approved by them, until 2026-01-08 00:00 UTC, a new base branch or the close.

      It covers only changes that are posted in a later second, and none that deletes or moves a file, touches a protected or executable file or has misleading characters. Every change is still posted first, and \`/deny\` wins until its commit begins. \`/revoke 1\` takes it back.

      [standing-granted]
      Standing approval **1** of total: later \`edit_file\` changes of files that match \`total\` from the repository’s root in this pull request, in runs that this person starts count as approved by them, until 2026-01-08 00:00 UTC, a new base branch or the close.

      It covers only changes that are posted in a later second, and none that deletes or moves a file, touches a protected or executable file or has misleading characters. Every change is still posted first, and \`/deny\` wins until its commit begins. \`/revoke 1\` takes it back.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: \`standing_approvals\` of this repository doesn’t allow that.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: another person started this run.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: the repository’s rules ask for other people’s approval too.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: it is no plain edit by the agent, touches a protected or executable file, or its page warns of it, so each of its kind needs an approval of its own.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: its reach is unclear. A glob that covers this change is one folder from the repository’s root and one extension, as in \`src/*.ts\`, of at most 200 characters. A change of several files needs one.

      [standing-refused]
      Your approval is for \`k7q2\` alone and doesn’t stand for later changes: 20 are in force already. \`/revoke <n>\` makes room.

      [standing-approvals]
      Standing approvals in force on this pull request:

      - **1** by total, 2026-01-01 00:00 UTC: \`edit_file\` changes of \`total\`, until 2026-01-08 00:00 UTC. \`/revoke 1\` takes it back.

      [standing-approvals]
      No standing approval is in force on this pull request.

      [standing-unknown]
      Nothing was taken back: no standing approval \`7\` is in force here.

      Standing approvals in force on this pull request:

      - **1** by total, 2026-01-01 00:00 UTC: \`edit_file\` changes of \`total\`, until 2026-01-08 00:00 UTC. \`/revoke 1\` takes it back.

      [standing-ended]
      Standing approval **1** of total, for \`edit_file\` changes of \`total\`, has ended: total took it back.

      Not applied, and pending again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [standing-ended]
      Standing approval **1** of total, for \`edit_file\` changes of \`total\`, has ended: a later comment could not be read because of an internal error, and might have taken it back.

      [help]
      A command stands on the first line of a comment, with nothing before it. In a change’s thread it applies to that change; elsewhere, add its id.

      - \`/countersign <task>\` – start a task on this pull request (queued if one is already running)
      - \`/approve [<id>…|all|always [<glob>]]\` – make the change; in its thread the id may be left out, lines below are a note for the agent; with always also later changes by the same tool, of this path or of a glob
      - \`/deny [<id>…|all] [reason]\` – do not make this change; the reason goes to the agent
      - \`/edit [<id>…|all] <instruction>\` – ask for changes; outside a thread and without an id it applies to all pending changes
      - \`/answer [<id>] <text>\` – answer the agent’s question with words, or with the number of a choice; a reply to the question does the same
      - \`/ask <question>\` – ask the agent a question; it can read for it, and decides and changes nothing
      - \`/show [<id>]\` – show the full diff of a change; in its thread the id may be left out
      - \`/undo [<id>]\` – propose the exact reverse of an applied change; in its thread the id may be left out
      - \`/continue\` – send the decisions so far to the agent and withdraw all undecided changes and open questions; lines below are a note for the agent
      - \`/stop\` – stop the run; pending changes are cancelled, queued tasks dropped
      - \`/resume\` – continue a run that ended because the agent failed, reached its limits or waited too long for a decision; lines below are a note for the agent
      - \`/status\` – show what the run is doing, with a link to every pending change
      - \`/approvals\` – list the standing approvals of this pull request, with what each reaches
      - \`/revoke <n>\` – take back a standing approval of any person, and its approvals of changes that are not committed yet
      - \`/config\` – show the settings in force
      - \`/help\` – list the commands

      Commands need write access to this repository. If you opened the pull request, you can also use \`/deny\`, \`/show\`, \`/stop\`, \`/status\`, \`/approvals\`, \`/config\` and \`/help\`.

      Any other reply in a change’s thread tells the agent what to change. A reply with one suggestion block applies your own lines, and GitHub’s **Commit suggestion** button counts as your approval.

      Nothing changes without an approval.

      [config]
      Settings in force:

      \`\`\`yaml
      commit_message: total
      \`\`\`

      What decides who may approve and in advance is read again at each decision, the form of commit messages at each commit; a run keeps the other settings that it began with, among them its model, its limits and what it may read.

      [config]
      \`.github/countersign.yml\` on the default branch has these problems:

      \`\`\`text
      line 1: total
      \`\`\`

      Fix the file on the default branch.

      Until then these hold, and no approval takes effect:

      \`\`\`yaml
      expiry: 3d
      \`\`\`

      What decides who may approve and in advance is read again at each decision, the form of commit messages at each commit; a run keeps the other settings that it began with, among them its model, its limits and what it may read.

      [status]
      A run is active. 1 of 3 changes decided by ana; the agent gets these decisions after the last one, or with \`/continue\`. 2 tasks queued. 1 question pending. The question [\`q4w8\`](https://github.com/ana/shop/pull/3#issuecomment-1) waits for an answer. Pending changes:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Use \`/approve all\` to apply all of them.

      [status]
      No run is active. No change is pending.

      Use \`/resume\` to continue the last run.

      Use \`/countersign <task>\` to start a run.

      [run-ended]
      @total, the run finished: 2 changes applied in [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d), 1 denied, 1 not made because something else was asked for, 1 withdrawn.

      Closing words, written by the model:

      > total

      These queued tasks were dropped:

      - total

      To go on with this run, reply to one of its changes (in its thread, or quote it) or mention this App, within 7 days. Use \`/countersign <task>\` to start a new run.

      [run-ended]
      @total, the answer, written by the model:

      > total

      Nothing was changed.

      To go on with this run, reply to one of its changes (in its thread, or quote it) or mention this App, within 7 days. Use \`/countersign <task>\` to start a new run.

      [run-ended]
      @total, the run ended because the model gave no usable answer. Nothing was changed.

      total

      Closing words, written by the model:

      > total

      Use \`/resume\` to continue this run (until another one starts). Use \`/countersign <task>\` to start a new run.

      [run-ended]
      @total, the run ended because its changes expired without a decision. Nothing was changed.

      Use \`/resume\` to continue this run (until another one starts). It proposes the expired changes again. Use \`/countersign <task>\` to start a new run."
    `);
  });

  it('begin with the hidden line, so that they are never read as a command (C4)', () => {
    for (const answer of everyAnswer('x')) expect(say(answer).split('\n')[0]).toBe('<!-- countersign:reply -->');
  });

  it('names the outcome of a decided change (T12)', () => {
    const settled = {
      id: 'k7q2',
      state: 'completed',
      by: ana,
      commitSha: commit,
      replacedBy: null,
      isInstructed: false,
      note: null,
    } as const;
    expect(say({ kind: 'already-decided', proposals: [settled] })).toContain(
      'Execution not found or not in proposed state: k7q2 was already applied by ana in 1a2b3c4.',
    );
  });

  it('a stop is announced to the requester with this text (T10, S51, S89a)', () => {
    const text = say({
      kind: 'run-ended',
      requester: ana,
      reason: 'stopped',
      by: ben,
      ...{ proposed: 1, applied: 0, denied: 0, replaced: 0, instructed: 0, withdrawn: 0 },
      ...{ commits: [], note: null, summary: null },
      droppedTasks: ['fix it'],
    });
    expect(text).toMatchInlineSnapshot(`
      "<!-- countersign:reply -->

      Rejected. Agent response cancelled.

      @ana, the run was stopped by ben-k: nothing was changed.

      These queued tasks were dropped:

      - fix it

      Use \`/countersign <task>\` to start a new run."
    `);
  });

  it('quotes the whole closing text, and shortens it only if the reply would be too long (S30)', () => {
    const end = (summary: string) =>
      say({
        kind: 'run-ended',
        requester: ana,
        reason: 'finished',
        by: null,
        ...{ proposed: 0, applied: 0, denied: 0, replaced: 0, instructed: 0, withdrawn: 0, commits: [] },
        ...{ note: null, summary, droppedTasks: [] },
      });
    expect(end('語'.repeat(8_000))).not.toContain('showing');
    expect(end('\u{E0041}'.repeat(8_000))).toContain('(showing 4000 of 8000 characters)');
  });

  it('contain nothing foreign, with any content (C1, C2, C3, C5, C6, C7, A4)', () => {
    fc.assert(
      fc.property(hostileText, (words) => {
        for (const answer of everyAnswer(words)) {
          const text = say(answer);
          expect(foreignNodes(text, origin)).toEqual([]);
          expect(text).not.toMatch(/^\s*\/\w/m);
          expect(byteLength(text)).toBeLessThanOrEqual(60_000);
          const live = liveText(text).map((part) =>
            answer.kind === 'run-ended' || answer.kind === 'reminder' ? part.replace(/^@[\w-]*,/, '') : part,
          );
          for (const part of live) expect(part).not.toMatch(/@|#\d|:\/\/|www\.\S|<!--/);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('long lists and long words stay below the limit (S30)', () => {
    const long = '@a `'.repeat(20_000);
    for (const answer of everyAnswer(long)) expect(byteLength(say(answer))).toBeLessThanOrEqual(60_000);
    const many = Array.from({ length: 900 }, (_, index) => ({ id: `k${index}`, title: long, url: links.repository }));
    expect(
      byteLength(say({ kind: 'ambiguous', command: 'approve', isBelowQuote: true, pending: many })),
    ).toBeLessThanOrEqual(60_000);
    expect(say({ kind: 'ambiguous', command: 'approve', isBelowQuote: true, pending: many })).toContain(
      '- and 870 more',
    );
  });
});
