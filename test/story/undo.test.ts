import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../src/simulator/model/script.ts';
import { beforeCalls } from './before-calls.ts';
import { stageForAll } from './curtain.ts';
import { editRow, proposeRows, ROWS_PATH, row, rows } from './rows.ts';
import { edit, move, read, remove, type Story, write } from './story.ts';

const stage = stageForAll();

const BOT = 'countersign[bot]';
const COMMIT = 'graphql createCommitOnBranch';

function botCommits({ pr }: Story): readonly string[] {
  return pr.commits().flatMap(({ author, message }) => (author === BOT ? [message] : []));
}

/** Row 5 is 50 by a commit of the App; nothing waits, and the run is over. */
async function appliedRow(): Promise<Story & { readonly id: string }> {
  const story = await proposeRows(stage(), { 5: 50 });
  await story.ana.says('/approve');
  expect(story.pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  return { ...story, id: story.bot.proposal(1).proposalId };
}

async function state({ stored }: Story, id: string): Promise<string | undefined> {
  return (await stored()).proposals.find((one) => one.id === id)?.state;
}

/** The node id of the thread that this comment of ours begins. */
function threadOf({ pr }: Story, commentId: number): string {
  const { reviewComments, threads } = pr.now();
  return threads.get(reviewComments.get(commentId)?.threadId ?? 0)?.nodeId ?? '';
}

describe('/undo of an applied change', () => {
  it('S72, S73, S92: is put before people like every change, and once approved the file is what it was', async () => {
    const story = await appliedRow();
    const { pr, ana, ben, bot, model, id } = story;
    const asked = model.requests().length;
    await ben.says(`/undo ${id}`);
    const undo = bot.proposal(2);
    expect(undo.body).toContain(`**Edit** \`${ROWS_PATH}\` (line 5)`);
    expect(undo.body).toContain(`This is the exact reverse of \`${id}\`, which \`${ben.login}\` asked for.`);
    expect(undo.body).toContain(`\`\`\`suggestion\n${row(5)}\n\`\`\``);
    expect(undo.body).not.toContain('should be done differently');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await ana.replies(undo, '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
    const message = botCommits(story).at(-1) ?? '';
    expect(message).toMatch(new RegExp(`^Undo ${id} in src/rows.ts: replace 1 line\n`));
    expect(message).toContain(`Countersign-Proposal: ${undo.proposalId}\nCountersign-Digest: sha256:`);
    expect(message).toContain(`Approved-by: ${ana.login}`);
    expect(bot.proposal(2).body).toContain('**Applied**');
    expect(bot.proposal(2).resolved).toBe(true);
    expect(bot.run().body).toContain(`undoes \`${id}\``);
    expect(model.requests()).toHaveLength(asked);
  });

  it('a denied undo leaves everything, and may be asked for again', async () => {
    const { pr, ana, bot, id } = await appliedRow();
    const refs = pr.refs();
    await ana.says(`/undo ${id}`);
    await ana.says('/deny');
    expect(bot.proposal(2).body).toContain('**Rejected by user**');
    expect(pr.refs()).toEqual(refs);
    await ana.says(`/undo ${id}`);
    expect(bot.proposals()).toHaveLength(3);
  });

  it('an undo is undone in its own thread, and the change stands again', async () => {
    const { pr, ana, bot, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    await ana.says('/approve');
    await ana.replies(bot.proposal(2), '/undo');
    expect(bot.proposal(3).body).toContain(`exact reverse of \`${bot.proposal(2).proposalId}\``);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('the second /undo of the same change is answered with the one that waits', async () => {
    const { ana, ben, bot, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    await ben.says(`/undo ${id}`);
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.answer()).toContain(`The undo of \`${id}\` waits for a decision already`);
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
  });

  it('T12: only what was applied can be undone, and what has no such id is refused', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50, 9: 90 });
    const [first, second] = bot.proposals().map(({ proposalId }) => proposalId);
    await ana.says(`/undo ${first}`);
    expect(bot.answer()).toContain(`Execution not found or not in proposed state: ${first} is still waiting`);
    await ana.says(`/deny ${second}`);
    await ana.says(`/undo ${second}`);
    expect(bot.answer()).toContain(`${second} was already rejected by \`${ana.login}\``);
    await ana.says('/undo zz99');
    expect(bot.answer()).toContain('no change of this pull request has the id `zz99`');
    await ana.says('/undo');
    expect(bot.answer()).toContain('Exactly one id of a change may stand on its line');
    expect(bot.proposals()).toHaveLength(2);
  });

  it('S66, S67: whoever may not write is refused, the author of the pull request too; a bot is not heard', async () => {
    const { carl, stranger, bot, id } = await appliedRow();
    await carl.says(`/undo ${id}`);
    expect(bot.answer()).toContain('`/undo` is for people with write access to this repository. Nothing was decided.');
    await stranger.says(`/undo ${id}`);
    expect(bot.proposals()).toHaveLength(1);
  });

  it('S70: under require_non_requester whoever asked for the undo cannot approve it; others can', async () => {
    const { pr, ana, ben, bot, configures, id } = await appliedRow();
    await configures('require_non_requester: true\n');
    await ben.says(`/undo ${id}`);
    await ben.says('/approve');
    expect(bot.answer()).toContain(`\`${ben.login}\` gave the task or asked for this`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });
});

describe('where the undo goes', () => {
  it('S94: lines that moved since are found where they stand now', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow();
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: 'other' }, ['// one', '// two']) });
    await ana.says(`/undo ${id}`);
    expect(bot.proposal(2).body).toContain('(line 7)');
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 20: 'other' }, ['// one', '// two']));
  });

  it('S94, B4: lines that changed since, or stand twice now, are not guessed at', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow();
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain(`has changed since: what \`${id}\` wrote does not stand there any more`);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50 }) + rows({ 5: 50 }) });
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain('or not at one place that can be told for certain');
    expect(bot.proposals()).toHaveLength(1);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }) + rows({ 5: 50 }));
  });

  it('what somebody took back already is not proposed', async () => {
    const { ana, ben, bot, id } = await appliedRow();
    await ben.pushes({ [ROWS_PATH]: rows() });
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain(`is again as it was before \`${id}\``);
  });

  it('S94, B21: this run’s own commits right beside it are no reason to lose it', async () => {
    const story = await proposeRows(stage(), { 5: 50, 7: 70 });
    const { pr, ana, bot } = story;
    await ana.says('/approve all');
    await ana.says(`/undo ${bot.proposal(2).proposalId}`);
    await ana.says('/approve');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });

  it('what a person committed from the suggestion can be undone as well', async () => {
    const { pr, ana, ben, bot } = await proposeRows(stage(), { 5: 50 });
    await ben.commitsSuggestion(bot.proposal(1));
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });

  it('S93: an edit in several places comes back exactly, as long as the file is as it left it', async () => {
    const story = await stage().tell({ branch: { [ROWS_PATH]: rows({ 3: 'same', 15: 'same' }) } });
    const { pr, ana, bot, model } = story;
    model.proposes(edit(ROWS_PATH, 'same', 'equal', { replace_all: true }));
    await ana.says('/countersign use another word');
    await ana.says('/approve');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 3: 'same', 15: 'same' }));
  });

  it('where the commit was pushed away and GitHub keeps it no longer, that is said', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow();
    const [holding] = pr.commits().slice(-1);
    await ben.pushes({ 'README.md': '# Later\n' });
    // Until then its tree is known, from when the commit was read back.
    await stage().restart();
    const gone = { kind: 'before', status: 404, body: { message: 'Not Found' } } as const;
    stage().github.faults.add({ on: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}', skip: 1, times: 1, ...gone });
    await ana.says(`/undo ${id}`);
    expect(stage().github.faults.waiting()).toEqual([]);
    expect(bot.answer()).toContain(
      `The commit \`${holding?.sha.slice(0, 7)}\`, which held \`${id}\`, is not in this repository`,
    );
  });

  it('S94: one that waits and fits no more is withdrawn, and its comment says how to ask again', async () => {
    const { ana, ben, bot, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 55 }) });
    expect(bot.proposal(2).body).toContain('**Withdrawn** without a decision. Nothing was changed.');
    expect(bot.proposal(2).body.replaceAll('`', '')).toContain(`To ask for it again, write /undo ${id}`);
  });

  it('S18: what the agent proposes on the lines of an undo that waits is refused, not as of the same response', async () => {
    const { ana, bot, model, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    model.proposes(editRow(6, 60));
    await ana.says('/countersign also the next');
    expect(bot.proposals()).toHaveLength(2);
    expect(model.heard()[0]).toContain(`change ${bot.proposal(2).proposalId}, which people have not decided yet`);
    expect(model.heard()[0]).not.toContain('same response');
  });

  it('a change that waits on the same lines is decided first', async () => {
    const { ana, bot, model, id } = await appliedRow();
    model.proposes(editRow(6, 60));
    await ana.says('/countersign also the next');
    await ana.says(`/undo ${id}`);
    expect(bot.answer()).toContain('would touch the lines or paths of a change that waits');
    await ana.says('/deny');
    await ana.says(`/undo ${id}`);
    expect(bot.proposals()).toHaveLength(3);
  });
});

