import { beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { Files } from '../support/pull-request.ts';
import { edit, read, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const FILES: Files = {
  'src/total.ts': 'export function total(a: number) {\n  let sum = 0;\n  sum += a;\n  return sum;\n}\n',
  'src/twice.ts': 'call();\nother();\ncall();\n',
  '.env.local': 'TOKEN=secret\n',
  '.github/workflows/ci.yml': 'on: push\n',
  '.github/countersign.yml': 'model: scripted\n',
  CODEOWNERS: '* @acme\n',
  'latin.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
};

async function proposeAll(...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await stage().tell({ files: FILES, branch: { 'src/other.ts': 'new();\n' } });
  story.model.proposes(...calls);
  await story.ana.says('/countersign tidy up');
  return story;
}

/** Calls that are refused without a proposal, and the error that the model gets. */
const REFUSED: readonly (readonly [string, ScriptedCall, string])[] = [
  [
    'a text that occurs twice is refused with count and lines (S4)',
    edit('src/twice.ts', 'call();', 'call(1);'),
    'Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 3',
  ],
  [
    'a missing text is refused with a similar one (S5)',
    edit('src/total.ts', '  let sum = 1;', '  let sum = 2;'),
    'old_string not found in src/total.ts. File contains 5 lines. Did you mean: "  let sum = 0;" (line 2)?',
  ],
  [
    'a new text that is already present is refused with its line (S5)',
    edit('src/total.ts', '  let sum = 00000000000;', '  return sum;'),
    '(line 2)? new_string is already present at line 4.',
  ],
  [
    'a path above the root (S13)',
    edit('../secret', 'a', 'b'),
    "Cannot access '../secret': path is outside the repository.",
  ],
  ['a workflow (S14)', write('.github/workflows/x.yml', 'x'), 'path is read-only (.github/workflows/**).'],
  ['a secret, before it is matched (S14, S1a)', edit('.env.local', 'secret', 'x'), 'path is read-only (.env*).'],
  ['a secret is not read (S1a)', read('.env.local'), "Cannot read '.env.local': path may not be read (.env*)."],
  ['a file that is not UTF-8 (S15)', edit('latin.txt', 'caf', 'x'), 'latin.txt is not valid UTF-8'],
  ['an existing file that was not read (S16)', write('src/total.ts', 'x\n'), 'read'],
];

describe('calls refused before people see a proposal (S17)', () => {
  let results: readonly string[] = [];
  beforeAll(async () => {
    const { bot, model, pr } = await proposeAll(...REFUSED.map(([, call]) => call));
    results = model.toolMessages();
    expect(bot.proposals()).toEqual([]);
    expect(pr.commits()).toEqual([]);
  });

  it.each(REFUSED.map(([name, , words], at) => [name, at, words] as const))('%s', (_, at, words) => {
    expect(results).toHaveLength(REFUSED.length);
    expect(results[at]).toContain(words);
  });

  it('a new file proposed twice in one response, in different letter case, is shown once (S18)', async () => {
    const { bot } = await proposeAll(write('docs/a.md', 'one\n'), write('docs/A.md', 'two\n'));
    expect(bot.proposals()).toHaveLength(1);
  });

  it('a change too large to show in full is not proposed (S15, T16)', async () => {
    const { bot, model } = await proposeAll(
      write('big.txt', 'a line of forty letters, more or less...\n'.repeat(7000)),
    );
    expect(bot.proposals()).toEqual([]);
    expect(model.toolMessages()[0]).toMatch(
      /^Not proposed: the diff of big\.txt is \d+ kB and at most \d+ kB can be reviewed\./,
    );
  });
});

describe('the file after an approved edit', () => {
  const before = 'first\nsecond\nthird\n';
  it.each<[string, ScriptedCall, string]>([
    ['one occurrence (S2)', edit('a.txt', 'second', 'two'), 'first\ntwo\nthird\n'],
    ['an empty new_string deletes (S3)', edit('a.txt', 'second\n', ''), 'first\nthird\n'],
    ['replace_all (S6)', edit('a.txt', 'ir', 'IR', { replace_all: true }), 'fIRst\nsecond\nthIRd\n'],
    [
      '$&, $1, $` and \\n are literal (S9)',
      edit('a.txt', 'second', "$& $1 $` $' $$ \\n"),
      "first\n$& $1 $` $' $$ \\n\nthird\n",
    ],
    ['<repo>/path (S13)', edit('REPO/a.txt', 'third', '3rd'), 'first\nsecond\n3rd\n'],
    ['no newline at the end (S11)', edit('a.txt', 'third\n', 'third'), 'first\nsecond\nthird'],
    ['the whole file (S20)', write('a.txt', 'all new'), 'all new'],
  ])('%s', async (_, call, after) => {
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': before } });
    const [, repo = ''] = pr.fullName.split('/');
    model.proposes(read('a.txt'), inRepository(call, repo));
    await ana.says('/countersign change it');
    await ana.says('/approve all');
    expect(pr.file('a.txt')).toBe(after);
    expect(pr.commits()).toHaveLength(1);
  });

  it('CRLF: unchanged lines keep their bytes, new lines get the file’s ending (S10)', async () => {
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': 'one\r\ntwo\r\nthree\nfour\r\n' } });
    model.proposes(edit('a.txt', 'two\nthree\n', 'two\n2.5\nthree\n'));
    await ana.says('/countersign change it');
    await ana.says('/approve');
    expect(pr.file('a.txt')).toBe('one\r\ntwo\r\n2.5\r\nthree\nfour\r\n');
  });

  it('blocks that repeat the lines above them are shown and committed exactly where they are (S10, S16, X5)', async () => {
    const block = (name: string) => `def ${name}():\n    check()\n    done()\n\n`;
    const text = ['a', 'b', 'c', 'd'].map(block).join('');
    const { ana, bot, model, pr } = await stage().tell({ branch: { 'a.py': text } });
    const both = ['a', 'c'].map((name) => ({
      old_string: block(name),
      new_string: `${block(name)}${block(`${name}2`)}`,
    }));
    model.proposes({ name: 'edit_file', arguments: { path: 'a.py', edits: both } });
    await ana.says('/countersign add the other two');
    await ana.says('/approve');
    expect(bot.answers().join('\n')).not.toContain('Nothing was approved');
    expect(pr.file('a.py')).toBe(['a', 'a2', 'b', 'c', 'c2', 'd'].map(block).join(''));
  });
});

function inRepository(call: ScriptedCall, repo: string): ScriptedCall {
  if (typeof call.arguments === 'string') return call;
  const path = String(call.arguments['path']).replace('REPO', repo);
  return { ...call, arguments: { ...call.arguments, path } };
}
