import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, type Story, write } from '../support/story.ts';

const stage = stageForAll();

async function propose(call: ScriptedCall, branch: Readonly<Record<string, string>> = {}): Promise<Story> {
  const story = await stage().tell({ branch: { 'src/login.ts': 'one\ntwo\nthree\n', ...branch } });
  story.model.proposes(call);
  await story.ana.says('/countersign change it');
  return story;
}

describe('a change that looks right and is not', () => {
  it('an assignment that reads as a comparison has no commit button and a warning (X1)', async () => {
    const { bot } = await propose(edit('src/login.ts', 'two', 'if (environment\u01C3=PROD) {}'));
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ This adds look-alike characters: `U+01C3` in line 2 (like `!`).');
    expect(body).not.toContain('```suggestion');
  });

  it('a new file whose name imitates another has a warning (X1)', async () => {
    const { bot } = await propose(write('src/lo\u0261in.ts', 'one\n'));
    expect(bot.proposal(1).body).toMatch(/⚠️ The path .* has look-alike characters: `U\+0261` \(like `g`\)\./);
  });

  it('a comment in another language has a commit button and no warning (X1)', async () => {
    const { bot } = await propose(edit('src/login.ts', 'two', '// рост и сор; 调用 foo（bar）；kadın'));
    const { body } = bot.proposal(1);
    expect(body).toContain('```suggestion');
    expect(body).not.toContain('⚠️');
  });

  it('code beyond the right edge has a warning (X15)', async () => {
    const { bot } = await propose(edit('src/login.ts', 'two', `audit();${' '.repeat(250)}grant();`));
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ Very long: line 2 (266 columns).');
    expect(body).toContain('⚠️ Wide space before more text: line 2.');
  });

  it('code beyond the right edge that a change takes away has a warning (X15)', async () => {
    const branch = { 'src/login.ts': `one\npay(order);${' '.repeat(250)}audit(order);\nthree\n` };
    const { bot } = await propose(
      edit('src/login.ts', `pay(order);${' '.repeat(250)}audit(order);`, 'pay(all);'),
      branch,
    );
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ Removes very long text: line 2 (274 columns). Scroll to the end before you decide.');
    expect(body).toContain('⚠️ Removes text behind wide space: line 2.');
  });

  it('code beyond very wide signs has a warning (X15)', async () => {
    const { bot } = await propose(edit('src/login.ts', 'two', `/* ${'\uFDFD'.repeat(60)} */ grant();`));
    expect(bot.proposal(1).body).toContain('⚠️ Very long: line 2');
  });

  it.each([
    ['src/login.ts', '  * ѕсоре;'],
    ['src/login.tsx', 'return level>3 && ѕсоре'],
    ['src/login.nix', 'base // ѕсоре'],
  ])('in %s, a line that only resembles prose has no commit button and a warning (X1)', async (path, line) => {
    const { bot } = await propose(edit(path, 'two', line), { [path]: 'one\ntwo\nthree\n' });
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ This adds look-alike characters: `U+0455` in line 2 (like `s`)');
    expect(body).not.toContain('```suggestion');
  });

  it.each([
    ['src/Paths.cs', String.raw`var file = root + @"\" + ѕсоре + @"\";`],
    ['src/paths.go', 'file := root + `\\` + ѕсоре + `\\`'],
    ['src/key.py', "key = rb'a' + ѕсоре + rb'b'  # it's"],
  ])('in %s, a variable between two strings that could be within one has a warning (X1)', async (path, line) => {
    const { bot } = await propose(edit(path, 'two', line), { [path]: 'one\ntwo\nthree\n' });
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ This adds look-alike characters: `U+0455` in line 2 (like `s`)');
    expect(body).not.toContain('```suggestion');
  });

  it.each([
    ['src/Keys.swift', 'let 🔑\u{200D}👤 = other', '200D'],
    ['src/keys.php', '$owner©\u{FE0E} = $other;', 'FE0E'],
  ])('in %s, a joiner or style that draws nothing is written out and has a warning (X1)', async (path, line, name) => {
    const { bot } = await propose(edit(path, 'two', line), { [path]: 'one\ntwo\nthree\n' });
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️');
    expect(body).toContain(`\\u{${name}}`);
    expect(body).not.toMatch(/[\u{200D}\u{FE0E}]/u);
    expect(body).not.toContain('```suggestion');
  });

  it('a new path whose segments are displayed in another order has a warning that names them (X1)', async () => {
    const { bot } = await propose(write('docs/אבג/דהו.md', 'one\n'));
    expect(bot.proposal(1).body).toMatch(/⚠️ Right-to-left .* it is docs, then אבג, then .*דהו/);
  });

  it('lines that look like the start of another file’s diff have a warning', async () => {
    const branch = { 'db/seed.sql': 'one\n-- a/docs/notes.md\nthree\n' };
    const { bot } = await propose(edit('db/seed.sql', '-- a/docs/notes.md', '++ b/docs/notes.md'), branch);
    expect(bot.proposal(1).body).toContain('look like the start of another file’s diff, and are not: line 2.');
  });

  it('the agent reads the names of files with their hidden characters written out (X17)', async () => {
    const story = await propose({ name: 'list_files', arguments: {} }, { 'src/ad\u202Emin.ts': 'one\n' });
    const texts = JSON.stringify(story.model.requests());
    expect(texts).toContain('src/ad\\\\u{202E}min.ts');
    expect(texts).not.toContain('\u202E');
  });
});