describe('an undo beside a run', () => {
  it('S110, S102: while changes of a batch wait it is none of them: what is denied ends the run, and the undo still waits', async () => {
    const story = await appliedRow();
    const { ana, bot, model, id } = story;
    model.proposes(editRow(12, 120), editRow(18, 180));
    await ana.says('/countersign more rows');
    await ana.says(`/undo ${id}`);
    const undo = bot.proposal(4);
    await ana.says('/continue');
    expect(await state(story, undo.proposalId)).toBe('proposed');
    model.proposes(editRow(12, 121));
    await ana.says('/countersign more rows');
    await ana.replies(bot.proposal(5), '/deny');
    expect(bot.run().body).toContain('every change was rejected without a reason');
    expect(bot.proposal(4).body).toContain('`/approve`');
    await ana.says('/approve');
    expect(story.pr.file(ROWS_PATH)).toBe(rows());
  });

  it('S41, S96: /approve all makes it together with what the agent proposed, in one commit', async () => {
    const story = await appliedRow();
    const { pr, ana, bot, model, id } = story;
    model.proposes(editRow(12, 120));
    await ana.says('/countersign more rows');
    await ana.says(`/undo ${id}`);
    expect(bot.proposals()).toHaveLength(3);
    await ana.says('/approve all');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 12: 120 }));
    expect(botCommits(story)).toHaveLength(2);
    expect(model.heard()).toHaveLength(1);
  });

  it('S97: our own commit in its file leaves it waiting, and it lands', async () => {
    const { pr, ana, bot, model, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    model.proposes(editRow(8, 80));
    await ana.says('/countersign more rows');
    await ana.replies(bot.proposal(3), '/approve');
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 8: 80 }));
  });

  it('it outlives the run in whose time it was asked for, and the next one: /status names it, no new push is missed', async () => {
    const story = await appliedRow();
    const { pr, ana, ben, bot, model, id } = story;
    await ana.says(`/undo ${id}`);
    model.says({ content: 'Nothing to do.' });
    await ana.says('/countersign look around');
    await ana.says('/status');
    expect(bot.answer()).toContain(bot.proposal(2).proposalId);
    await ben.pushes({ [ROWS_PATH]: rows({ 5: 50 }, ['// above']) });
    expect(bot.proposal(2).body).toContain('(line 6)');
    await ben.commitsSuggestion(bot.proposal(2));
    expect(bot.proposal(2).body).toContain(`**Applied** by \`${ben.login}\``);
    expect(pr.file(ROWS_PATH)).toBe(rows({}, ['// above']));
  });

  it('S47, S48: words and lines of one’s own change nothing about it; it goes on waiting', async () => {
    const story = await appliedRow();
    const { ana, bot, id } = story;
    await ana.says(`/undo ${id}`);
    const undo = bot.proposal(2);
    await ana.replies(undo, 'better make it 51');
    expect(bot.answer()).toContain('it can only be approved or denied as it is');
    await ana.replies(undo, '```suggestion\nconst row05 = 51;\n```');
    expect(bot.answers().filter((one) => one.includes('only be approved or denied'))).toHaveLength(2);
    await ana.says('/edit everything else');
    expect(await state(story, undo.proposalId)).toBe('proposed');
  });

  it('S51: /stop cancels it, during a run and without one', async () => {
    const story = await appliedRow();
    const { pr, ana, bot, model, id } = story;
    await ana.says(`/undo ${id}`);
    await ana.says('/stop');
    expect(bot.proposal(2).body).toContain('**Cancelled**');
    model.proposes(editRow(12, 120));
    await ana.says('/countersign more rows');
    await ana.says(`/undo ${id}`);
    await ana.says('/stop');
    expect(bot.proposal(4).body).toContain('**Cancelled**');
    await ana.says(`/approve ${bot.proposal(4).proposalId}`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
  });

  it('G17, S90b: a pull request that is closed cancels it, and opened again it stays so', async () => {
    const { pr, ana, carl, bot, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    await carl.does((person) => person.closes());
    expect(bot.proposal(2).body).toContain(
      '**Cancelled** without a decision. Nothing was changed. The pull request was closed.',
    );
    await carl.does((person) => person.reopens());
    await ana.says(`/approve ${bot.proposal(2).proposalId}`);
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    await ana.says(`/undo ${id}`);
    await ana.says('/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows());
  });

  it('S53: its thread resolved for a minute takes it back', async () => {
    const story = await appliedRow();
    const { ana, ben, bot, id } = story;
    await ana.says(`/undo ${id}`);
    await ben.does((person) => person.resolves(threadOf(story, bot.proposal(2).id)));
    await stage().later(61);
    expect(bot.proposal(2).body).toContain('**Withdrawn** without a decision.');
    expect(await state(story, bot.proposal(2).proposalId)).toBe('superseded');
  });

  it('S77: /stop while it is being committed lets that attempt end, and none follows', async () => {
    const { pr, ana, ben, bot, id } = await appliedRow();
    await ana.says(`/undo ${id}`);
    const push = (name: string): void => {
      if (name !== COMMIT) return;
      ben.person.pushes({ [ROWS_PATH]: rows({ 5: 50, 20: String(Math.random()) }) });
      ana.person.says('/stop');
    };
    await beforeCalls(stage(), push, () => ana.replies(bot.proposal(2), '/approve'));
    expect(bot.proposal(2).body).toContain(
      '**Cancelled** without a decision. Nothing was changed. The run was stopped.',
    );
    expect(pr.commits().filter(({ author }) => author === BOT)).toHaveLength(1);
  });
});

describe('what can be undone', () => {
  it('a write over a file, in which every line was another, with the endings that it had', async () => {
    const { pr, ana, bot, model } = await stage().tell({ files: { 'notes.txt': 'one\r\ntwo\r\nthree' } });
    const before = pr.file('notes.txt');
    model.proposes(read('notes.txt'));
    model.proposes(write('notes.txt', 'eins\nzwei\n'));
    await ana.says('/countersign translate the notes');
    await ana.says('/approve');
    expect(pr.file('notes.txt')).not.toBe(before);
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await ana.says('/approve');
    expect(pr.file('notes.txt')).toBe(before);
  });
});

const SCRIPT = '#!/bin/sh\r\necho run';
const LOGO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff);

