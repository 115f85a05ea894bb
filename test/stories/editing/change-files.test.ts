import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { storedCommit, storedRepository } from '../../../lab/shared/stored-repository.ts';
import { type VerifiedChange, verifyCommit } from '../../../src/cli/verify/check-commit.ts';
import { setDigest } from '../../../src/core/edits/digest.ts';
import { quoteReply, stageForAll } from '../support/open-and-close.ts';
import type { Files } from '../support/pull-request.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const PRICE = Array.from({ length: 20 }, (_, at) => `// line ${at + 1}\n`).join('');

const FILES: Files = {
  'src/total.ts': `export function total(prices) {\n  return sum(prices);\n}\n${PRICE}export { total as sumOf };\n`,
  'src/use.ts': "import { total } from './total';\n\nprint(total([1]));\n",
  'src/old.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/dead.ts': 'export {};\n',
  'README.md': '# Shop\n',
  'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0xff),
  '.github/workflows/ci.yml': 'on: push\n',
};

const INSERTED = String(FILES['src/total.ts']).replace('// line 10\n', '// line 10\n// inserted\n');

type Change = Readonly<Record<string, unknown>>;

function changes(...list: readonly Change[]): ScriptedCall {
  return { name: 'change_files', arguments: { summary: 'Rename total to totalOf everywhere.', changes: list } };
}

const RENAME: readonly Change[] = [
  { op: 'edit', path: 'src/total.ts', old_string: 'function total(', new_string: 'function totalOf(' },
  { op: 'edit', path: 'src/total.ts', old_string: '{ total as sumOf }', new_string: '{ totalOf as sumOf }' },
  { op: 'edit', path: 'src/use.ts', old_string: 'import { total }', new_string: 'import { totalOf }' },
  { op: 'edit', path: 'src/use.ts', old_string: 'print(total(', new_string: 'print(totalOf(' },
];

async function propose(...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await stage().tell({ files: FILES, branch: { 'README.md': '# Our shop\n' } });
  story.model.proposes(...calls);
  await story.ana.says('/countersign rename total');
  return story;
}

/** The verdicts of `countersign verify` on the last commit. */
async function verdicts({ pr }: Story): Promise<readonly VerifiedChange[]> {
  const commit = pr.commits().at(-1);
  if (commit === undefined) throw new Error('There is no commit.');
  const { store } = stage().github.state();
  return verifyCommit(storedRepository(store), storedCommit(store, commit.sha), { slug: null, host: 'github.com' });
}

