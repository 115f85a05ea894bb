import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUN_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, move, read, remove, write } from '../support/story.ts';

const folder = scratchFolder();

const file = join(folder, 'countersign.yml');
writeFileSync(
  file,
  'rules: [{tools: [edit_file, write_file], paths: [infra/**], decide: deny}]\nprotected_paths: [billing/**]\n',
);
const stage = stageForAll({ environment: { CONFIG_FILE: file } });

const CANARY = 'canary-of-a-denied-file';

const FILES = {
  'README.md': '# Shop\n',
  'src/total.ts': 'export const total = 0;\n',
  'gen/api.ts': 'export const api = 1;\n',
  'private/notes.md': `${CANARY}\n`,
  'infra/main.tf': 'a = 1\n',
  'billing/invoice.ts': 'export const tax = 1;\n',
};

const NO_GENERATED = `
rules:
  - tools: [edit_file, write_file, delete_file, move_file]
    paths: ["gen/**"]
    decide: deny
`;

const NO_PRIVATE = 'rules: [{tools: [read_file], paths: ["private/**"], decide: deny}]\n';

describe('a denied path', () => {
  it('is neither written nor read through a link (S13)', async () => {
    const links = { 'docs/CODEOWNERS': '../owners.txt', gen: 'made' };
    const files = { ...FILES, 'owners.txt': '* @ana\n', 'made/a.ts': 'a\n' };
    delete (files as Partial<typeof FILES>)['gen/api.ts'];
    const { ana, bot, model } = await stage().tell({ files, links });
    model.proposes(edit('gen/a.ts', 'a', 'b'), write('gen/new.ts', 'n\n'), {
      name: 'read_file',
      arguments: { path: 'gen/a.ts' },
    });
    await ana.says('/countersign make it mine');
    expect(bot.proposals()).toEqual([]);
    for (const output of model.toolMessages().slice(0, 3)) expect(output).toContain('Cannot access');
  });

  it('is refused to every tool of the rule before anybody is asked, with the rule’s name (S127, S14)', async () => {
    const { ana, bot, configures, model } = await stage().tell({ files: FILES });
    await configures(NO_GENERATED);
    const set = (...changes: readonly object[]) => ({ name: 'change_files', arguments: { summary: 's', changes } });
    model.proposes(
      edit('gen/api.ts', 'a text that is not there', 'x'),
      write('gen/new.ts', 'x\n'),
      remove('Gen/api.ts'),
      move('gen/api.ts', 'src/api.ts'),
      move('src/total.ts', 'gen/total.ts'),
      set({ op: 'write', path: 'src/x.ts', content: 'x\n' }, { op: 'write', path: 'gen/x.ts', content: 'x\n' }),
      read('gen/api.ts'),
    );
    await ana.says('/countersign make it generated');
    const outputs = model.toolMessages();
    expect(bot.proposals()).toEqual([]);
    expect(outputs[0]).toBe("Cannot write 'gen/api.ts': path is read-only (rules: gen/**).");
    for (const output of [...outputs.slice(0, 2), ...outputs.slice(3, 6)]) expect(output).toContain('(rules: gen/**)');
    expect(outputs[2]).toMatch(/Cannot write|differs only in case/);
    expect(outputs[6]).toContain('export const api');
  });

  it('of read_file is neither read, listed, searched, outlined, shown in a diff, nor changed (S127)', async () => {
    const branch = { 'private/notes.md': `${CANARY}\nnew\n`, 'src/total.ts': 'export const total = 1;\n' };
    const { ana, bot, configures, model } = await stage().tell({ files: FILES, branch });
    await configures(NO_PRIVATE);
    model.proposes(
      read('private/notes.md'),
      { name: 'read_file', arguments: { path: 'private/notes.md', ref: 'base' } },
      { name: 'outline', arguments: { path: 'private/notes.md' } },
      edit('private/notes.md', 'canary', 'x'),
      { name: 'read_diff', arguments: {} },
      { name: 'search', arguments: { query: 'canary' } },
      { name: 'list_files', arguments: {} },
      read('private/note.md'),
    );
    await ana.says('/countersign look around');
    const sent = JSON.stringify(model.requests().map(({ messages }) => messages));
    expect(sent).not.toContain(CANARY);
    expect(bot.proposals()).toEqual([]);
    const outputs = model.toolMessages();
    for (const output of outputs.slice(0, 4)) expect(output).toMatch(/^Cannot (?:read|write) .*rules: private\/\*\*/);
    expect(outputs[4]).toContain('1 file that may not be read is left out');
    for (const output of outputs.slice(4)) expect(output).not.toContain('private/notes.md');
  });

  describe('of read_file by a rule that came later hides the page of a change whose run is deleted', () => {
    const stage = stageForAll({ needsSql: true });

    async function forgotten(isOnLines: boolean) {
      const branch = isOnLines ? { 'private/notes.md': `${CANARY}\nnew\n` } : { 'README.md': '# New shop\n' };
      const story = await stage().tell({ files: FILES, branch });
      const { ana, bot, configures, model } = story;
      model.proposes(edit('private/notes.md', CANARY, `${CANARY}, twice`));
      await ana.says('/countersign double it');
      const page = bot.proposal(1);
      expect([page.kind, page.body.includes(CANARY)]).toEqual([isOnLines ? 'review' : 'issue', true]);
      await ana.replies(page, '/deny keep it');
      await configures(NO_PRIVATE);
      await stage().later(8 * 24 * 60 * 60);
      while (
        await stage()
          .store()
          .deleteExpired(Date.now() + 2 * RUN_RETENTION_MS)
      );
      expect((await story.stored()).run).toBeNull();
      const before = model.requests().length;
      return { ...story, page, sent: () => JSON.stringify(model.requests().slice(before)) };
    }

    it.each<[string, boolean, (slug: string) => string]>([
      ['a question in its thread', true, () => '/countersign ask why was this?'],
      ['a task in its thread', true, () => '/countersign why was this?'],
      ['a question that names the App', false, (slug) => `/countersign ask why did @${slug} this?`],
      ['a task that names the App', false, (slug) => `/countersign explain what @${slug} did. why was this?`],
    ])('from %s (S127, S157, I15)', async (_, isOnLines, words) => {
      const { ana, page, sent } = await forgotten(isOnLines);
      await ana.replies(page, words(stage().github.app.slug));
      expect(sent()).toContain('this?');
      expect(sent()).not.toContain(CANARY);
    });
  });

  it('by a rule that came after the proposal stops an approval, which names it, and a denial still counts (S127)', async () => {
    const { ana, ben, bot, configures, model, pr } = await stage().tell({ files: FILES });
    model.proposes(edit('gen/api.ts', 'api = 1', 'api = 2'));
    await ana.says('/countersign raise it');
    await configures(NO_GENERATED);
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.answer()).toContain('a rule denies `gen/api.ts` to the agent (`rules: gen/**`)');
    expect(pr.commits()).toEqual([]);
    await ben.replies(bot.proposal(1), '/deny');
    expect(bot.proposal(1).body).toContain('Rejected by user');
  });

  it('stops a person’s own lines there too (S49)', async () => {
    const { ana, bot, configures, model, pr } = await stage().tell({ files: FILES });
    model.proposes(edit('gen/api.ts', 'api = 1', 'api = 2'));
    await ana.says('/countersign raise it');
    await configures(NO_GENERATED);
    await ana.replies(bot.proposal(1), '```suggestion\nexport const api = 3;\n```');
    expect(bot.answer()).toContain('a rule denies `gen/api.ts`');
    expect(pr.commits()).toEqual([]);
  });

  it('stops the undo of a change that was made before the rule (S127)', async () => {
    const { ana, bot, configures, model, pr } = await stage().tell({ files: FILES });
    model.proposes(edit('gen/api.ts', 'api = 1', 'api = 2'));
    await ana.says('/countersign raise it');
    await ana.says('/approve');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    await configures(NO_GENERATED);
    await ana.says('/approve');
    expect(bot.answer()).toContain('a rule denies `gen/api.ts`');
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('rules come from the default branch', () => {
  it('and an empty list of a repository takes none of the operator’s away (S127)', async () => {
    const { ana, bot, configures, model } = await stage().tell({ files: FILES });
    await configures('rules: []\nprotected_paths: [src/**]\n');
    model.proposes(
      edit('infra/main.tf', 'a = 1', 'a = 2'),
      edit('billing/invoice.ts', 'tax = 1', 'tax = 2'),
      edit('src/total.ts', 'total = 0', 'total = 1'),
    );
    model.proposes(edit('billing/invoice.ts', 'tax = 1', 'tax = 2'), edit('src/total.ts', 'total = 0', 'total = 1'));
    await ana.says('/countersign raise them');
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(1).body).toContain('`billing/invoice.ts` is one of the `protected_paths`');
    expect(bot.proposal(2).body).toContain('is one of the `protected_paths`');
    await ana.says('/config');
    expect(bot.answer()).toContain('    paths:\n      - infra/**\n');
    expect(bot.answer()).toContain('protected_paths:\n  - billing/**\n  - src/**\n');
  });
});
