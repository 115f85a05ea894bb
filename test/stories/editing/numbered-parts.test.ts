import { afterEach, describe, expect, it, vi } from 'vitest';
import { changeDiff } from '../../../src/core/edits/change.ts';
import { beforeCalls } from '../support/before-calls.ts';
import type { Posted } from '../support/bot.ts';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import { edit, type Story, write } from '../support/story.ts';

const stage = stageForAll();

afterEach(() => {
  const { faults } = stage().github;
  expect(faults.pending()).toEqual([]);
  faults.clear();
});

const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments';

/** This many bytes, in lines that are all different. */
function text(bytes: number): string {
  const line = (at: number): string => `line ${String(at).padStart(6, '0')} ${'x'.repeat(37)}\n`;
  return Array.from({ length: Math.ceil(bytes / 50) }, (_, at) => line(at)).join('');
}

const LONG = text(150_000);

/** A new file of 150 kB, which takes three comments in the conversation. */
async function written(): Promise<Story> {
  const story = await stage().tell();
  story.model.proposes(write('docs/long.md', LONG));
  await story.ana.says('/countersign write it all down');
  return story;
}

function partsOf({ bot }: Story): readonly Posted[] {
  return bot.comments().filter(({ body }) => body.startsWith('<!-- countersign:part:'));
}

function part(story: Story, at: number): Posted {
  const found = partsOf(story)[at];
  if (found === undefined) throw new Error(`There is no part ${at}.`);
  return found;
}

/** The text between the fences of all these comments. */
function shownDiff(comments: readonly Posted[]): string {
  return comments.map(({ body }) => /```diff\n(.*?)```/s.exec(body)?.[1] ?? '').join('');
}

async function onlyProposal({ stored }: Story) {
  const [proposal] = (await stored()).proposals;
  if (proposal === undefined) throw new Error('Nothing was proposed.');
  return proposal;
}

async function eventually(assertion: () => void): Promise<void> {
  await vi.waitFor(assertion, { timeout: 25_000, interval: 50 });
  await stage().settle();
}

describe('a diff that is too long for one comment', () => {
  it('continues in numbered parts right below, in full, and is approved as one change (S26, S30, C11, K17)', async () => {
    const story = await written();
    const { ana, bot, pr } = story;
    const { id, change } = await onlyProposal(story);
    const parts = partsOf(story);
    expect(parts.map(({ body }) => body.split('\n', 1)[0])).toEqual([
      `<!-- countersign:part:${id}:2/3 -->`,
      `<!-- countersign:part:${id}:3/3 -->`,
    ]);
    expect(bot.proposal(1).body).toContain('**Part 1 of 3.** The diff continues in parts 2 to 3.');
    for (const { body } of [bot.proposal(1), ...parts]) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000);
    expect(shownDiff([bot.proposal(1), ...parts])).toBe(changeDiff(change));
    await ana.says('/approve');
    expect(pr.file('docs/long.md')).toBe(LONG);
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    expect(shownDiff(partsOf(story))).toBe(shownDiff(parts));
  });

  it('in a thread the parts are replies, and a command below them decides (S26, S39)', async () => {
    const story = await stage().tell({ branch: { 'a.txt': 'one\ntwo\n' } });
    const { ana, ben, bot, model, pr } = story;
    model.proposes(edit('a.txt', 'two\n', text(90_000)));
    await ana.says('/countersign make it long');
    const { comment, continuationComments } = await onlyProposal(story);
    expect(continuationComments).toHaveLength(1);
    const threadOf = (id = 0) => pr.now().reviewComments.get(id)?.threadId;
    expect(threadOf(comment?.id)).toBeDefined();
    expect(threadOf(continuationComments[0]?.id)).toBe(threadOf(comment?.id));
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file('a.txt')).toBe(`one\n${text(90_000)}`);
    expect(bot.proposal(1).resolved).toBe(true);
  });

  it('a quote of a part counts for its proposal (S59, S26)', async () => {
    const story = await written();
    const { ana, model, pr } = story;
    const [head = ''] = part(story, 1).body.split('\n\n<details>');
    await ana.says(quoteReply(head, '/deny not so long'));
    expect((await onlyProposal(story)).state).toBe('rejected');
    expect(model.toolMessages()[0]).toContain(`Edit rejected by ${ana.login} (write access): not so long`);
    expect(pr.commits()).toEqual([]);
  });

  it('a diff of more than 240 kB is not proposed; the model gets the size (T16, K17)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(write('docs/long.md', text(260_000)));
    await ana.says('/countersign write it all down');
    expect(bot.proposals()).toEqual([]);
    expect(model.toolMessages()).toEqual([
      expect.stringMatching(
        /^Not proposed: the diff of docs\/long\.md is 26\d kB and at most 240 kB can be reviewed\. Split it into smaller changes\.$/,
      ),
    ]);
  });

  it('a line that fits in no comment is not cut: nothing is proposed, and the model gets the reason (S26)', async () => {
    const { ana, bot, model } = await stage().tell();
    model.proposes(write('docs/long.md', `${'x'.repeat(70_000)}\n`), write('docs/short.md', 'short\n'));
    await ana.says('/countersign write it all down');
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('Change 1 of 1');
    await ana.says('/approve');
    expect(model.allToolMessages()[0]).toMatch(/^Not proposed: a line of the diff of docs\/long\.md takes 71 kB /);
  });

  it('/show shows all of it again, decided or not (S26)', async () => {
    const story = await written();
    const { ana, bot } = story;
    const { id, change } = await onlyProposal(story);
    await ana.says(`/show ${id}`);
    const shown = bot.comments().filter(({ body }) => body.startsWith('<!-- countersign:reply -->'));
    expect(shown).toHaveLength(3);
    expect(shownDiff(shown)).toBe(changeDiff(change));
  });

  it('/show continues after a comment whose response was lost (S26, G3)', async () => {
    const story = await written();
    const { ana, bot } = story;
    const { id, change } = await onlyProposal(story);
    stage().github.faults.add({ kind: 'fail-after-apply', status: 502, route: COMMENT });
    await ana.says(`/show ${id}`);
    const shown = () => bot.comments().filter(({ body }) => body.startsWith('<!-- countersign:reply -->'));
    await eventually(() => expect(shown()).toHaveLength(3));
    expect(shownDiff(shown())).toBe(changeDiff(change));
  });
});

