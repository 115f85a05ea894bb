import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { Files } from '../support/pull-request.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

type Change = Readonly<Record<string, unknown>>;

function changes(...list: readonly Change[]): ScriptedCall {
  return { name: 'change_files', arguments: { summary: 'Rename it everywhere.', changes: list } };
}

const rows = (name: string): string => Array.from({ length: 40 }, (_, at) => `  ${name} ${at + 1};\n`).join('');

const FILES: Files = {
  'a.ts': `first() {\n${rows('a')}}\n\nsecond() {\n${rows('b')}}\n`,
  'b.ts': "use('a');\n",
  'bin/run.sh': 'echo one\n',
  'README.md': '# Shop\n',
};

const RENAME: readonly Change[] = [
  { op: 'edit', path: 'a.ts', old_string: 'b 20;', new_string: 'b twenty;' },
  { op: 'edit', path: 'b.ts', old_string: "'a'", new_string: "'c'" },
];

async function propose(...calls: readonly ScriptedCall[]): Promise<Story> {
  const branch = { 'README.md': '# Our shop\n' };
  const story = await stage().tell({ files: FILES, executable: ['bin/run.sh'], branch });
  story.model.proposes(...calls);
  await story.ana.says('/countersign rename it');
  return story;
}

describe('the page of a large set', () => {
  it('is not posted where its list alone fills a comment, and the agent hears why (S146, B16)', async () => {
    const path = (at: number): string => `${at}/${'é'.repeat(100)}/`.repeat(4);
    const written = Array.from({ length: 30 }, (_, at) => ({ op: 'write', path: `${path(at)}pаy.ts`, content: 'x\n' }));
    const { bot, model } = await propose(changes(...written));
    expect(bot.proposals()).toEqual([]);
    expect(model.allToolMessages().join('\n')).toContain('cannot be shown to people whole and exactly');
  });
});

describe('the page of a set', () => {
  it('names a new file that can be run, in its title and its list (S146, S20)', async () => {
    const copied = [
      { op: 'move', from: 'bin/run.sh', to: 'bin/start.sh' },
      { op: 'write', path: 'bin/run.sh', content: 'exec bin/start.sh\n' },
    ];
    const read = { name: 'read_file', arguments: { path: 'bin/run.sh' } };
    const story = await stage().tell({ files: FILES, executable: ['bin/run.sh'], branch: { 'README.md': '# Our\n' } });
    story.model.proposes(read);
    story.model.proposes(changes(...copied));
    await story.ana.says('/countersign start it through another file');
    const { body } = story.bot.proposal(1);
    expect(body).toContain('**Change together** 2 files: `bin/run.sh`, `bin/start.sh` (1 new executable file) · ');
    expect(body).toContain('2. **Write** `bin/start.sh` (1 line, new executable file).');
    const same = await stage().tell({ files: FILES, executable: ['bin/run.sh'], branch: { 'README.md': '# Our\n' } });
    same.model.proposes(read);
    const restored = { op: 'edit', path: 'bin/run.sh', old_string: 'exec bin/start.sh', new_string: 'echo one' };
    same.model.proposes(changes(...copied, restored));
    await same.ana.says('/countersign copy it');
    expect(same.bot.proposal(1).body).toContain('**Write** `bin/start.sh` (1 line, new executable file) · ');
  });

  it('R76: names both paths of a move, in its title, in the run comment and in lists', async () => {
    const moved = { op: 'move', from: 'bin/run.sh', to: 'bin/go.sh' };
    const edited = { op: 'edit', path: 'b.ts', old_string: "'a'", new_string: "'run'" };
    const { bot, ana } = await propose(changes(moved, edited));
    const { body } = bot.proposal(1);
    expect(body).toMatch(/\*\*Change together\*\* 2 files: .*`bin\/run\.sh` to `bin\/go\.sh`.* · `/);
    expect(bot.run().body).toContain('`bin/run.sh` to `bin/go.sh`');
    await ana.says('/status');
    expect(bot.answer()).toContain('`bin/run.sh` to `bin/go.sh`');
  });

  it('R25: has its digest and the head in its last line only', async () => {
    const { bot } = await propose(changes(...RENAME));
    const lines = bot.proposal(1).body.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^Change 1 of 1 · digest `\w{12}` · head `\w{7}`: /);
    expect(lines.slice(0, -1).join('\n')).not.toMatch(/digest|`[0-9a-f]{7,12}`/);
  });
});
