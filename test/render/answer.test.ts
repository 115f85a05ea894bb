import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../../src/command/table.ts';
import { furtherAnswers, renderAnswer } from '../../src/render/answer.ts';
import { byteLength } from '../../src/render/markdown.ts';
import type { Answer, Doubt, NotUndone, OwnTextProblem } from '../../src/run/answer.ts';
import { foreignNodes } from './foreign-nodes.ts';
import { hostileText } from './hostile-text.ts';
import { liveText } from './markdown-tree.ts';
import { ana, ben, commit, links, origin } from './sample.ts';

const context = { links, commands: commandTable };

function ownTextProblems(text: string): readonly OwnTextProblem[] {
  return [
    { why: 'several-blocks' },
    { why: 'unclosed-block' },
    { why: 'no-place' },
    { why: 'unchanged' },
    { why: 'not-text' },
    { why: 'too-large', bytes: 2_000_091 },
    { why: 'diff-too-long' },
    { why: 'denied-path', rule: text },
    { why: 'touches', other: { id: 'm3x8', title: text, url: `${origin}ana/shop/pull/1#discussion_r1` } },
    { why: 'touches', other: { id: 'm3x8', title: text, url: null } },
  ];
}

function say(answer: Answer): string {
  return renderAnswer(answer, context);
}

type EveryAnswer = { readonly [Kind in Answer['kind']]: readonly Omit<Extract<Answer, { kind: Kind }>, 'kind'>[] };

/** Answers of every kind, made of the same words. */
function everyAnswer(text: string): readonly Answer[] {
  const named = [
    { id: 'k7q2', title: text, url: 'https://github.com/ana/shop/pull/3#r1' },
    { id: 'm3x8', title: text, url: null },
  ] as const;
  const by = { id: 1, login: text };
  const settled = { id: 'k7q2', state: 'completed', by, commit, replacedBy: 'm3x8' } as const;
  const doubts: readonly Doubt[] = [
    { kind: 'broken-settings', problems: [`line 3: approvers must be write, not "${text}"`] },
    { kind: 'objection', objection: 'gave-the-task', login: text },
    { kind: 'objection', objection: 'below-maintain', login: text },
    { kind: 'too-few', missing: 1 },
    { kind: 'too-few', missing: 3 },
  ];
  const ended = { requester: by, proposed: true, by: null, dropped: [] } as const;
  const every: EveryAnswer = {
    'not-served': [{ owner: text }],
    'not-allowed': [
      { login: text, command: 'approve' },
      { login: text, command: 'deny' },
    ],
    'pull-not-open': [{ state: 'closed' }, { state: 'merged' }],
    which: [{ command: 'approve', pending: named }],
    'nothing-pending': [{ command: 'approve' }],
    'posted-later': [{ left: named }],
    'answered-inline': [{}],
    'unknown-ids': [
      { ids: [text, 'zz99'], pending: named },
      { ids: [text], pending: [] },
    ],
    settled: [{ proposals: [settled] }],
    misfit: [{ command: 'approve', word: text, hint: `Only ids may stand on its line. ${text}` }],
    'unknown-command': [{ word: text, nearest: 'approve' }],
    affirmation: [{ id: 'k7q2' }],
    'empty-reply': [{ id: 'k7q2' }],
    'own-text': ownTextProblems(text).map((problem) => ({ id: 'k7q2', problem })),
    'edited-comment': [{}],
    'comment-edited': [{ proposals: named }],
    restored: [{ id: 'k7q2' }],
    'not-restored': [{ proposals: named }],
    'deleted-words': [{ proposals: [settled] }],
    retargeted: [{ from: text, to: 'main', proposals: named }],
    fork: [{ headRef: text }],
    'push-refused': [{ headRef: text }],
    queued: [{ ahead: 1 }, { ahead: 3 }],
    'queue-dropped': [{ dropped: [text] }],
    'no-run': [{ command: 'stop' }],
    committed: [{ sha: commit, applied: named }],
    'own-text-stale': [{ by, proposals: named }],
    stale: [
      { proposals: named, undone: [] },
      { proposals: named, undone: ['k7q2'] },
    ],
    'commit-failed': [{ proposals: named, message: text }],
    'commit-delayed': [{ proposals: named }],
    'commit-differs': [{ sha: commit, proposals: named, words: text }],
    'approval-void': doubts.map((doubt) => ({ proposals: named, doubt })),
    'not-counted': doubts.map((doubt) => ({ proposals: named, doubt })),
    'approvals-withdrawn': [{ fault: 'f00df00df00d', proposals: named }],
    'not-undone': notUndone(text).map((why) => ({ of: 'k7q2', why })),
    'undo-as-it-is': [{ proposals: named }],
    'not-resumed': [{ why: 'nothing' }, { why: 'active' }, { why: 'written-before' }],
    shown: [
      {
        proposal: named[0],
        settled,
        digest: '32bd90867137aaaa',
        diff: `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${text.replaceAll('\n', '\n+')}\n`,
      },
      { proposal: { ...named[0], url: null }, settled, digest: '32bd90867137aaaa', diff: null },
    ],
    asked: [
      { by, question: text, content: text },
      { by, question: text, content: null },
    ],
    'ask-failed': [{ by, question: text, message: text }],
    'questions-full': [{ most: 10 }],
    fault: [
      { fault: 'f00df00df00d', about: 'words' },
      { fault: 'f00df00df00d', about: 'event' },
      { fault: 'f00df00df00d', about: 'form' },
    ],
    reminder: [{ people: [by], proposals: named, expiresAt: '2030-01-08T12:00:00.000Z' }],
    help: [{}],
    status: [
      { pending: named, running: true, queued: 2, questions: 1, resumable: false },
      { pending: [], running: false, queued: 0, questions: 0, resumable: true },
    ],
    'run-ended': [
      { ...ended, how: 'finished', commits: [commit], note: text, dropped: [text] },
      { ...ended, how: 'model-failed', commits: [], note: text },
      { ...ended, how: 'expired', commits: [], note: null },
    ],
  };
  return Object.entries(every).flatMap(([kind, answers]) => answers.map((answer) => ({ kind, ...answer }) as Answer));
}