describe('edited, deleted and missing parts', () => {
  it('an edited part is restored to its original text (S60, B9)', async () => {
    const story = await written();
    const { ana, bot } = story;
    const before = part(story, 0);
    await ana.does((person) => person.edits(before.id, 'A typo, nothing more.'));
    expect(part(story, 0).body).toBe(before.body);
    expect(bot.answer()).toContain('Editing this comment has no effect');
    expect((await onlyProposal(story)).state).toBe('proposed');
  });

  it('an edit without a webhook is found at the approval: the part is restored and a new approval requested (S60, B9)', async () => {
    const story = await written();
    const { ana, ben, bot, pr } = story;
    const { id, body } = part(story, 1);
    stage().github.deliveries.intercept(({ action }) => (action === 'edited' ? 'drop' : 'send'));
    await ben.does((person) => person.edits(id, 'Nothing to see here.'));
    stage().github.deliveries.intercept(undefined);
    await ana.says('/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('Nothing was approved: the comment that shows this change was edited or deleted');
    expect(part(story, 1).body).toBe(body);
    await ana.says('/approve');
    expect(pr.file('docs/long.md')).toBe(LONG);
  });

  it('a deleted part is posted again, the others stay, and only later approvals count (S60, S26)', async () => {
    const story = await written();
    const { ana, ben, bot, pr } = story;
    const [first, second] = partsOf(story);
    const { id: proposalId, change } = await onlyProposal(story);
    await stage().inOneSecond(async () => {
      ben.person.deletes(first?.id ?? 0);
      ana.person.says(`/approve ${proposalId}`);
      await stage().settle();
    });
    expect(pr.commits()).toEqual([]);
    const { comment, continuationComments } = await onlyProposal(story);
    expect(comment?.id).toBe(bot.proposal(1).id);
    expect(bot.proposals()).toHaveLength(1);
    expect(continuationComments[1]?.id).toBe(second?.id);
    expect(continuationComments[0]?.id).not.toBe(first?.id);
    const shownComments = [
      bot.proposal(1),
      ...continuationComments.flatMap(({ id }) => bot.comments().filter((one) => one.id === id)),
    ];
    expect(shownDiff(shownComments)).toBe(changeDiff(change));
    await ana.says(`/approve ${proposalId}`);
    expect(pr.file('docs/long.md')).toBe(LONG);
  });

  it.each([
    ['lost', { kind: 'fail-after-apply', status: 502 }],
    ['cut off', { kind: 'reset', applied: true }],
    ['a refusal that passes', { kind: 'fail-before-apply', status: 502 }],
  ] as const)(
    'each part is posted once when the answer to one is %s, and nothing is pending before that (G4, S26)',
    async (_, fault) => {
      const story = await stage().tell();
      const { ana, bot, model, pr } = story;
      stage().github.faults.add({ ...fault, route: COMMENT, skip: 2 });
      model.proposes(write('docs/long.md', LONG));
      stage().pass(2);
      ana.person.says('/countersign write it all down');
      await vi.waitFor(() => expect(stage().github.faults.pending()).toEqual([]), { timeout: 25_000, interval: 10 });
      stage().pass(2);
      ana.person.says(`/approve ${bot.proposal(1).proposalId}`);
      await eventually(() => expect(bot.answers()).toHaveLength(1));
      expect(bot.answer()).toContain('because they were posted later or in the same second');
      expect(pr.commits()).toEqual([]);
      expect(bot.proposals()).toHaveLength(1);
      expect(partsOf(story)).toHaveLength(2);
      await ana.says('/approve');
      expect(pr.file('docs/long.md')).toBe(LONG);
    },
  );

  it('parts in a thread are found again too, after a restart between them (G4, S78)', async () => {
    const story = await stage().tell({ branch: { 'a.txt': 'one\ntwo\n' } });
    const { ana, bot, model, pr } = story;
    model.proposes(edit('a.txt', 'two\n', text(90_000)));
    const restarts: Promise<void>[] = [];
    const onCall = (name: string): void => {
      if (name === REPLY && bot.proposals().length === 1 && restarts.length === 0) restarts.push(stage().restart());
    };
    stage().pass(2);
    await beforeCalls(stage(), onCall, async () => {
      ana.person.says('/countersign make it long');
      await vi.waitFor(() => expect(restarts).toHaveLength(1), { timeout: 25_000, interval: 10 });
    });
    await Promise.all(restarts);
    await eventually(() => expect(bot.run().body).toContain('| pending |'));
    expect(partsOf(story)).toHaveLength(1);
    expect(bot.proposals()).toHaveLength(1);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('a.txt')).toContain('line 000001');
  });
});