describe('changes that only work together', () => {
  it('R44: can be a rename in 11 files with 46 places, by 11 calls of replace_all, in one proposal and one commit', async () => {
    const text = (n: number): string =>
      Array.from({ length: n < 2 ? 5 : 4 }, (_, at) => `use(sumOf, ${at});\n${'// more\n'.repeat(9)}`).join('');
    const paths = Array.from({ length: 11 }, (_, n) => `src/part${n}.ts`);
    const files = Object.fromEntries(paths.map((path, n) => [path, text(n)]));
    const { ana, bot, model, pr } = await stage().tell({ files });
    model.proposes(
      changes(
        ...paths.map((path) => ({ op: 'edit', path, old_string: 'sumOf', new_string: 'totalOf', replace_all: true })),
      ),
    );
    await ana.says('/countersign rename sumOf to totalOf');
    expect(bot.proposals()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('46 places in 11 files');
    await ana.says('/approve');
    expect(pr.commits()).toHaveLength(1);
    for (const [n, path] of paths.entries()) expect(pr.file(path)).toContain(text(n).replaceAll('sumOf', 'totalOf'));
    expect(model.toolMessages().join()).toContain('"message":"Applied all 46 places in 11 files."');
  });

  it('are one proposal with one id, one page and one commit that verifies (S146)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, pr, model } = story;
    const posted = bot.proposal(1);
    expect(bot.proposals()).toHaveLength(1);
    expect(posted.body).toContain('**Change together** 3 places in 2 files: `src/total.ts`, `src/use.ts` · ');
    expect(posted.body).toContain('> Rename total to totalOf everywhere.');
    expect(posted.body).toContain('either all of them are committed together, or none');
    expect(posted.body).toContain(
      '1. **Edit** `src/total.ts` (line 1, line 24).\n2. **Edit** `src/use.ts` (line 1).\n',
    );
    expect(posted.body.match(/^Diff of \d:$/gm)).toEqual(['Diff of 1:', 'Diff of 2:']);
    expect(posted.body).toContain("@@ -1,3 +1,3 @@\n-import { total } from './total';\n+import { totalOf }");
    expect(posted.body).not.toContain('```suggestion');
    expect(posted.body).toMatch(
      /^Change 1 of 1 · digest `\w{12}` · head `\w{7}`: \[`src\/total\.ts`\]\(.+\) and \[`src\/use\.ts`\]\(.+\)$/m,
    );
    expect(bot.run().body).toContain('| `src/total.ts`, `src/use.ts` (3 places in 2 files) | pending |');
    await ana.says('/status');
    expect(bot.answer()).toContain('Change 3 places in 2 files: `src/total.ts`, `src/use.ts`');
    await ana.replies(posted, `/approve ${posted.proposalId}`);
    expect(pr.commits()).toHaveLength(1);
    expect(pr.file('src/total.ts')).toContain('function totalOf(');
    expect(pr.file('src/total.ts')).toContain('totalOf as sumOf');
    expect(pr.file('src/use.ts')).toBe("import { totalOf } from './total';\n\nprint(totalOf([1]));\n");
    const message = pr.commits()[0]?.message ?? '';
    expect(message).toMatch(/^Rename total to totalOf everywhere\n\n/);
    expect(message.split(`Countersign-Proposal: ${posted.proposalId}`)).toHaveLength(4);
    const rows = await verdicts(story);
    expect(rows.map(({ path, result, problem }) => ({ path, result, problem }))).toEqual([
      { path: 'src/total.ts', result: 'ok', problem: null },
      { path: 'src/total.ts', result: 'ok', problem: null },
      { path: 'src/use.ts', result: 'ok', problem: null },
    ]);
    const [proposal] = (await story.stored()).proposals;
    expect(setDigest(rows.map(({ digest }) => digest ?? ''))).toBe(proposal?.change.digest);
    expect(proposal?.votes.map(({ digest }) => digest)).toEqual([proposal?.change.digest]);
    expect(JSON.parse(model.toolMessages()[0] ?? '')).toMatchObject({ paths: ['src/total.ts', 'src/use.ts'] });
  });

  it('come to what they leave: new, deleted and moved files, also with another text, verify and can be undone (S146)', async () => {
    const story = await propose(
      changes(
        { op: 'move', from: 'src/old.ts', to: 'src/new.ts' },
        { op: 'edit', path: 'src/new.ts', old_string: 'b = 2', new_string: 'b = 3' },
        { op: 'move', from: 'logo.png', to: 'img/logo.png' },
        { op: 'delete', path: 'src/dead.ts' },
        { op: 'write', path: 'src/index.ts', content: "export * from './new';\n" },
        { op: 'edit', path: 'src/index.ts', old_string: './new', new_string: './new.js' },
        { op: 'edit', path: 'src/use.ts', old_string: '[1]', new_string: '[2]' },
      ),
    );
    const { bot, ana, pr } = story;
    const before = Object.keys(FILES).map((path) => [path, pr.bytes(path)]);
    const posted = bot.proposal(1);
    expect(posted.body).toContain('**Move** `logo.png` to `img/logo.png`');
    expect(posted.body).toContain('Only the path changes');
    expect(posted.body).toContain('--- a/src/old.ts\n+++ b/src/new.ts\n');
    await ana.replies(posted, `/approve ${posted.proposalId}`);
    expect(pr.file('src/new.ts')).toBe('export const a = 1;\nexport const b = 3;\n');
    expect(pr.file('src/index.ts')).toBe("export * from './new.js';\n");
    expect([pr.bytes('src/old.ts'), pr.bytes('src/dead.ts'), pr.bytes('logo.png')]).toEqual([null, null, null]);
    expect(pr.bytes('img/logo.png')).toEqual(FILES['logo.png']);
    expect((await verdicts(story)).map(({ path, result }) => `${path} ${result}`)).toEqual([
      'img/logo.png ok',
      'src/dead.ts ok',
      'src/index.ts ok',
      'src/new.ts ok',
      'src/use.ts ok',
    ]);

    await ana.says(`/undo ${posted.proposalId}`);
    const undo = bot.proposal(2);
    expect(undo.body).toContain('**Change together** 5 files: `img/logo.png` to `logo.png`, `src/dead.ts`, +3 · ');
    expect(undo.body).not.toContain('written by the model');
    await ana.says('/status');
    expect(bot.answer()).toContain(
      `Undo ${posted.proposalId}: change 5 files: \`img/logo.png\` to \`logo.png\`, \`src/dead.ts\`, +3`,
    );
    expect(undo.body).toContain(`This is the exact reverse of \`${posted.proposalId}\``);
    await ana.says(`/approve ${undo.proposalId}`);
    expect(Object.keys(FILES).map((path) => [path, pr.bytes(path)])).toEqual(before);
    expect([pr.bytes('src/new.ts'), pr.bytes('src/index.ts'), pr.bytes('img/logo.png')]).toEqual([null, null, null]);
    expect((await verdicts(story)).map(({ result }) => result)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  });

  it('are denied together, and the same set is not shown again (S146, S152)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, pr, model } = story;
    model.proposes(changes(...RENAME.toReversed()));
    await ana.replies(bot.proposal(1), `/deny ${bot.proposal(1).proposalId} the name stays`);
    expect(pr.commits()).toEqual([]);
    expect(bot.proposals()).toHaveLength(1);
    expect(model.allToolMessages().join('\n')).toContain('already rejected');
  });

  it('are all stale if a push changes the place of one, and stand if it changes another place (S146)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, ben, pr, model } = story;
    await ben.pushes({ 'README.md': '# Their shop\n', 'src/total.ts': INSERTED });
    expect(bot.proposal(1).body).toContain('**Pending:**');
    await ben.pushes({ 'src/use.ts': "import { total } from './sum';\n" });
    expect(bot.proposal(1).body).toContain('`src/use.ts` changed after this was proposed');
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.commits().filter(({ author }) => author.includes('countersign'))).toEqual([]);
    expect(model.allToolMessages().join('\n')).toContain('src/use.ts');
  });

  it('are committed at the place where a push moved one of them, and verify (S146, S91, X8)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, ben, pr } = story;
    await ben.pushes({ 'src/total.ts': INSERTED });
    await ana.says(`/approve ${bot.proposal(1).proposalId}`);
    expect(pr.file('src/total.ts')).toBe(
      INSERTED.replace('function total(', 'function totalOf(').replace('total as', 'totalOf as'),
    );
    expect(pr.file('src/use.ts')).toContain('print(totalOf(');
    expect((await verdicts(story)).map(({ result }) => result)).toEqual(['ok', 'ok', 'ok']);
  });

  it('count as applied only by a push that has all of them (S146, B9)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ben } = story;
    await ben.pushes({
      'src/total.ts': String(FILES['src/total.ts'])
        .replace('function total(', 'function totalOf(')
        .replace('total as', 'totalOf as'),
      'src/use.ts': "import { totalOf } from './total';\n\nprint(totalOf([1]));\n",
    });
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    const other = await propose(changes(...RENAME));
    await other.ben.pushes({ 'src/use.ts': "import { totalOf } from './total';\n\nprint(totalOf([1]));\n" });
    expect(other.bot.proposal(1).body).not.toContain('**Completed:** applied');
    expect(other.bot.proposal(1).body).toContain('changed after this was proposed');
  });

  it('are asked for otherwise by an instruction, and own lines get an answer (S146)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, pr, model } = story;
    model.proposes(
      changes(...RENAME.map((one) => ({ ...one, new_string: String(one['new_string']).replace('totalOf', 'sum') }))),
    );
    await ana.says(quoteReply(bot.proposal(1).body, "```suggestion\nimport { sum } from './total';\n```"));
    expect(bot.answer()).toContain('only in the change’s own thread');
    expect(pr.commits()).toEqual([]);
    await ana.says(`/edit ${bot.proposal(1).proposalId} call it sum`);
    expect(bot.proposals()).toHaveLength(2);
    expect(bot.proposal(2).body).toContain("+import { sum } from './total';");
  });

  it('are found by their trailers after a lost answer, and committed once (S146, G2)', async () => {
    const story = await propose(changes(...RENAME));
    const { bot, ana, pr } = story;
    stage().github.faults.add({ kind: 'fail-after-apply', status: 502, route: 'graphql createCommitOnBranch' });
    await ana.replies(bot.proposal(1), `/approve ${bot.proposal(1).proposalId}`);
    for (let wait = 0; wait < 5; wait += 1) {
      stage().pass(60);
      await stage().settle();
    }
    expect(pr.commits()).toHaveLength(1);
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
    const [proposal] = (await story.stored()).proposals;
    expect(proposal?.committed?.digest).toBe(proposal?.change.digest);
    expect(proposal?.committed?.members).toHaveLength(3);
  });
});

