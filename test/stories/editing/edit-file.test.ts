import { beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import type { Files } from '../support/pull-request.ts';
import { edit, move, read, type Story, write } from '../support/story.ts';

const stage = stageForAll();

const FILES: Files = {
  'src/total.ts': 'export function total(a: number) {\n  let sum = 0;\n  sum += a;\n  return sum;\n}\n',
  'src/twice.ts': 'call();\nother();\ncall();\n',
  '.env.local': 'TOKEN=secret\n',
  '.github/workflows/ci.yml': 'on: push\n',
  '.github/countersign.yml': 'model: x\n',
  CODEOWNERS: '* @acme\n',
  'latin.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
};

async function asked(...calls: readonly ScriptedCall[]): Promise<Story> {
  const story = await stage().tell({ files: FILES, branch: { 'src/other.ts': 'new();\n' } });
  story.model.proposes(...calls);
  await story.ana.says('/countersign tidy up');
  return story;
}

/** Calls that nobody is asked about, and what the model hears of them instead. */
const REFUSED: readonly (readonly [string, ScriptedCall, string])[] = [
  [
    'a text that stands twice is refused with count and lines (S4)',
    edit('src/twice.ts', 'call();', 'call(1);'),
    'Found 2 matches for old_string. Use replace_all=True or provide more context. Matches at lines: 1, 3',
  ],
  [
    'a text that is not there is refused with what comes near (S5)',
    edit('src/total.ts', '  let sum = 1;', '  let sum = 2;'),
    'old_string not found in src/total.ts. File contains 5 lines. Did you mean: "  let sum = 0;" (line 2)?',
  ],
  [
    'nothing is offered where nothing comes near (S5)',
    edit('src/total.ts', 'the quick brown fox', 'x'),
    'old_string not found in src/total.ts. File contains 5 lines.',
  ],
  [
    'it says where the new text stands already (S5)',
    edit('src/total.ts', '  let sum = 00000000000;', '  return sum;'),
    '(line 2)? new_string is already present at line 4.',
  ],
  ['S7: an edit that changes nothing', edit('src/total.ts', 'sum', 'sum'), 'No changes'],
  ['S8: an empty old_string names write_file', edit('src/total.ts', '', 'x'), 'write_file'],
  [
    'a path above the root (S13)',
    edit('../secret', 'a', 'b'),
    "Cannot access '../secret': path is outside the repository.",
  ],
  ['S13: an absolute path', write('/etc/passwd', 'x'), "Cannot access '/etc/passwd': path is outside the repository."],
  ['S13: a disguised .git', write('.GIT/config', 'x'), "Cannot access '.GIT/config': path is outside the repository."],
  ['S13: a backslash', write('a\\b', 'x'), 'path is outside the repository.'],
  ['S14: a workflow', write('.github/workflows/x.yml', 'x'), 'path is read-only (.github/workflows/**).'],
  ['S14: our own config', edit('.github/countersign.yml', 'x', 'y'), 'path is read-only (.github/countersign.yml).'],
  ['S14: CODEOWNERS', edit('CODEOWNERS', 'acme', 'me'), "Cannot write 'CODEOWNERS': path is read-only (CODEOWNERS)."],
  ['S14, S1a: a secret, before it is matched', edit('.env.local', 'secret', 'x'), 'path is read-only (.env*).'],
  ['S1a: a secret is not read', read('.env.local'), "Cannot read '.env.local': path may not be read (.env*)."],
  ['S15: a file that is not UTF-8', edit('latin.txt', 'caf', 'x'), 'latin.txt is not valid UTF-8'],
  ['S16: an existing file that was not read', write('src/total.ts', 'x\n'), 'read'],
];

describe('before anyone is asked (S17)', () => {
  let heard: readonly string[] = [];
  beforeAll(async () => {
    const { bot, model, pr } = await asked(...REFUSED.map(([, call]) => call));
    heard = model.heard();
    expect(bot.proposals()).toEqual([]);
    expect(pr.commits()).toEqual([]);
  });

  it.each(REFUSED.map(([name, , words], at) => [name, at, words] as const))('%s', (_, at, words) => {
    expect(heard).toHaveLength(REFUSED.length);
    expect(heard[at]).toContain(words);
  });

  it('of two edits that touch, the later is refused and names the first; the rest is shown (S18)', async () => {
    const { ana, bot, model } = await asked(
      edit('src/total.ts', '  let sum = 0;\n', '  let sum = 1;\n'),
      edit('src/total.ts', '  let sum = 0;\n  sum += a;\n', '  const sum = a;\n'),
      edit('src/twice.ts', 'other();', 'another();'),
    );
    expect(bot.proposals()).toHaveLength(2);
    await ana.says('/continue');
    const first = bot.proposal(1).proposalId;
    expect(model.heard()[1]).toBe(
      `Not proposed: this change of src/total.ts touches the same place as change ${first} of the same response. Propose it again after that one is decided, or make both one change.`,
    );
  });

  it('T15 for an edit whose text only an earlier, undecided one would bring (S18)', async () => {
    const { ana, bot, model } = await asked(
      edit('src/total.ts', '  return sum;\n', '  return round(sum);\n'),
      edit('src/total.ts', 'round(sum)', 'floor(sum)'),
    );
    await ana.says('/continue');
    expect(model.heard()[1]).toBe(
      `Not proposed: src/total.ts contains this text only after change ${bot.proposal(1).proposalId}, which is not decided yet. Propose it again after that.`,
    );
  });

  it('T15 for an edit of a file that only an earlier, undecided change makes or moves there (S18)', async () => {
    const { ana, bot, model } = await asked(
      write('docs/a.md', 'one\ntwo\n'),
      move('src/twice.ts', 'src/thrice.ts'),
      edit('docs/a.md', 'two', 'zwei'),
      edit('src/thrice.ts', 'other();', 'another();'),
      edit('docs/a.md', 'seventeen', 'siebzehn'),
    );
    await ana.says('/continue');
    const [made, moved] = [bot.proposal(1).proposalId, bot.proposal(2).proposalId];
    const [, , ...heard] = model.heard();
    expect(heard).toEqual([
      `Not proposed: docs/a.md contains this text only after change ${made}, which is not decided yet. Propose it again after that.`,
      `Not proposed: src/thrice.ts contains this text only after change ${moved}, which is not decided yet. Propose it again after that.`,
      'File not found: docs/a.md. Use write_file to create it.',
    ]);
  });

  it('a new file twice in one response, in another case, is shown once (S18)', async () => {
    const { bot } = await asked(write('docs/a.md', 'one\n'), write('docs/A.md', 'two\n'));
    expect(bot.proposals()).toHaveLength(1);
  });

  it('a change too large to show in full is not proposed (S15, T16)', async () => {
    const { bot, model } = await asked(write('big.txt', 'a line of forty letters, more or less...\n'.repeat(7000)));
    expect(bot.proposals()).toEqual([]);
    expect(model.heard()[0]).toMatch(
      /^Not proposed: the diff of big\.txt is \d+ kB and at most \d+ kB can be reviewed\./,
    );
  });
});

describe('what an approved edit makes of the file', () => {
  const before = 'first\nsecond\nthird\n';
  it.each<[string, ScriptedCall, string]>([
    ['S2: one occurrence', edit('a.txt', 'second', 'two'), 'first\ntwo\nthird\n'],
    ['S3: an empty new_string deletes', edit('a.txt', 'second\n', ''), 'first\nthird\n'],
    ['S6: replace_all', edit('a.txt', 'ir', 'IR', { replace_all: true }), 'fIRst\nsecond\nthIRd\n'],
    [
      '$&, $1, $` and \\n are letters (S9)',
      edit('a.txt', 'second', "$& $1 $` $' $$ \\n"),
      "first\n$& $1 $` $' $$ \\n\nthird\n",
    ],
    ['S13: <repo>/path', edit('REPO/a.txt', 'third', '3rd'), 'first\nsecond\n3rd\n'],
    ['S11: no newline at the end', edit('a.txt', 'third\n', 'third'), 'first\nsecond\nthird'],
    ['S20: the whole file', write('a.txt', 'all new'), 'all new'],
  ])('%s', async (_, call, after) => {
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': before } });
    const [, repo = ''] = pr.fullName.split('/');
    model.proposes(read('a.txt'), inRepository(call, repo));
    await ana.says('/countersign change it');
    await ana.says('/approve all');
    expect(pr.file('a.txt')).toBe(after);
    expect(pr.commits()).toHaveLength(1);
  });

  it('CRLF: lines that are not touched keep their bytes, new ones get the file’s ending (S10)', async () => {
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': 'one\r\ntwo\r\nthree\nfour\r\n' } });
    model.proposes(edit('a.txt', 'two\nthree\n', 'two\n2.5\nthree\n'));
    await ana.says('/countersign change it');
    await ana.says('/approve');
    expect(pr.file('a.txt')).toBe('one\r\ntwo\r\n2.5\r\nthree\nfour\r\n');
  });

  it('a large file, which another thread works on, comes to exactly those bytes (H6, S10)', async () => {
    const text = `é\r\n${'a\r\n'.repeat(60_000)}`;
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': text } });
    model.proposes(read('a.txt'), write('a.txt', `é 😀\n${'a\n'.repeat(60_000)}`));
    await ana.says('/countersign change it');
    await ana.says('/approve');
    expect(pr.file('a.txt')).toBe(`é 😀\r\n${'a\r\n'.repeat(60_000)}`);
  });

  it('a denied change leaves every ref where it was (S12, S98)', async () => {
    const { ana, model, pr } = await stage().tell({ branch: { 'a.txt': before } });
    const refs = pr.refs();
    model.proposes(edit('a.txt', 'second', 'two'));
    await ana.says('/countersign change it');
    await ana.says('/deny');
    expect(pr.refs()).toEqual(refs);
  });
});

function inRepository(call: ScriptedCall, repo: string): ScriptedCall {
  if (typeof call.arguments === 'string') return call;
  const path = String(call.arguments['path']).replace('REPO', repo);
  return { ...call, arguments: { ...call.arguments, path } };
}
