import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, move, read, remove, type Story, write } from '../support/story.ts';

const stage = stageForAll();

function call(name: string, args: Readonly<Record<string, unknown>> = {}): ScriptedCall {
  return { name, arguments: args };
}

/** The outputs of the response that made these calls first. */
function outputsOf({ model }: Story, response: number): readonly string[] {
  const messages = model.requests()[response]?.messages ?? [];
  const asked = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(asked + 1).flatMap(({ role, content }) => (role === 'tool' ? [content ?? ''] : []));
}

const TOTAL = 'export function total(prices) {\n  let total = 0;\n  return total;\n}\n';

const FILES = { 'src/total.ts': TOTAL, 'src/cart/price.ts': 'export const price = 3;\n', 'README.md': '# Shop\n' };

describe('reading (S141)', () => {
  it('takes names and paths as models write them, and lists a directory (S141)', async () => {
    const story = await stage().tell({ files: FILES, branch: { 'b.txt': 'b\n' } });
    const { ana, model, pr } = story;
    const repo = pr.fullName.split('/')[1] ?? '';
    model.proposes(
      call('READ_FILE', { path: './src/total.ts', start: '2', end: '2' }),
      call('Read_File', { path: `${repo}/README.md`, start: null }),
      read('/src/cart/price.ts'),
      read('src'),
      call('list_files', { glob: 'src/cart/' }),
      call('list_files', { glob: '.' }),
      call('serch', { query: 'x' }),
    );
    await ana.says('/countersign look around');
    const [line, readme, price, directory, cart, all, unknown] = outputsOf(story, 1);
    expect(line).toContain('File src/total.ts: lines 2 to 2 of 4;');
    expect(readme).toContain('# Shop');
    expect(price).toContain('export const price = 3;');
    expect(directory).toBe('2 files matching "src/**":\nsrc/cart/price.ts\nsrc/total.ts');
    expect(cart).toBe('1 file matching "src/cart/**":\nsrc/cart/price.ts');
    expect(all).toContain('b.txt');
    expect(unknown).toMatch(/^Unknown tool "serch"\. Did you mean search\?/);
  });

  it('no form of a name opens a file that may not be read (S141, I4)', async () => {
    const story = await stage().tell({
      files: { '.env': 'a=1\n', 'deploy/.ssh/id_rsa': 'key\n', '.github/workflows/ci.yml': 'on: push\n' },
      branch: { 'b.txt': 'b\n' },
    });
    const repo = story.pr.fullName.split('/')[1] ?? '';
    story.model.proposes(
      ...['./.env', '/.env', `${repo}/.env`, `./${repo}/.ENV`, '.ENV'].map(read),
      ...['deploy/.ssh', '/deploy/.ssh/'].map(read),
      call('read_file', { path: './.env', ref: 'base' }),
      call('search', { query: 'key|a=1', regex: true, glob: './deploy/.ssh' }),
      call('search', { query: 'A=1', ignore_case: true }),
      write('./.github/workflows/new.yml', 'on: push\n'),
      remove('/.github/workflows/ci.yml'),
      move('./b.txt', `/${repo}/.github/workflows/b.yml`),
    );
    await story.ana.says('/countersign look around');
    const outputs = outputsOf(story, 1);
    for (const output of outputs.slice(0, 3)) expect(output).toContain("Cannot read '.env': path may not be read");
    for (const output of outputs.slice(3, 5)) expect(output).toMatch(/^Cannot (?:read|access) '/);
    for (const output of outputs.slice(5, 7)) expect(output).toMatch(/^No files matching/);
    expect(outputs[7]).toContain("Cannot read '.env': path may not be read");
    for (const output of outputs.slice(8, 10)) expect(output).toMatch(/^No line/);
    for (const output of outputs.slice(10)) expect(output).toMatch(/^Cannot write '.github.*path is read-only/);
    expect(story.bot.proposals()).toEqual([]);
  });

  it('what was shown and did not change is not shown again; other lines and a changed file are (S141)', async () => {
    const story = await stage().tell({ files: FILES, branch: { 'b.txt': 'b\n' } });
    const { ana, model, pr } = story;
    const lines = (start: number, end: number) => call('read_file', { path: 'src/total.ts', start, end });
    model.proposes(lines(1, 2), lines(2, 2), lines(2, 3));
    model.proposes(read('src/total.ts'), lines(1, 3), read('b.txt'));
    model.proposes(edit('b.txt', 'b', 'c'));
    model.proposes(read('b.txt'), read('src/total.ts'), write('src/total.ts', `${TOTAL}// end\n`));
    await ana.says('/countersign tidy up');
    await ana.says('/approve');
    expect(pr.file('b.txt')).toBe('c\n');
    const unchanged = 'Unchanged since it was shown above.';
    expect(outputsOf(story, 1).map((output) => output === unchanged)).toEqual([false, true, false]);
    expect(outputsOf(story, 2).map((output) => output === unchanged)).toEqual([false, true, false]);
    expect(story.bot.proposals()).toHaveLength(2);
    await ana.says('/approve');
    const [changed, same] = outputsOf(story, 4);
    expect(changed).toContain('c\n');
    expect(same).toBe(unchanged);
  });

  it('base is the file as it was before the pull request, and reading it does not count as knowing the head (S141)', async () => {
    const story = await stage().tell({
      files: FILES,
      branch: { 'src/total.ts': TOTAL.replace('0', '0n') },
    });
    const { ana, model } = story;
    await story.configures('approvers: write\n');
    const base = (path: string) => call('read_file', { path, ref: 'base' });
    model.proposes(base('src/total.ts'), read('src/total.ts'), base('src/total.ts'), base('.github/countersign.yml'));
    model.proposes(base('README.md'), write('README.md', 'new\n'));
    await ana.says('/countersign compare');
    const [before, after, again, later] = outputsOf(story, 1);
    expect(before).toContain('let total = 0;');
    expect(after).toContain('let total = 0n;');
    expect(again).toBe('Unchanged since it was shown above.');
    expect(later).toMatch(/^File not found: \.github\/countersign\.yml\./);
    expect(outputsOf(story, 2)[1]).toContain('this run has not read its current version');
  });

  it('a path that does not exist brings the nearest, for reading and for every change (S154)', async () => {
    const story = await stage().tell({ files: FILES, branch: { 'b.txt': 'b\n' } });
    const [wrong, near] = ['src/totl.ts', 'File not found: src/totl.ts. Nearest: src/total.ts.'];
    story.model.proposes(
      read(wrong),
      edit(wrong, 'a', 'b'),
      remove(wrong),
      move(wrong, 'c.ts'),
      read('x'),
      edit('x', 'a', 'b'),
    );
    await story.ana.says('/countersign tidy up');
    const outputs = outputsOf(story, 1);
    expect(outputs.slice(0, 4)).toEqual([near, near, near, near]);
    expect(outputs[4]).toBe('File not found: x. Use list_files to see what is there.');
    expect(outputs[5]).toBe('File not found: x. Use write_file to create it.');
  });
});

describe('searching (S142)', () => {
  it('takes patterns, ignores case, shows context, and lists changed files first (S142)', async () => {
    const story = await stage().tell({
      files: { ...FILES, 'a/first.ts': 'const total = 1;\n' },
      branch: { 'z/changed.ts': 'one\ntwo\nlet TOTAL = 0;\nfour\n' },
    });
    story.model.proposes(
      call('search', { query: '(?:let|const) total\\b', regex: true, ignore_case: true, context: 1 }),
      call('search', { query: 'LET TOTAL', ignore_case: 'true', glob: 'z' }),
      call('search', { query: 'total(', glob: 'src/**' }),
      call('search', { query: 'total(', regex: true }),
    );
    await story.ana.says('/countersign look around');
    const [pattern, folded, literal, broken] = outputsOf(story, 1);
    expect(pattern).toBe(
      [
        '3 lines match "(?:let|const) total\\\\b" (3 files):',
        'z/changed.ts-2-two',
        'z/changed.ts:3:let TOTAL = 0;',
        'z/changed.ts-4-four',
        '--',
        'a/first.ts:1:const total = 1;',
        '--',
        'src/total.ts-1-export function total(prices) {',
        'src/total.ts:2:  let total = 0;',
        'src/total.ts-3-  return total;',
      ].join('\n'),
    );
    expect(folded).toBe(
      '1 line contains "LET TOTAL" in files matching "z/**" (1 file):\nz/changed.ts:3:let TOTAL = 0;',
    );
    expect(literal).toContain('src/total.ts:1:export function total(prices) {');
    expect(broken).toBe(
      'Nothing was searched: "total(" is not a regular expression in RE2 syntax (missing closing )). Repetition counts go up to 1000; there are no look-around and no back-references.',
    );
  });
});

describe('outlines (S143)', () => {
  it('shows the declarations of a file, from the thread for computations, and keeps the path rules (S143, I4)', async () => {
    const story = await stage().tell({
      files: { ...FILES, 'src/shop.py': 'class Shop:\n    def total(self):\n        return 0\n', '.env': 'a=1\n' },
      branch: { 'b.txt': 'b\n' },
    });
    story.model.proposes(
      call('outline', { path: './src/total.ts' }),
      call('outline', { path: 'src/shop.py' }),
      call('outline', { path: 'README.md' }),
      call('outline', { path: 'src/totl.ts' }),
      call('outline', { path: '.env' }),
    );
    await story.ana.says('/countersign look around');
    const [ts, python, markdown, missing, denied] = outputsOf(story, 1);
    expect(ts).toMatch(
      /^Outline of src\/total\.ts \(4 lines, blob .{7}\), declarations with their line numbers:\n1: export function total\(prices\) \{$/,
    );
    expect(python?.split('\n').slice(1)).toEqual(['1: class Shop:', '2:   def total(self):']);
    expect(markdown).toContain('lines at column 0 with their line numbers:\n1: # Shop');
    expect(missing).toBe('File not found: src/totl.ts. Nearest: src/total.ts.');
    expect(denied).toContain("Cannot read '.env': path may not be read");
  });
});

describe('a repository whose files cannot be listed', () => {
  it('is told to the model (S143)', async () => {
    const { ana, model } = await stage().tell();
    const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
    stage().github.faults.add({ route, kind: 'fail-before-apply', status: 413, skip: 1, times: 10 });
    model.proposes({ name: 'list_files', arguments: {} });
    await ana.says('/countersign look around');
    stage().github.faults.clear();
    expect(model.toolMessages()).toEqual([expect.stringContaining('too many files or directories to be listed')]);
  });
});
