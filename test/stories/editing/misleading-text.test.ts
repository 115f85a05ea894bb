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

describe('characters that nobody sees', () => {
  it.each([
    ['an edit', edit('src/login.ts', 'two', 'two\u202E'), 'U+202E in line 2'],
    ['a new file', write('src/new.ts', 'one\nt\u200Bwo\n'), 'U+200B in line 2'],
  ])('are refused to the agent in %s, with code point and line (S35, X1)', async (_, call, name) => {
    const { bot, model } = await propose(call);
    expect(bot.proposals()).toEqual([]);
    expect(model.toolMessages()[0]).toContain(`has ${name}, which nobody sees. Write it as an escape of the language`);
  });

  it('R30: that the file already has stay as they are, and a line below the diff names them (S35, X15)', async () => {
    const branch = { 'src/login.ts': 'o\u200Bne\ntwo\nthree\n' };
    const { ana, bot, pr } = await propose(edit('src/login.ts', 'two', 'zwei'), branch);
    const { body } = bot.proposal(1);
    expect(body).toContain('The file has characters that nobody sees:');
    expect(body).toContain('U+200B');
    expect(body).not.toContain('⚠️');
    await ana.says('/approve');
    expect(pr.file('src/login.ts')).toBe('o\u200Bne\nzwei\nthree\n');
  });

  it('come back with an undo, which warns of them (S92, X1)', async () => {
    const { ana, bot, pr } = await propose(edit('src/login.ts', 't\u200Bwo', 'two'), {
      'src/login.ts': 'one\nt\u200Bwo\nthree\n',
    });
    await ana.says('/approve');
    await ana.says(`/undo ${bot.proposal(1).proposalId}`);
    expect(bot.proposal(2).body).toContain('⚠️ This adds characters that nobody sees:');
    await ana.says('/approve');
    expect(pr.file('src/login.ts')).toBe('one\nt\u200Bwo\nthree\n');
  });

  it('the agent reads the names of files with their hidden characters written out, and opens them (X17, S13)', async () => {
    const branch = { 'src/ad\u202Emin.ts': 'one\n' };
    const story = await stage().tell({ branch });
    story.model.proposes(edit('src/ad\\u{202E}min.ts', 'one', 'two'));
    await story.ana.says('/countersign change it');
    await story.ana.says('/approve');
    const texts = JSON.stringify(story.model.requests());
    expect(texts).toContain('src/ad\\\\u{202E}min.ts');
    expect(texts).not.toContain('\u202E');
    expect(story.pr.file('src/ad\u202Emin.ts')).toBe('two\n');
  });
});

describe('text that looks right and is not', () => {
  it('R75: a word of several alphabets has a warning and a commit button (X1)', async () => {
    const { bot } = await propose(edit('src/login.ts', 'two', 'if (isAdmin\u3163\u3163isOwner) {}'));
    const { body } = bot.proposal(1);
    expect(body).toContain('⚠️ These words mix letters of several alphabets: isAdminㅣㅣisOwner in line 2.');
    expect(body).toContain('```suggestion');
  });

  it('R75: lines beyond the right edge, and rows that differ in white space alone, have warnings (X15)', async () => {
    const wide = await propose(edit('src/login.ts', 'two', `audit();${' '.repeat(250)}grant();`));
    expect(wide.bot.proposal(1).body).toContain('⚠️ More than 200 columns: line 2. Scroll to the end.');
    const spaced = await propose(edit('src/login.ts', 'two', '  two'));
    expect(spaced.bot.proposal(1).body).toContain('⚠️ Only white space differs: line 2.');
  });
});
