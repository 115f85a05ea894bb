import { describe, expect, it, vi } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { BOT, botCommits } from '../support/applied-changes.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { move, remove, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const SCRIPT = '#!/bin/sh\r\necho run';

const LOGO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff);

/** One change of the agent is applied, and its undo is requested. */
async function proposeUndo(
  call: ScriptedCall,
  meanwhile?: (story: Story) => Promise<unknown>,
): Promise<Story & Undoing> {
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

/** Approves the undo, then undoes the undo and approves that too. */
async function undoTwice({ ana, bot }: Story, between: () => void): Promise<void> {
  await ana.says('/approve');
  between();
  await ana.says(`/undo ${bot.proposal(2).proposalId}`);
  await ana.says('/approve');
}

describe('the undo of a whole file', () => {
  it('a new file is removed with every line shown, and undoing that restores it (S23, S31, S73)', async () => {
    const story = await proposeUndo(write('docs/new.md', 'ours\n'));
    const { pr, bot, id } = story;
    expect(bot.proposal(2).body).toContain('**Delete** `docs/new.md` (1 line)');
    expect(bot.proposal(2).body).toContain('-ours');
    expect(bot.proposal(2).body).toContain(`exact reverse of \`${id}\``);
    await undoTwice(story, () => {
      expect(pr.bytes('docs/new.md')).toBeNull();
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: delete docs/new.md\n`));
    });
    expect(bot.proposal(3).body).not.toContain('executable');
    expect(pr.file('docs/new.md')).toBe('ours\n');
  });

  it('a deleted text file is restored with the same bytes and mode, and its comment names the mode (E5, S92)', async () => {
    const story = await proposeUndo(remove('bin/run.sh'));
    const { pr, bot, id } = story;
    expect(pr.bytes('bin/run.sh')).toBeNull();
    expect(bot.proposal(2).body).toContain('**Write** `bin/run.sh` (2 lines, new file)');
    expect(bot.proposal(2).body).toContain('The file will be executable again.');
    await undoTwice(story, () => {
      expect([pr.file('bin/run.sh'), pr.mode('bin/run.sh')]).toEqual([SCRIPT, '100755']);
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: write 2 lines to bin/run.sh\n`));
    });
    expect(pr.bytes('bin/run.sh')).toBeNull();
  });

  it.each([['bin/run.sh'], ['logo.png']])('%s is moved back as the same blob with its mode (E5)', async (path) => {
    const story = await proposeUndo(move(path, 'lib/other'));
    const { pr, bot, id } = story;
    const moved = pr.bytes('lib/other');
    expect(bot.proposal(2).body).toContain(`**Move** \`lib/other\` to \`${path}\``);
    await undoTwice(story, () => {
      expect([pr.bytes(path), pr.mode(path), pr.bytes('lib/other')]).toEqual([moved, '100755', null]);
      expect(botCommits(story).at(-1)).toMatch(new RegExp(`^Undo ${id}: move lib/other to ${path}\n`));
    });
    expect([pr.bytes(path), pr.bytes('lib/other')]).toEqual([null, moved]);
  });

  it('a binary file is restored as the same blob with its mode, and undoing that deletes it again (E5, S72, S92)', async () => {
    const story = await proposeUndo(remove('logo.png'));
    const { pr, bot, id } = story;
    expect(pr.bytes('logo.png')).toBeNull();
    const { body } = bot.proposal(2);
    expect(body).toContain('**Write** `logo.png` (6 bytes, not text, new file)');
    expect(body).toContain('It is restored exactly as it was deleted');
    expect(body).toContain('The file will be executable again.');
    expect(body).not.toContain('```diff');
    await undoTwice(story, () => {
      expect([pr.bytes('logo.png'), pr.mode('logo.png')]).toEqual([LOGO, '100755']);
      const message = botCommits(story).at(-1) ?? '';
      expect(message).toMatch(new RegExp(`^Undo ${id}: restore logo.png\n`));
      expect(message).not.toContain('Countersign-Range');
    });
    expect(bot.proposal(3).body).toContain('**Delete** `logo.png` (6 bytes, not text)');
    expect(pr.bytes('logo.png')).toBeNull();
  });

  it('a restored file whose commit response is lost is found by its result, and made once (S78, G3)', async () => {
    const { pr, ana, bot } = await proposeUndo(remove('logo.png'));
    const route = 'graphql updateRefs';
    stage().github.faults.add({ kind: 'fail-after-apply', status: 502, route });
    await ana.says('/approve');
    await vi.waitFor(() => expect(bot.proposal(2).body).toContain('**Completed:** applied'), { timeout: 8_000 });
    await stage().settle();
    expect(pr.bytes('logo.png')).toEqual(LOGO);
    expect(pr.commits().filter(({ author }) => author === BOT)).toHaveLength(2);
  });

  type Meanwhile = readonly [string, ScriptedCall, Parameters<Story['ben']['pushes']>[0], string];
  const MEANWHILE: readonly Meanwhile[] = [
    ['a deleted file with a twin', remove('bin/run.sh'), { 'bin/RUN.sh': 'mine\n' }, '`bin/run.sh` has changed since'],
    [
      'a deleted picture whose place is taken',
      remove('logo.png'),
      { 'logo.png': 'mine\n' },
      '`logo.png` has changed since',
    ],
    ['a moved file that is another now', move('bin/run.sh', 'a'), { a: 'mine\n' }, '`a` has changed since'],
    [
      'a file that was moved back',
      move('empty.txt', 'a'),
      { a: null, 'empty.txt': '' },
      '`empty.txt` is already as it was',
    ],
  ];

  it.each(MEANWHILE)('%s is not guessed at (S93, S94)', async (_, call, pushed, words) => {
    const { bot } = await proposeUndo(call, ({ ben }) => ben.pushes(pushed));
    expect(bot.answer()).toContain(words);
    expect(bot.proposals()).toHaveLength(1);
  });

  it('a pending change on one of its paths must be decided first (S18)', async () => {
    const { bot } = await proposeUndo(move('bin/run.sh', 'a'), async ({ model, ana }) => {
      model.proposes(write('bin/run.sh', 'new\n'));
      await ana.says('/countersign write another');
    });
    expect(bot.answer()).toContain('touches the lines or paths of a pending change');
    expect(bot.proposals()).toHaveLength(2);
  });
});