describe('a set with a file that acts by itself', () => {
  it('warns about each such member on the page (S146, C14)', async () => {
    const story = await propose(
      changes(...RENAME, { op: 'write', path: 'package.json', content: '{"scripts": {"postinstall": "true"}}\n' }),
    );
    expect(story.bot.proposal(1).body).toContain('⚠️');
    expect(story.bot.proposal(1).body).toContain('can run as code');
  });
});

describe('changes that cannot be made together', () => {
  const REFUSED: readonly (readonly [string, readonly Change[], string])[] = [
    [
      'a member that a rule denies',
      [...RENAME, { op: 'write', path: '.github/workflows/ci.yml', content: 'on: pull\n' }],
      '.github/workflows/ci.yml',
    ],
    [
      'a text that is not there',
      [...RENAME, { op: 'edit', path: 'README.md', old_string: 'nowhere', new_string: 'x' }],
      'Change 5 of 5',
    ],
    [
      'an edit after a deletion',
      [
        { op: 'delete', path: 'src/dead.ts' },
        { op: 'edit', path: 'src/dead.ts', old_string: 'export', new_string: 'x' },
      ],
      'Change 2 of 2 cannot be made, so nothing of this call was proposed. File not found',
    ],
    [
      'a file that was not read',
      [...RENAME, { op: 'write', path: 'README.md', content: 'x\n' }],
      'has not read its current version',
    ],
    [
      'a file below a new file',
      [
        { op: 'write', path: 'new', content: 'a\n' },
        { op: 'write', path: 'new/a.txt', content: 'a\n' },
      ],
      'Change 2 of 2',
    ],
    [
      'nothing',
      [
        { op: 'edit', path: 'README.md', old_string: 'Our', new_string: 'Your' },
        { op: 'edit', path: 'README.md', old_string: 'Your', new_string: 'Our' },
      ],
      'No changes',
    ],
    [
      'a member of another operation',
      [{ op: 'delete', path: 'src/dead.ts', content: 'x' }],
      'content does not belong to delete',
    ],
    [
      'too many',
      Array.from({ length: 31 }, (_, at) => ({ op: 'write', path: `n${at}.txt`, content: 'x\n' })),
      'at most 30',
    ],
  ];
  it.each(REFUSED)('are refused whole for %s, and the error names the change (S146)', async (_, list, words) => {
    const story = await propose(changes(...list));
    expect(story.bot.proposals()).toEqual([]);
    expect(story.model.allToolMessages().join('\n')).toContain(words);
    expect(story.pr.commits()).toEqual([]);
  });

  it('are the single change that they come to, with a suggestion block and their summary (S146)', async () => {
    const one = { op: 'edit', path: 'README.md', old_string: 'My', new_string: 'Your' };
    const story = await stage().tell({ files: FILES, branch: { 'README.md': '# Our shop\n' } });
    story.model.proposes(changes({ ...one, old_string: 'Our', new_string: 'My' }, one));
    await story.ana.says('/countersign go');
    expect(story.model.allToolMessages().join()).not.toContain('cannot be made');
    expect(story.bot.proposal(1).body).toContain('```suggestion\n# Your shop\n```');
    expect(story.bot.proposal(1).body).toContain('Rename total to totalOf everywhere.');
  });
});