/** One change of the agent is applied, and its undo has been asked for. */
async function undoing(call: ScriptedCall, meanwhile?: (story: Story) => Promise<unknown>): Promise<Story & Undoing> {
  const files = { 'bin/run.sh': SCRIPT, 'logo.png': LOGO, 'empty.txt': '' };
  const story = await stage().tell({ files, executable: ['bin/run.sh', 'logo.png'], branch: { b: '' } });
  story.model.proposes(call);
  await story.ana.says('/countersign tidy up');
  await story.ana.says('/approve');
  await meanwhile?.(story);
  const { proposalId: id } = story.bot.proposal(1);
  await story.ana.says(`/undo ${id}`);
  return { ...story, id };
}

type Undoing = { readonly id: string };

/** Approves the undo, then undoes and approves that one too. */
async function thereAndBack({ ana, bot }: Story, between: () => void): Promise<void> {
  await ana.says('/approve');
  between();
  await ana.says(`/undo ${bot.proposal(2).proposalId}`);
  await ana.says('/approve');
}

describe('the undo of a whole file', () => {
  it('S23, S31, S73: a new file goes, every line of it shown, and the undo of that brings it back', async () => {
    const story = await undoing(write('docs/new.md', 'ours\n'));
    const { pr, bot, id } = story;
    expect(bot.proposal(2).body).toContain('**Delete** `docs/new.md` (1 line)');
    expect(bot.proposal(2).body).toContain('-ours');
    expect(bot.proposal(2).body).toContain(`exact reverse of \`${id}\``);
    await thereAndBack(story, () => {
      expect(pr.bytes('docs/new.md')).toBeNull();
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: delete docs/new.md\n`));
    });
    expect(bot.proposal(3).body).not.toContain('executable');
    expect(pr.file('docs/new.md')).toBe('ours\n');
  });

  it('E5, S92: a deleted text comes back byte for byte and as executable as it was, which its comment says', async () => {
    const story = await undoing(remove('bin/run.sh'));
    const { pr, bot, id } = story;
    expect(pr.bytes('bin/run.sh')).toBeNull();
    expect(bot.proposal(2).body).toContain('**Write** `bin/run.sh` (2 lines, new file)');
    expect(bot.proposal(2).body).toContain('The file will be executable again.');
    await thereAndBack(story, () => {
      expect([pr.file('bin/run.sh'), pr.mode('bin/run.sh')]).toEqual([SCRIPT, '100755']);
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: write 2 lines to bin/run.sh\n`));
    });
    expect(pr.bytes('bin/run.sh')).toBeNull();
  });

  it('an empty file is brought back empty', async () => {
    const { pr, ana } = await undoing(remove('empty.txt'));
    await ana.says('/approve');
    expect(pr.file('empty.txt')).toBe('');
  });

  it.each([['bin/run.sh'], ['logo.png']])('E5: %s is moved back as the same blob with its mode', async (path) => {
    const story = await undoing(move(path, 'lib/other'));
    const { pr, bot, id } = story;
    const moved = pr.bytes('lib/other');
    expect(bot.proposal(2).body).toContain(`**Move** \`lib/other\` to \`${path}\``);
    await thereAndBack(story, () => {
      expect([pr.bytes(path), pr.mode(path), pr.bytes('lib/other')]).toEqual([moved, '100755', null]);
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: move lib/other to ${path}\n`));
    });
    expect([pr.bytes(path), pr.bytes('lib/other')]).toEqual([null, moved]);
  });

  it('E6: a name of which only the case was changed gets its old one', async () => {
    const { pr, ana } = await undoing(move('empty.txt', 'Empty.txt'));
    await ana.says('/approve');
    expect([pr.file('empty.txt'), pr.bytes('Empty.txt')]).toEqual(['', null]);
  });

  it('what is not text was not shown in lines, so its deletion is answered with what is left to do', async () => {
    const { bot } = await undoing(remove('logo.png'));
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.answer()).toContain('`logo.png` is not text, and Countersign can write only text');
  });

  type Meanwhile = readonly [string, ScriptedCall, Parameters<Story['ben']['pushes']>[0], string];
  const MEANWHILE: readonly Meanwhile[] = [
    ['a new file that is another now', write('new.md', 'ours\n'), { 'new.md': 'mine\n' }, '`new.md` has changed since'],
    ['a new file that is gone', write('new.md', 'ours\n'), { 'new.md': null }, '`new.md` is again as it was before'],
    [
      'a deleted file that is another now',
      remove('bin/run.sh'),
      { 'bin/run.sh': 'mine\n' },
      'something else stands there',
    ],
    ['a deleted file below what is a file now', remove('bin/run.sh'), { bin: 'mine\n' }, 'something else stands there'],
    ['a deleted file with a twin', remove('bin/run.sh'), { 'bin/RUN.sh': 'mine\n' }, '`bin/run.sh` cannot come back'],
    ['a moved file that is another now', move('bin/run.sh', 'a'), { a: 'mine\n' }, '`a` has changed since'],
    ['a moved file that is gone', move('bin/run.sh', 'a'), { a: null }, '`a` has changed since'],
    [
      'a moved file whose place is taken',
      move('empty.txt', 'a'),
      { 'empty.txt': 'b\n' },
      '`empty.txt` cannot come back',
    ],
    [
      'a file that was moved back',
      move('empty.txt', 'a'),
      { a: null, 'empty.txt': '' },
      '`empty.txt` is again as it was',
    ],
  ];

  it.each(MEANWHILE)('S93, S94: %s is not guessed at', async (_, call, pushed, words) => {
    const { bot } = await undoing(call, ({ ben }) => ben.pushes(pushed));
    expect(bot.answer()).toContain(words);
    expect(bot.proposals()).toHaveLength(1);
  });

  it('S93: one that waits while its place is taken is withdrawn', async () => {
    const { pr, ben, bot } = await undoing(remove('bin/run.sh'));
    await ben.pushes({ 'bin/run.sh': 'mine\n' });
    expect(bot.proposal(2).body).toContain('**Withdrawn** without a decision. Nothing was changed.');
    expect(pr.file('bin/run.sh')).toBe('mine\n');
  });

  it('S18: what waits on one of its paths is decided first', async () => {
    const { bot } = await undoing(move('bin/run.sh', 'a'), async ({ model, ana }) => {
      model.proposes(write('bin/run.sh', 'new\n'));
      await ana.says('/countersign write another');
    });
    expect(bot.answer()).toContain('would touch the lines or paths of a change that waits');
    expect(bot.proposals()).toHaveLength(2);
  });
});