function notUndone(text: string): readonly NotUndone[] {
  const other = { id: 'm3x8', title: text, url: null };
  return [
    { kind: 'waits', undo: other },
    { kind: 'undone', path: text },
    { kind: 'changed-since', path: text },
    { kind: 'commit-gone', sha: commit },
    { kind: 'taken', path: text },
    { kind: 'denied-path', path: text, rule: text },
    { kind: 'touches', other },
    { kind: 'refused', message: text },
    { kind: 'not-posted', message: text },
  ];
}

describe('answers', () => {
  it('J10: each says what, why and what to do next', () => {
    const texts = everyAnswer('total').map(
      (answer) => `[${answer.kind}]\n${say(answer).replace('<!-- countersign:reply -->\n\n', '')}`,
    );
    expect(texts.join('\n\n')).toMatchInlineSnapshot(`
      "[not-served]
      Countersign does not work in repositories of total: its operator has not listed that account. Nothing was read or changed. Ask the operator to add it to \`ALLOWED_OWNERS\`.

      [not-allowed]
      Sorry, total: \`/approve\` is for people with write access to this repository. Nothing was decided. Somebody with write access can say it instead.

      [not-allowed]
      Sorry, total: \`/deny\` is for people with write access to this repository and for the author of the pull request. Nothing was decided. Somebody with write access can say it instead.

      [pull-not-open]
      This pull request is closed, so nothing can be changed on it. Reopen it and ask again.

      [pull-not-open]
      This pull request is merged, so nothing can be changed on it. Open a new pull request and ask there.

      [which]
      Several changes are waiting, and \`/approve\` alone does not say which. Nothing was decided.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Reply in the change’s own thread, or write \`/approve k7q2\` or \`/approve all\`.

      [nothing-pending]
      No change was waiting for a decision when \`/approve\` was written, so nothing happened. \`/status\` lists what is waiting.

      [posted-later]
      These were posted after that comment was written, or in the same second, so it does not cover them. They are still waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Read them, then write the command once more.

      [answered-inline]
      The comments of that review already answer the changes that its summary could mean, and they count more than the summary. \`/status\` lists what is waiting.

      [unknown-ids]
      Execution not found or not in proposed state: no change of this pull request has the id \`total\` or \`zz99\`. Nothing was decided.

      These are waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Write the command again with one of these ids.

      [unknown-ids]
      Execution not found or not in proposed state: no change of this pull request has the id \`total\`. Nothing was decided.

      No change is waiting.

      \`/countersign <task>\` starts a run.

      [settled]
      Execution not found or not in proposed state: k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`.

      A decision is final. \`/status\` lists what is waiting.

      [misfit]
      \`/approve\` was not understood at \`total\`. Nothing was decided.

      Only ids may stand on its line. total

      \`/help\` lists all commands.

      [unknown-command]
      \`total\` is not a command of Countersign. Nothing was decided. Did you mean \`/approve\`? \`/help\` lists all commands.

      [affirmation]
      Only a command decides, so \`k7q2\` is still waiting. Write \`/approve k7q2\` to apply it or \`/deny k7q2\` to leave the file as it is.

      [empty-reply]
      That reply has no words of its own, so \`k7q2\` is still waiting. Write \`/approve\`, \`/deny [reason]\`, or what should be done differently.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: the reply holds several blocks, and only one can stand for the proposed lines. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: it is not closed, or stands in a list or below a tag, so it cannot be told for certain what belongs to it. Nothing was decided or changed. Reply again with the block at the left edge, outside any list or tag, and a line of \` \`\`\` \` below its last line, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: that change has not one place in the file that a block of lines could stand for. Nothing was decided or changed. Say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: the file already reads so. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: it holds a NUL character or half a character, which no text file can hold. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: the file would have 2,000,091 bytes, and at most 2,000,000 can be written. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: its diff would have more than 240,000 bytes, or a line of more than 57,000, and no more can be shown to people. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: Countersign may not write this file (\`total\`). Nothing was decided or changed. Say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: it touches the lines of [\`m3x8\`](https://github.com/ana/shop/pull/1#discussion_r1), which has to be decided first. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [own-text]
      The suggestion block in that reply was not taken for \`k7q2\`: it touches the lines of \`m3x8\`, which has to be decided first. Nothing was decided or changed. Reply with one \`suggestion\` block, say in words what should be different, or write \`/approve\` or \`/deny [reason]\`.

      [edited-comment]
      An edited comment never decides anything, because others may already have read it as it was. Nothing was done. Write a new comment instead.

      [comment-edited]
      Nothing was approved: somebody changed or deleted the comment that shows this, so it may not have been what you saw. It is written anew as it was proposed:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Read it again, then write \`/approve\` once more. To have something changed, reply with what you want instead.

      [restored]
      Editing a comment of Countersign changes nothing, so this one was put back as it was, and \`k7q2\` is still waiting. To have something else, reply with a suggestion block that holds your own lines, or with words that say what should be different.

      [not-restored]
      Somebody changed or deleted the comment of this again and again, so it was withdrawn without a decision. Nothing was changed:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent is told, and may propose it again.

      [deleted-words]
      A deleted comment does not undo what it decided: k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`.

      [retargeted]
      This pull request now targets \`main\` instead of \`total\`, so these were withdrawn. Nothing was changed:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent is told, and may propose them again.

      [fork]
      The branch \`total\` lies in a fork, and Countersign never writes to forks, so nothing was approved. Press **Commit suggestion** where there is that button, or apply the diff by hand: what lands on the branch is recognised.

      [push-refused]
      GitHub’s rules for \`total\` refused a commit of this run, so no other is tried and nothing was approved. Press **Commit suggestion** where there is that button, or apply the diff by hand: what lands on the branch is recognised.

      [queued]
      Your task is queued. It starts by itself when the run that is active ends. \`/stop\` ends the run that is active and drops the queue.

      [queued]
      Your task is queued. It starts by itself after the 3 tasks before it. \`/stop\` ends the run that is active and drops the queue.

      [queue-dropped]
      These queued tasks were dropped:

      - total

      \`/countersign <task>\` starts a run.

      [no-run]
      \`/stop\` needs an active run, and there is none here. Nothing happened. \`/countersign <task>\` starts a run.

      [committed]
      Applied in [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d) (2 changes):

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [own-text-stale]
      The lines that total wrote no longer fit, because the file changed after that. They were withdrawn, and nothing was written for them:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent is told, and may propose something for the file as it is now. Lines of your own can be put in place of that again.

      [stale]
      Not applied, because the file changed after these were proposed. Nothing was written for them:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent is told, and may propose them again for the file as it is now.

      [stale]
      Not applied, because the file changed after these were proposed. Nothing was written for them:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      The agent is told, and may propose them again for the file as it is now.

      An undo is not proposed again by itself: ask for it with \`/undo k7q2\`.

      [commit-failed]
      Not applied, because the commit was refused: total

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Nothing was written. Fix what stands in the way, then ask again.

      [commit-delayed]
      Approved, but it could not be committed yet. It is tried again by itself until it can be, and the approval holds; \`/deny\` still withdraws it.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [commit-differs]
      ⚠️ GitHub made [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d) of these, and it does not hold exactly what was approved: total.

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Somebody has to look at that commit. Nothing further is committed.

      [approval-void]
      Not applied, because nobody can tell any more who may approve here. These are waiting again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      \`.github/countersign.yml\` on the default branch cannot be used:

      \`\`\`text
      line 3: approvers must be write, not "total"
      \`\`\`

      Everything can still be denied. Once that file is mended there, approve again.

      [approval-void]
      Not applied, because total gave the task or asked for this, and \`require_non_requester\` asks for somebody else. These are waiting again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Somebody else has to approve.

      [approval-void]
      Not applied, because total does not have the maintain or admin role, which \`approvers: maintain\` asks for. These are waiting again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Somebody with that role has to approve.

      [approval-void]
      Not applied, because the repository asks for more approvals than before. These are waiting again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      1 more person has to approve.

      [approval-void]
      Not applied, because the repository asks for more approvals than before. These are waiting again:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      3 more people have to approve.

      [not-counted]
      Nothing was approved, because nobody can tell who may approve here.

      \`.github/countersign.yml\` on the default branch cannot be used:

      \`\`\`text
      line 3: approvers must be write, not "total"
      \`\`\`

      Everything can still be denied. Once that file is mended there, approve again.

      These go on waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [not-counted]
      That approval does not count: total gave the task or asked for this, and \`require_non_requester\` asks for somebody else. These go on waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Somebody else has to approve.

      [not-counted]
      That approval does not count: total does not have the maintain or admin role, which \`approvers: maintain\` asks for. These go on waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Somebody with that role has to approve.

      [not-counted]
      Your approval counts already. 1 more person has to approve before these are applied:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [not-counted]
      Your approval counts already. 3 more people have to approve before these are applied:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [approvals-withdrawn]
      Something that was said here later could not be read, for a fault of Countersign’s own (\`f00df00df00d\`). It may have been a no, so earlier approvals of these do not count any more:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      Look at them again, then write \`/approve\` or \`/deny\` once more.

      [not-undone]
      The undo of \`k7q2\` waits for a decision already:

      - \`m3x8\` total

      [not-undone]
      \`total\` is again as it was before \`k7q2\`, so there is nothing to undo.

      [not-undone]
      \`total\` has changed since: what \`k7q2\` wrote does not stand there any more, or not at one place that can be told for certain. Nothing was proposed. Say what should be done instead with \`/countersign <task>\`.

      [not-undone]
      The commit \`1a2b3c4\`, which held \`k7q2\`, is not in this repository any more, so its exact reverse is not known. Nothing was proposed. Say what should be done instead with \`/countersign <task>\`.

      [not-undone]
      \`total\` cannot come back to its place: since \`k7q2\` something else stands there or is in its way. Nothing was proposed. Say what should be done instead with \`/countersign <task>\`.

      [not-undone]
      Countersign may not write \`total\` (\`total\`), so \`k7q2\` can only be undone by hand.

      [not-undone]
      The reverse of \`k7q2\` would touch the lines or paths of a change that waits. Decide that one first, then write \`/undo k7q2\` again:

      - \`m3x8\` total

      [not-undone]
      total Nothing was proposed. Say what should be done instead with \`/countersign <task>\`.

      [not-undone]
      The undo of \`k7q2\` could not be posted (total), so it was withdrawn. \`/undo k7q2\` tries it again.

      [undo-as-it-is]
      An undo is the exact reverse of a change, so it can only be approved or denied as it is. These go on waiting:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      To have something else, deny it and give a task: \`/countersign <task>\`.

      [not-resumed]
      There is no run to go on with: \`/resume\` is for one that ended because the model failed, the limit of model responses was reached, or nobody decided in time. \`/countersign <task>\` starts a run.

      [not-resumed]
      A run is active or about to begin, so \`/resume\` has nothing to do. \`/status\` lists what is waiting.

      [not-resumed]
      That \`/resume\` was written before the run ended, or in the same second, so it does not count for it. Write it once more.

      [shown]
      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total

      k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`. Digest \`32bd90867137\`.

      \`\`\`diff
      --- a/x
      +++ b/x
      @@ -1 +1 @@
      -old
      +total
      \`\`\`

      [shown]
      - \`k7q2\` total

      k7q2 was already applied by total in 1a2b3c4 and replaced by \`m3x8\`. Digest \`32bd90867137\`.

      It has no diff in lines.

      [asked]
      total asked:

      > total

      Answer, written by the model:

      > total

      Nothing was decided or changed by this.

      [asked]
      total asked:

      > total

      The model answered without a word.

      Nothing was decided or changed by this.

      [ask-failed]
      total asked:

      > total

      The model gave no answer: total

      Nothing was decided. Ask once more, perhaps a little later.

      [questions-full]
      10 questions already wait for an answer here, so this one was not taken. Ask again when they are answered.

      [fault]
      Something went wrong in Countersign itself when it read that comment. After several tries it was put aside, so nothing came of it; everything else here goes on.

      Write the comment once more. If that does not help, tell whoever runs this App the fault’s id, \`f00df00df00d\`: the App’s log has the error under it.

      [fault]
      Something went wrong in Countersign itself, with an event of this pull request. After several tries it was put aside, so nothing came of it; everything else here goes on.

      \`/status\` lists what is waiting. If the run does not go on, \`/stop\` ends it, and \`/countersign <task>\` starts a new one. If that does not help, tell whoever runs this App the fault’s id, \`f00df00df00d\`: the App’s log has the error under it.

      [fault]
      What goes on here was stored by another version of Countersign, and this one does not guess what it says. So nothing came of this, and nothing will of other comments on this pull request until that version runs again.

      Tell whoever runs this App the fault’s id, \`f00df00df00d\`: the App’s log has the error under it. What was waiting is kept as it was; say then what is to become of it.

      [reminder]
      @total, 2 changes still wait for a decision and expire on 2030-01-08 12:00 UTC:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      \`/approve <id>\` or \`/deny <id>\` decides. Nothing is changed where nobody does.

      [help]
      A command stands alone on the first line of a comment. In a change’s thread it means that change; elsewhere give its id.

      - \`/countersign <task>\` – start a run on this pull request, or queue one behind the run that is active
      - \`/approve [<id>…|all]\` – make the change; in its thread the id may be left out, lines below are a note for the agent
      - \`/deny [<id>…|all] [reason]\` – not this change; the reason goes to the agent
      - \`/edit [<id>…|all] <instruction>\` – do it differently; without an id outside a thread, every change that waits
      - \`/ask <question>\` – ask the agent something; it answers without tools, and nothing is decided
      - \`/show [<id>]\` – show the full diff of a change; in its thread the id may be left out
      - \`/undo [<id>]\` – propose the exact reverse of an applied change; in its thread the id may be left out
      - \`/continue\` – send the decisions so far to the agent and withdraw what is undecided
      - \`/stop\` – end the run; what waits is cancelled and queued tasks are dropped
      - \`/resume\` – go on with a run that ended because the agent failed, reached its limits or waited too long for a decision
      - \`/status\` – say what the run does and link every change that waits
      - \`/help\` – list the commands

      They are for people with write access to this repository. Whoever opened the pull request may also use \`/deny\`, \`/show\`, \`/stop\`, \`/status\` and \`/help\`.

      Any other reply in a change’s thread tells the agent what to do differently. Nothing is changed without somebody’s approval.

      [status]
      A run is active. 2 tasks queued. 1 question with the model. Waiting for a decision:

      - [\`k7q2\`](https://github.com/ana/shop/pull/3#r1) total
      - \`m3x8\` total

      [status]
      No run is active. No change is waiting for a decision.

      \`/resume\` lets the last run go on.

      \`/countersign <task>\` starts a run.

      [run-ended]
      @total, the run finished; its changes are in [\`1a2b3c4\`](https://github.com/ana/shop/commit/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d).

      Closing words, written by the model:

      > total

      These queued tasks were dropped:

      - total

      \`/countersign <task>\` starts another run.

      [run-ended]
      @total, the run ended, because the model gave no usable answer; nothing was changed.

      total

      \`/resume\` lets it go on, while no other has begun. \`/countersign <task>\` starts another run.

      [run-ended]
      @total, the run ended, because nobody decided in time; nothing was changed.

      \`/resume\` lets it go on, while no other has begun and proposes what expired again, for the branch as it is then. \`/countersign <task>\` starts another run."
    `);
  });

  it('C4: begin with the hidden line, so that they are never read as a command', () => {
    for (const answer of everyAnswer('x')) expect(say(answer).split('\n')[0]).toBe('<!-- countersign:reply -->');
  });

  it('T12: names what became of a decided change', () => {
    const settled = { id: 'k7q2', state: 'completed', by: ana, commit, replacedBy: null } as const;
    expect(say({ kind: 'settled', proposals: [settled] })).toContain(
      'Execution not found or not in proposed state: k7q2 was already applied by ana in 1a2b3c4.',
    );
  });

  it('T10 S51 S89a: a stop is told to the requester in these words', () => {
    const text = say({
      kind: 'run-ended',
      requester: ana,
      how: 'stopped',
      proposed: true,
      by: ben,
      commits: [],
      note: null,
      dropped: ['fix it'],
    });
    expect(text).toMatchInlineSnapshot(`
      "<!-- countersign:reply -->

      Rejected. Agent response cancelled.

      @ana, the run was stopped by ben-k; nothing was changed.

      These queued tasks were dropped:

      - fix it

      \`/countersign <task>\` starts another run."
    `);
  });

  it('C1 C2 C3 C5 C6 C7 A4: whatever they are made of, they hold nothing foreign', () => {
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

  it('S26 S30: /show goes on in further comments where one does not hold the diff, and shows all of it', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `+line ${index} ${'x'.repeat(40)}\n`);
    const settled = { id: 'k7q2', state: 'proposed', by: null, commit: null, replacedBy: null } as const;
    const diff = `--- a/x\n+++ b/x\n@@ -0,0 +1,2000 @@\n${lines.join('')}`;
    const answer = {
      kind: 'shown',
      proposal: { id: 'k7q2', title: 'x', url: null },
      settled,
      digest: 'd',
      diff,
    } as const;
    const bodies = [say(answer), ...furtherAnswers(answer)];
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expect(byteLength(body)).toBeLessThanOrEqual(60_000);
      expect(body.startsWith('<!-- countersign:reply -->\n')).toBe(true);
    }
    const shown = bodies.flatMap((body) => [...(/```diff\n(.*?)```/s.exec(body)?.slice(1) ?? [])]);
    expect(shown.join('')).toBe(diff);
    expect(furtherAnswers({ ...answer, diff: '--- a/x\n' })).toEqual([]);
  });

  it('S30: long lists and long words stay below the limit', () => {
    const long = '@a `'.repeat(20_000);
    for (const answer of everyAnswer(long)) expect(byteLength(say(answer))).toBeLessThanOrEqual(60_000);
    const many = Array.from({ length: 900 }, (_, index) => ({ id: `k${index}`, title: long, url: links.repository }));
    expect(byteLength(say({ kind: 'which', command: 'approve', pending: many }))).toBeLessThanOrEqual(60_000);
    expect(say({ kind: 'which', command: 'approve', pending: many })).toContain('- and 870 more');
  });
});
